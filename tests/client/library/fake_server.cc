#include "tests/client/library/fake_server.h"

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ladder/client/samples.h"

namespace ladder::client {

FakeServer::FakeServer(Script script) {
  service_.script = std::move(script);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port_);
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
}

FakeServer::~FakeServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

std::string FakeServer::address() const {
  return absl::StrCat("127.0.0.1:", port_);
}

ClientOptions FakeServer::options() const {
  return {.address = address(),
          .retry = {.max_attempts = 3,
                    .first_backoff = absl::ZeroDuration(),
                    .max_backoff = absl::ZeroDuration()}};
}

Client FakeServer::NewClient() const { return Client::Open(options()).value(); }

grpc::Status FakeServer::Service::PredictDomain(grpc::ServerContext* context,
                                                PredictStream* stream) {
  return Answer(*context, stream);
}

grpc::Status FakeServer::Service::RouteDomain(
    grpc::ServerContext* context,
    grpc::ServerReader<v1::RouteDomainRequest>* reader,
    v1::RouteDomainResponse* response) {
  v1::Routing& routing = *response->add_routings();
  v1::RouteDomainRequest request;
  while (reader->Read(&request)) {
    routing.set_num_samples(routing.num_samples() +
                            NumSamples(request.samples()));
  }
  return Answer(*context, nullptr);
}

grpc::Status FakeServer::Service::ListModels(grpc::ServerContext* context,
                                             const v1::ListModelsRequest*,
                                             v1::ListModelsResponse* response) {
  response->add_models()->set_name("tiny");
  return Answer(*context, nullptr);
}

grpc::Status FakeServer::Service::Answer(grpc::ServerContext& context,
                                         PredictStream* stream) {
  ++num_open_calls;
  const grpc::Status status = script(++num_calls, context, stream);
  --num_open_calls;
  return status;
}

grpc::Status AnswerGroup(FakeServer::PredictStream& stream, int num_missing) {
  v1::PredictDomainRequest request;
  int num_samples = 0;
  std::string group;
  while (stream.Read(&request)) {
    group = request.group();
    num_samples += static_cast<int>(NumSamples(request.samples()));
  }
  v1::PredictDomainResponse response;
  response.set_group(group);
  response.mutable_routing();
  stream.Write(response);
  for (int i = 0; i < num_samples - num_missing; ++i) {
    response.mutable_predictions()->add_labels(0);
  }
  stream.Write(response);
  response.mutable_end();
  stream.Write(response);
  return grpc::Status::OK;
}

grpc::Status Hang(const grpc::ServerContext& context) {
  while (!context.IsCancelled()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return grpc::Status::CANCELLED;
}

}  // namespace ladder::client
