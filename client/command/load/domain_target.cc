#include <grpcpp/support/client_callback.h>

#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/command/load/load_target.h"
#include "client/command/load/synthetic_samples.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {
namespace {

using v1::PredictDomainRequest;
using v1::PredictDomainResponse;

using Done = std::function<void(LoadOutcome)>;

// One call with one group; deletes itself when it is over.
class DomainCall : public grpc::ClientBidiReactor<PredictDomainRequest,
                                                  PredictDomainResponse> {
 public:
  DomainCall(const LoadOptions& options, Done done) : done_(std::move(done)) {
    PrepareContext(options, context_);
  }

  void Start(v1::DomainRouting::Stub& stub, const PredictDomainRequest& request,
             std::stop_token stop) {
    stub.async()->PredictDomain(&context_, this);
    StartWriteLast(&request, grpc::WriteOptions());
    StartRead(&response_);
    // Before the call starts: afterwards it may be gone at any time.
    on_stop_.emplace(std::move(stop), Cancel{&context_});
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (response_.has_end()) ended_ = true;
    for (const v1::StageTiming& timing : response_.routing().timings()) {
      outcome_.stages.emplace_back(
          timing.stage(), absl::Seconds(timing.duration().seconds()) +
                              absl::Nanoseconds(timing.duration().nanos()));
    }
    StartRead(&response_);
  }

  void OnDone(const grpc::Status& status) override {
    outcome_.status = FromGrpc(status);
    if (outcome_.status.ok() && !ended_) {
      outcome_.status = absl::DataLossError(
          "expected the group's end, got the call's without it");
    }
    const Done done = std::move(done_);
    const LoadOutcome outcome = std::move(outcome_);
    // First, because it refers to the channel: the last reference must not go
    // on a thread of gRPC's.
    delete this;
    done(outcome);
  }

 private:
  struct Cancel {
    grpc::ClientContext* context;
    void operator()() const { context->TryCancel(); }
  };

  Done done_;
  grpc::ClientContext context_;
  PredictDomainResponse response_;
  LoadOutcome outcome_;
  bool ended_ = false;
  std::optional<std::stop_callback<Cancel>> on_stop_;
};

class DomainTarget : public LoadTarget {
 public:
  DomainTarget(std::unique_ptr<v1::DomainRouting::Stub> stub,
               const LoadOptions& options, PredictDomainRequest request,
               std::string name)
      : stub_(std::move(stub)),
        options_(options),
        request_(std::move(request)),
        name_(std::move(name)) {}

  void Send(std::stop_token stop, Done done) override {
    auto* call = new DomainCall(options_, std::move(done));
    call->Start(*stub_, request_, std::move(stop));
  }

  std::string Name() const override { return name_; }

 private:
  const std::unique_ptr<v1::DomainRouting::Stub> stub_;
  const LoadOptions options_;
  const PredictDomainRequest request_;
  const std::string name_;
};

absl::Status FillSamples(const v1::GetModelResponse& model,
                         const LoadOptions& options, v1::Samples& samples) {
  if (!options.picture.empty()) {
    if (!model.takes_images()) {
      return absl::InvalidArgumentError(
          absl::StrCat("picture: expected none, since model \"", model.name(),
                       "\" takes numbers only, got one"));
    }
    for (size_t i = 0; i < options.samples; ++i) {
      samples.mutable_images()->add_images(options.picture);
    }
    return absl::OkStatus();
  }
  std::vector<int64_t> open_shape = {static_cast<int64_t>(options.samples)};
  open_shape.insert(open_shape.end(), model.sample_shape().begin(),
                    model.sample_shape().end());
  LADDER_ASSIGN_OR_RETURN(const auto shape,
                          ResolveShape("x", open_shape, options.dynamic_size));
  LADDER_ASSIGN_OR_RETURN(auto bytes,
                          SyntheticTensor("FP32", shape, options.seed));
  v1::Tensor& tensor = *samples.mutable_tensor();
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  tensor.set_float32(std::move(bytes));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadTarget>> OpenDomainTarget(
    std::shared_ptr<grpc::Channel> channel, const LoadOptions& options) {
  auto stub = v1::DomainRouting::NewStub(channel);
  v1::GetModelRequest question;
  question.mutable_model()->set_name(options.model);
  uint64_t version = 0;
  if (absl::SimpleAtoi(options.version, &version)) {
    question.mutable_model()->set_version(version);
  }
  v1::GetModelResponse model;
  grpc::ClientContext context;
  PrepareContext(options, context);
  const grpc::Status status = stub->GetModel(&context, question, &model);
  if (!status.ok()) return FromGrpc(status);

  PredictDomainRequest request;
  request.set_group("bench");  // One for all: names cost the server memory.
  request.set_end_of_group(true);
  v1::GroupOptions& group = *request.mutable_options();
  *group.mutable_model() = question.model();
  group.set_fail_on_bad_sample(true);
  LADDER_RETURN_IF_ERROR(
      FillSamples(model, options, *request.mutable_samples()));
  return std::make_unique<DomainTarget>(
      std::move(stub), options, std::move(request),
      absl::StrCat(model.name(), " ", model.version()));
}

}  // namespace ladder::client
