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
  routing.set_version(version);
  v1::RouteDomainRequest request;
  while (reader->Read(&request)) {
    routing.set_num_samples(routing.num_samples() +
                            NumSamples(request.samples()));
  }
  return Answer(*context, nullptr);
}

grpc::Status FakeServer::Service::GetModel(grpc::ServerContext* context,
                                           const v1::GetModelRequest*,
                                           v1::GetModelResponse* response) {
  response->set_version(version);
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

grpc::Status AnswerGroup(
    FakeServer::PredictStream& stream, int num_missing,
    const std::function<void(v1::PredictDomainResponse&)>& change) {
  v1::PredictDomainRequest request;
  v1::PredictDomainResponse routing;
  v1::PredictDomainResponse predictions;
  while (stream.Read(&request)) {
    routing.set_group(request.group());
    if (request.has_options()) {
      routing.mutable_routing()->set_version(
          request.options().model().version());
    }
    const auto& ids = request.samples().ids();
    predictions.mutable_predictions()->mutable_ids()->MergeFrom(ids);
    for (size_t i = 0; i < NumSamples(request.samples()); ++i) {
      predictions.mutable_predictions()->add_labels(0);
    }
  }
  for (int i = 0; i < num_missing; ++i) {
    predictions.mutable_predictions()->mutable_labels()->RemoveLast();
  }
  predictions.set_group(routing.group());
  v1::PredictDomainResponse end;
  end.set_group(routing.group());
  end.mutable_end()->set_num_predicted(
      static_cast<uint64_t>(predictions.predictions().labels_size()));
  for (v1::PredictDomainResponse* const answer :
       {&routing, &predictions, &end}) {
    if (change != nullptr) change(*answer);
    stream.Write(*answer);
  }
  return grpc::Status::OK;
}

grpc::Status Hang(const grpc::ServerContext& context) {
  while (!context.IsCancelled()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return grpc::Status::CANCELLED;
}

}  // namespace ladder::client
