#include "ladder/client/client.h"

#include <grpcpp/grpcpp.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/library/answer_check.h"
#include "client/library/call_status.h"
#include "client/library/connection.h"
#include "client/library/prediction_stream_impl.h"
#include "client/library/retry.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {
namespace {

absl::Status Always(const absl::Status&) { return absl::OkStatus(); }

// An error is that of `samples`. If the call ends early, its status says why.
absl::Status SendQuestion(const v1::RouteDomainRequest& request,
                          SampleReader& samples, AnswerCheck& check,
                          grpc::ClientWriter<v1::RouteDomainRequest>& stream) {
  // Goes out with the first samples.
  bool is_open = stream.Write(request, grpc::WriteOptions().set_buffer_hint());
  while (is_open) {
    LADDER_ASSIGN_OR_RETURN(std::optional<v1::Samples> chunk, samples.Next());
    if (!chunk.has_value()) break;
    check.OnSend(*chunk);
    v1::RouteDomainRequest message;
    *message.mutable_samples() = *std::move(chunk);
    is_open = stream.Write(message);
  }
  return absl::OkStatus();
}

}  // namespace

class Client::Impl {
 public:
  Impl(ClientOptions options, std::shared_ptr<grpc::Channel> channel)
      : options_(std::move(options)),
        channel_(std::move(channel)),
        stub_(v1::DomainRouting::NewStub(channel_)) {}

  const ClientOptions& options() const { return options_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  v1::DomainRouting::Stub& stub() const { return *stub_; }

  // One attempt of a call with one answer; `make` makes it.
  template <typename Make>
  absl::Status CallOnce(const CallOptions& call, Make make) const {
    grpc::ClientContext context;
    Prepare(options_, call, context);
    const std::stop_callback cancel(call.stop, [&] { context.TryCancel(); });
    const grpc::Status status = make(context);
    return CallStatus(status, context, call.stop.stop_requested());
  }

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (v1::DomainRouting::Stub::*method)(
                                    grpc::ClientContext*, const Request&,
                                    Response*),
                                const Request& request,
                                const CallOptions& call) const {
    Response response;
    const absl::Status status = Retry(
        options_.retry, call,
        [&](const CallOptions& once) {
          return Outcome{CallOnce(once, [&](grpc::ClientContext& context) {
            return (stub_.get()->*method)(&context, request, &response);
          })};
        },
        Always);
    if (!status.ok()) return status;
    return response;
  }

 private:
  const ClientOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::DomainRouting::Stub> stub_;
};

absl::StatusOr<Client> Client::Open(const ClientOptions& options) {
  LADDER_ASSIGN_OR_RETURN(auto channel, MakeChannel(options));
  return Client(std::make_shared<const Impl>(options, std::move(channel)));
}

Client::Client(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

PredictionStream Client::Predict(const CallOptions& call) const {
  return PredictionStream(std::make_unique<PredictionStream::Impl>(
      impl_->stub(), impl_->options(), call));
}

absl::StatusOr<v1::RouteDomainResponse> Client::Route(
    const v1::RouteDomainRequest& request, SampleReader& samples,
    const CallOptions& call) const {
  v1::RouteDomainResponse response;
  const auto attempt = [&](const CallOptions& once) {
    absl::Status unreadable;
    AnswerCheck check(request.group(), /*options=*/{});
    absl::Status status =
        impl_->CallOnce(once, [&](grpc::ClientContext& context) {
          const auto stream = impl_->stub().RouteDomain(&context, &response);
          unreadable = SendQuestion(request, samples, check, *stream);
          if (!unreadable.ok()) context.TryCancel();
          stream->WritesDone();
          return stream->Finish();
        });
    // Tells more than that the call was cancelled.
    if (!unreadable.ok()) return Outcome{unreadable, /*is_ours=*/true};
    if (status.ok()) status = check.Check(request, response);
    return Outcome{status};
  };
  const absl::Status status =
      Retry(impl_->options().retry, call, attempt,
            [&](const absl::Status&) { return samples.Rewind(); });
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<v1::ListModelsResponse> Client::ListModels(
    const CallOptions& call) const {
  return impl_->Call(&v1::DomainRouting::Stub::ListModels,
                     v1::ListModelsRequest(), call);
}

absl::StatusOr<v1::GetModelResponse> Client::GetModel(
    const v1::ModelRef& model, const CallOptions& call) const {
  v1::GetModelRequest request;
  *request.mutable_model() = model;
  return impl_->Call(&v1::DomainRouting::Stub::GetModel, request, call);
}

absl::StatusOr<v1::ReloadModelResponse> Client::ReloadModel(
    const v1::ReloadModelRequest& request, const CallOptions& call) const {
  return impl_->Call(&v1::DomainRouting::Stub::ReloadModel, request, call);
}

absl::Status Client::CheckHealth(const std::string& service,
                                 const CallOptions& call) const {
  using grpc::health::v1::HealthCheckResponse;
  const auto stub = grpc::health::v1::Health::NewStub(impl_->channel());
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  HealthCheckResponse response;
  const absl::Status status =
      impl_->CallOnce(call, [&](grpc::ClientContext& context) {
        return stub->Check(&context, request, &response);
      });
  if (!status.ok()) return status;
  if (response.status() == HealthCheckResponse::SERVING) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      absl::StrCat("expected SERVING, got ",
                   HealthCheckResponse::ServingStatus_Name(response.status())));
}

const ClientOptions& Client::options() const { return impl_->options(); }

const std::shared_ptr<grpc::Channel>& Client::channel() const {
  return impl_->channel();
}

}  // namespace ladder::client
