#ifndef LADDER_TESTS_CLIENT_LIBRARY_FAKE_SERVER_H_
#define LADDER_TESTS_CLIENT_LIBRARY_FAKE_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ladder/client/client.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {

// Says what it is told to, at a port of this machine.
class FakeServer {
 public:
  using PredictStream = grpc::ServerReaderWriter<v1::PredictDomainResponse,
                                                 v1::PredictDomainRequest>;
  // Answers calls of PredictDomain, and of RouteDomain, GetModel and
  // ListModels, which have no stream; `call` counts them from 1.
  using Script = std::function<grpc::Status(
      int call, grpc::ServerContext& context, PredictStream* stream)>;

  explicit FakeServer(Script script);
  ~FakeServer();

  int port() const { return port_; }
  std::string address() const;
  // Calls of all kinds, over all time and at this moment.
  int num_calls() const { return service_.num_calls; }
  int num_open_calls() const { return service_.num_open_calls; }

  // The version that routes and that GetModel tells of; 0 until it is set.
  void Serve(uint64_t version) { service_.version = version; }

  // Tries again at once.
  ClientOptions options() const;
  Client NewClient() const;

 private:
  struct Service final : v1::DomainRouting::Service {
    grpc::Status PredictDomain(grpc::ServerContext* context,
                               PredictStream* stream) override;
    grpc::Status RouteDomain(grpc::ServerContext* context,
                             grpc::ServerReader<v1::RouteDomainRequest>* reader,
                             v1::RouteDomainResponse* response) override;
    grpc::Status GetModel(grpc::ServerContext* context,
                          const v1::GetModelRequest* request,
                          v1::GetModelResponse* response) override;
    grpc::Status ListModels(grpc::ServerContext* context,
                            const v1::ListModelsRequest* request,
                            v1::ListModelsResponse* response) override;
    grpc::Status Answer(grpc::ServerContext& context, PredictStream* stream);

    Script script;
    std::atomic<int> num_calls = 0;
    std::atomic<int> num_open_calls = 0;
    std::atomic<uint64_t> version = 0;
  };

  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// Reads to the end and answers as a server should, but for the last
// `num_missing` predictions and for what `change` makes of each answer.
grpc::Status AnswerGroup(
    FakeServer::PredictStream& stream, int num_missing = 0,
    const std::function<void(v1::PredictDomainResponse&)>& change = {});

// Waits until the caller has gone.
grpc::Status Hang(const grpc::ServerContext& context);

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_LIBRARY_FAKE_SERVER_H_
