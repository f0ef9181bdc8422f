#include "client/command/load/load_target.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "client/command/load/synthetic_samples.h"
#include "inference/grpc_service.grpc.pb.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using TensorMetadata = inference::ModelMetadataResponse::TensorMetadata;
using v1::PredictDomainRequest;
using v1::PredictDomainResponse;

// Sets the deadline and the metadata that every call has.
void PrepareContext(const LoadOptions& options, grpc::ClientContext& context) {
  // Longer ones would overflow the clock's range.
  const absl::Duration timeout = std::min(options.timeout, absl::Hours(24));
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(timeout));
  for (const auto& [key, value] : options.metadata) {
    context.AddMetadata(key, value);
  }
}

// The same code and message: both enums hold the canonical codes.
absl::Status FromGrpc(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()),
          status.error_message()};
}

// One call with one group; deletes itself when it is over.
class DomainCall : public grpc::ClientBidiReactor<PredictDomainRequest,
                                                  PredictDomainResponse> {
 public:
  DomainCall(v1::DomainRouting::Stub& stub, const PredictDomainRequest& request,
             const LoadOptions& options, std::stop_token stop,
             LoadTarget::Done done)
      : done_(std::move(done)),
        on_stop_(std::move(stop), [this] { context_.TryCancel(); }) {
    PrepareContext(options, context_);
    stub.async()->PredictDomain(&context_, this);
    StartWriteLast(&request, grpc::WriteOptions());
    StartRead(&response_);
    StartCall();  // The last, since the call may be gone at any time after it.
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
    const LoadTarget::Done done = std::move(done_);
    const LoadOutcome outcome = std::move(outcome_);
    // First, because it refers to the channel: the last reference must not go
    // on a thread of gRPC's.
    delete this;
    done(outcome);
  }

 private:
  LoadTarget::Done done_;
  grpc::ClientContext context_;
  PredictDomainResponse response_;
  LoadOutcome outcome_;
  bool ended_ = false;
  const std::stop_callback<std::function<void()>> on_stop_;
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

absl::StatusOr<LoadTarget> OpenDomainTarget(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options) {
  const std::shared_ptr stub = v1::DomainRouting::NewStub(channel);
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
  return LoadTarget{.name = absl::StrCat(model.name(), " ", model.version()),
                    .send = [stub, options, request = std::move(request)](
                                std::stop_token stop, LoadTarget::Done done) {
                      // Deletes itself.
                      new DomainCall(*stub, request, options, std::move(stop),
                                     std::move(done));
                    }};
}

void SendInference(GRPCInferenceService::Stub& stub,
                   const ModelInferRequest& request, const LoadOptions& options,
                   std::stop_token stop, LoadTarget::Done done) {
  struct Call {
    grpc::ClientContext context = {};
    ModelInferResponse response = {};
    std::optional<std::stop_callback<std::function<void()>>> on_stop = {};
  };
  auto* const call = new Call;
  PrepareContext(options, call->context);
  call->on_stop.emplace(std::move(stop),
                        [context = &call->context] { context->TryCancel(); });
  stub.async()->ModelInfer(
      &call->context, &request, &call->response,
      [call, done = std::move(done)](const grpc::Status& status) {
        // First, because it refers to the channel: the last reference must not
        // go on a thread of gRPC's.
        delete call;
        done({.status = FromGrpc(status)});
      });
}

// Inputs that may be left out. Only some servers say so; with others, none.
std::set<std::string> OptionalInputs(GRPCInferenceService::Stub& stub,
                                     const LoadOptions& options) {
  inference::ModelConfigRequest question;
  question.set_name(options.model);
  question.set_version(options.version);
  inference::ModelConfigResponse answer;
  grpc::ClientContext context;
  PrepareContext(options, context);
  std::set<std::string> names;
  if (!stub.ModelConfig(&context, question, &answer).ok()) return names;
  for (const inference::ModelInput& input : answer.config().input()) {
    if (input.optional()) names.insert(input.name());
  }
  return names;
}

// The shape of a request's tensor. The first dimension, if it is open, is that
// of the samples; a model without one takes one sample at a time.
absl::StatusOr<std::vector<int64_t>> ShapeOf(const TensorMetadata& input,
                                             const LoadOptions& options) {
  std::vector<int64_t> shape(input.shape().begin(), input.shape().end());
  if (!shape.empty() && shape[0] <= 0) {
    shape[0] = static_cast<int64_t>(options.samples);
  } else if (options.samples != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("samples: expected 1, since input \"", input.name(),
                     "\" [", absl::StrJoin(input.shape(), ", "),
                     "] has no dimension for more, got ", options.samples));
  }
  return ResolveShape(input.name(), shape, options.dynamic_size);
}

