#include <grpcpp/support/client_callback.h>

#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "client/command/load/load_target.h"
#include "client/command/load/synthetic_samples.h"
#include "inference/grpc_service.grpc.pb.h"

namespace ladder::client {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using TensorMetadata = inference::ModelMetadataResponse::TensorMetadata;

using Done = std::function<void(LoadOutcome)>;

class InferenceTarget : public LoadTarget {
 public:
  InferenceTarget(std::unique_ptr<GRPCInferenceService::Stub> stub,
                  const LoadOptions& options, ModelInferRequest request,
                  std::string name)
      : stub_(std::move(stub)),
        options_(options),
        request_(std::move(request)),
        name_(std::move(name)) {}

  void Send(std::stop_token stop, Done done) override {
    struct Call {
      grpc::ClientContext context = {};
      ModelInferResponse response = {};
      std::optional<std::stop_callback<std::function<void()>>> on_stop = {};
    };
    auto* const call = new Call;
    PrepareContext(options_, call->context);
    call->on_stop.emplace(std::move(stop),
                          [context = &call->context] { context->TryCancel(); });
    stub_->async()->ModelInfer(
        &call->context, &request_, &call->response,
        [call, done = std::move(done)](const grpc::Status& status) {
          // First, because it refers to the channel: the last reference must
          // not go on a thread of gRPC's.
          delete call;
          done({.status = FromGrpc(status)});
        });
  }

  std::string Name() const override { return name_; }

 private:
  const std::unique_ptr<GRPCInferenceService::Stub> stub_;
  const LoadOptions options_;
  const ModelInferRequest request_;
  const std::string name_;
};

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

}  // namespace

absl::StatusOr<std::unique_ptr<LoadTarget>> OpenInferenceTarget(
    std::shared_ptr<grpc::Channel> channel, const LoadOptions& options) {
  auto stub = GRPCInferenceService::NewStub(channel);
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
  return std::make_unique<InferenceTarget>(std::move(stub), options,
                                           std::move(request), std::move(name));
}

}  // namespace ladder::client
