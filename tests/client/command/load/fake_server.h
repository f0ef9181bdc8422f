#ifndef LADDER_TESTS_CLIENT_COMMAND_LOAD_FAKE_SERVER_H_
#define LADDER_TESTS_CLIENT_COMMAND_LOAD_FAKE_SERVER_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "inference/grpc_service.grpc.pb.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {

// Speaks both protocols. Every third prediction is refused; those of a hung
// server wait until they are cancelled.
class FakeServer : public v1::DomainRouting::Service,
                   public inference::GRPCInferenceService::Service {
 public:
  grpc::Status GetModel(grpc::ServerContext* context,
                        const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override {
    KeepToken(*context);
    if (request->model().name() != "birds") {
      return {grpc::StatusCode::NOT_FOUND, "no such model"};
    }
    response->set_name("birds");
    response->set_version(3);
    response->add_sample_shape(2);
    response->add_sample_shape(-1);
    response->set_takes_images(takes_images);
    return grpc::Status::OK;
  }

  grpc::Status PredictDomain(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::PredictDomainResponse,
                               v1::PredictDomainRequest>* stream) override {
    v1::PredictDomainRequest request;
    while (stream->Read(&request)) {
      const std::lock_guard lock(mutex_);
      last_group_ = request;
    }
    if (const grpc::Status s = Answer(*context); !s.ok()) return s;
    v1::PredictDomainResponse response;
    v1::StageTiming& timing = *response.mutable_routing()->add_timings();
    timing.set_stage("encode");
    timing.mutable_duration()->set_nanos(5'000'000);
    stream->Write(response);
    response.mutable_predictions()->add_labels(1);
    stream->Write(response);
    response.mutable_end();
    if (!forget_end) stream->Write(response);
    return grpc::Status::OK;
  }

  grpc::Status ModelMetadata(
      grpc::ServerContext* context, const inference::ModelMetadataRequest*,
      inference::ModelMetadataResponse* response) override {
    KeepToken(*context);
    response->set_name("birds");
    auto& x = *response->add_inputs();
    x.set_name("x");
    x.set_datatype(takes_images ? "BYTES" : "FP32");
    for (const int side : {-1, 2}) x.add_shape(side);
    auto& group = *response->add_inputs();
    group.set_name("group");
    group.set_datatype("BYTES");
    group.add_shape(-1);
    return grpc::Status::OK;
  }

  grpc::Status ModelConfig(grpc::ServerContext*,
                           const inference::ModelConfigRequest*,
                           inference::ModelConfigResponse* response) override {
    auto& group = *response->mutable_config()->add_input();
    group.set_name("group");
    group.set_optional(true);
    return grpc::Status::OK;
  }

  grpc::Status ModelInfer(grpc::ServerContext* context,
                          const inference::ModelInferRequest* request,
                          inference::ModelInferResponse*) override {
    {
      const std::lock_guard lock(mutex_);
      last_infer_ = *request;
    }
    return Answer(*context);
  }

  v1::PredictDomainRequest last_group() const {
    const std::lock_guard lock(mutex_);
    return last_group_;
  }
  inference::ModelInferRequest last_infer() const {
    const std::lock_guard lock(mutex_);
    return last_infer_;
  }
  std::string last_token() const {
    const std::lock_guard lock(mutex_);
    return last_token_;
  }
  int num_hanging() const { return num_hanging_; }

  bool takes_images = false;
  bool forget_end = false;
  bool hang = false;

 private:
  grpc::Status Answer(grpc::ServerContext& context) {
    KeepToken(context);
    if (hang) {
      ++num_hanging_;
      while (!context.IsCancelled()) std::this_thread::yield();
      return grpc::Status::CANCELLED;
    }
    if (++num_answers_ % 3 == 0) {
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "full"};
    }
    return grpc::Status::OK;
  }

  void KeepToken(const grpc::ServerContext& context) {
    const auto token = context.client_metadata().find("authorization");
    const std::lock_guard lock(mutex_);
    last_token_ = token == context.client_metadata().end()
                      ? ""
                      : std::string(token->second.data(), token->second.size());
  }

  std::atomic<int> num_answers_ = 0;
  std::atomic<int> num_hanging_ = 0;
  mutable std::mutex mutex_;
  v1::PredictDomainRequest last_group_ ABSL_GUARDED_BY(mutex_);
  inference::ModelInferRequest last_infer_ ABSL_GUARDED_BY(mutex_);
  std::string last_token_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_COMMAND_LOAD_FAKE_SERVER_H_
