#ifndef LADDER_TESTS_CLIENT_COMMAND_FAKE_LADDER_H_
#define LADDER_TESTS_CLIENT_COMMAND_FAKE_LADDER_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {

// Has the model birds, versions 2 (failed) and 3, of the sources hill and lake.
// Routes every group but "broken" to the lake, for at most two neighbours.
class FakeLadder : public v1::DomainRouting::Service {
 public:
  grpc::Status ListModels(grpc::ServerContext* context,
                          const v1::ListModelsRequest*,
                          v1::ListModelsResponse* response) override {
    const auto& metadata = context->client_metadata();
    if (const auto found = metadata.find("authorization");
        found != metadata.end()) {
      const std::lock_guard lock(mutex_);
      authorization_.assign(found->second.data(), found->second.size());
    }
    v1::ModelStatus& model = *response->add_models();
    model.set_name("birds");
    model.add_served(3);
    (*model.mutable_labels())["canary"] = 3;
    v1::VersionStatus& failed = *model.add_versions();
    failed.set_version(2);
    failed.set_state("FAILED");
    failed.set_message("heads.onnx: no such file");
    v1::VersionStatus& serving = *model.add_versions();
    serving.set_version(3);
    serving.set_state("SERVING");
    return grpc::Status::OK;
  }

  grpc::Status GetModel(grpc::ServerContext*,
                        const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override {
    const v1::ModelRef& model = request->model();
    if (!model.name().empty() && model.name() != "birds") {
      return {grpc::StatusCode::NOT_FOUND,
              absl::StrCat("model \"", model.name(), "\" is not in the store")};
    }
    response->set_name("birds");
    response->set_version(model.has_version() ? model.version() : 3);
    response->add_sources()->set_name("hill");
    response->add_sources()->set_name("lake");
    response->add_classes("heron");
    return grpc::Status::OK;
  }

  grpc::Status RouteDomain(grpc::ServerContext*,
                           grpc::ServerReader<v1::RouteDomainRequest>* reader,
                           v1::RouteDomainResponse* response) override {
    v1::RouteDomainRequest first;
    reader->Read(&first);
    uint64_t num_samples = 0;
    for (v1::RouteDomainRequest more; reader->Read(&more);) {
      num_samples += static_cast<uint64_t>(more.samples().tensor().shape(0));
    }
    const std::lock_guard lock(mutex_);
    if (num_samples > 0) uploads_.push_back(first.group());
    for (const v1::RouteQuestion& question : first.questions()) {
      const std::string& model = question.model().name();
      if (!model.empty() && model != "birds") {
        return {grpc::StatusCode::NOT_FOUND,
                absl::StrCat("model \"", model, "\" is not in the store")};
      }
      if (question.routing().k() > 2) {
        return {grpc::StatusCode::INVALID_ARGUMENT,
                absl::StrCat("routing: k: expected at most 2, got ",
                             question.routing().k())};
      }
    }
    if (first.group() == "broken") {
      return {grpc::StatusCode::FAILED_PRECONDITION, "too few samples"};
    }
    for (const v1::RouteQuestion& question : first.questions()) {
      v1::Routing& routing = *response->add_routings();
      routing.set_model("birds");
      routing.set_version(3);
      routing.set_method(question.routing().method());
      routing.set_num_samples(num_samples);
      routing.set_tau(question.routing().tau());
      routing.set_k(question.routing().k());
      routing.set_has_distances(true);
      routing.mutable_coverage()->set_verdict(v1::Coverage::EDGE);
      routing.mutable_coverage()->set_nearest_distance(1.5);
      v1::SourceWeight& lake = *routing.add_sources();
      lake.set_source("lake");
      lake.set_weight(1);
    }
    return grpc::Status::OK;
  }

  // Of the last call of ListModels that had one.
  std::string authorization() const {
    const std::lock_guard lock(mutex_);
    return authorization_;
  }

  // The groups that were sent to be routed.
  std::vector<std::string> uploads() const {
    const std::lock_guard lock(mutex_);
    return uploads_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> uploads_ ABSL_GUARDED_BY(mutex_);
  std::string authorization_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_COMMAND_FAKE_LADDER_H_