// Pictures in the protocol's raw form: each after its length, little-endian.
absl::StatusOr<std::string> PictureBytes(const TensorMetadata& input,
                                         const std::vector<int64_t>& shape,
                                         const LoadOptions& options) {
  if (options.picture.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("picture: expected one, since input \"", input.name(),
                     "\" takes files, got none"));
  }
  const auto size = static_cast<uint32_t>(options.picture.size());
  std::string element;
  for (int shift = 0; shift < 32; shift += 8) {
    element.push_back(static_cast<char>(size >> shift & 0xff));
  }
  absl::StrAppend(&element, options.picture);
  int64_t num_elements = 1;
  for (const int64_t side : shape) num_elements *= side;
  std::string bytes;
  for (int64_t i = 0; i < num_elements; ++i) absl::StrAppend(&bytes, element);
  return bytes;
}

absl::Status AddInput(const TensorMetadata& input, const LoadOptions& options,
                      ModelInferRequest& request) {
  LADDER_ASSIGN_OR_RETURN(const auto shape, ShapeOf(input, options));
  LADDER_ASSIGN_OR_RETURN(
      std::string bytes,
      input.datatype() == "BYTES"
          ? PictureBytes(input, shape, options)
          : SyntheticTensor(input.datatype(), shape, options.seed));
  auto& tensor = *request.add_inputs();
  tensor.set_name(input.name());
  tensor.set_datatype(input.datatype());
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  request.add_raw_input_contents(std::move(bytes));
  return absl::OkStatus();
}

absl::StatusOr<LoadTarget> OpenInferenceTarget(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options) {
  const std::shared_ptr stub = GRPCInferenceService::NewStub(channel);
  inference::ModelMetadataRequest question;
  question.set_name(options.model);
  question.set_version(options.version);
  inference::ModelMetadataResponse model;
  grpc::ClientContext context;
  PrepareContext(options, context);
  const grpc::Status status = stub->ModelMetadata(&context, question, &model);
  if (!status.ok()) return FromGrpc(status);

  ModelInferRequest request;
  request.set_model_name(options.model);
  request.set_model_version(options.version);
  const std::set<std::string> may_miss = OptionalInputs(*stub, options);
  for (const TensorMetadata& input : model.inputs()) {
    if (may_miss.contains(input.name())) continue;
    LADDER_RETURN_IF_ERROR(AddInput(input, options, request));
  }
  if (!options.picture.empty() && request.inputs_size() > 0 &&
      request.inputs(0).datatype() != "BYTES") {
    return absl::InvalidArgumentError(absl::StrCat(
        "picture: expected none, since input \"", request.inputs(0).name(),
        "\" is ", request.inputs(0).datatype(), ", got one"));
  }
  std::string name = model.name();
  if (!options.version.empty()) absl::StrAppend(&name, " ", options.version);
  return LoadTarget{.name = std::move(name),
                    .send = [stub, options, request = std::move(request)](
                                std::stop_token stop, LoadTarget::Done done) {
                      SendInference(*stub, request, options, std::move(stop),
                                    std::move(done));
                    }};
}

}  // namespace

absl::StatusOr<LoadTarget> OpenLoadTarget(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options) {
  return options.protocol == LoadProtocol::kLadder
             ? OpenDomainTarget(channel, options)
             : OpenInferenceTarget(channel, options);
}

}  // namespace ladder::client
