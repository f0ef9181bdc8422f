#include "ladder/client/prediction_stream.h"

#include <utility>

#include "client/library/call_status.h"
#include "client/library/connection.h"
#include "client/library/prediction_stream_impl.h"

namespace ladder::client {
namespace {

// The context has to have its deadline before the stream is made.
grpc::ClientContext* Prepared(const ClientOptions& options,
                              const CallOptions& call,
                              grpc::ClientContext& context) {
  Prepare(options, call, context);
  return &context;
}

}  // namespace

PredictionStream::Impl::Impl(v1::DomainRouting::Stub& stub,
                             const ClientOptions& options,
                             const CallOptions& call)
    : on_stop_(call.stop, [this] { Cancel(); }),
      stream_(stub.PredictDomain(Prepared(options, call, context_))) {}

PredictionStream::Impl::~Impl() {
  if (finished_.has_value()) return;
  Cancel();
  Finish().IgnoreError();
}

void PredictionStream::Impl::ContinueOnGroupError() {
  const std::lock_guard lock(send_mutex_);
  continue_on_group_error_ = true;
}

absl::Status PredictionStream::Impl::Write(v1::PredictDomainRequest request,
                                           grpc::WriteOptions options) {
  const std::lock_guard lock(send_mutex_);
  if (input_closed_) {
    return absl::FailedPreconditionError(
        "expected nothing to be sent after the input was closed");
  }
  // The server looks at the first message's.
  request.set_continue_on_group_error(
      std::exchange(continue_on_group_error_, false));
  if (stream_->Write(request, options)) return absl::OkStatus();
  has_ended_ = true;
  return absl::UnavailableError("the call has ended");
}

void PredictionStream::Impl::CloseInput() {
  const std::lock_guard lock(send_mutex_);
  if (!std::exchange(input_closed_, true)) stream_->WritesDone();
}

std::optional<v1::PredictDomainResponse> PredictionStream::Impl::Read() {
  v1::PredictDomainResponse response;
  if (finished_.has_value() || !stream_->Read(&response)) return std::nullopt;
  return response;
}

absl::Status PredictionStream::Impl::Finish() {
  if (finished_.has_value()) return *finished_;
  CloseInput();
  // A call does not end before its last answer was read.
  while (Read().has_value()) {
  }
  const grpc::Status status = stream_->Finish();
  finished_ = CallStatus(status, context_, is_cancelled_);
  return *finished_;
}

void PredictionStream::Impl::Cancel() {
  // It would take the place of the status that the server has sent.
  if (has_ended_) return;
  is_cancelled_ = true;
  context_.TryCancel();
}

PredictionStream::PredictionStream(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
PredictionStream::PredictionStream(PredictionStream&&) noexcept = default;
PredictionStream& PredictionStream::operator=(PredictionStream&&) noexcept =
    default;
PredictionStream::~PredictionStream() = default;

void PredictionStream::ContinueOnGroupError() { impl_->ContinueOnGroupError(); }

absl::Status PredictionStream::Begin(const std::string& group,
                                     v1::GroupOptions options) {
  v1::PredictDomainRequest request;
  request.set_group(group);
  *request.mutable_options() = std::move(options);
  // Goes out with the first samples.
  return impl_->Write(std::move(request),
                      grpc::WriteOptions().set_buffer_hint());
}

absl::Status PredictionStream::Send(const std::string& group,
                                    v1::Samples samples) {
  v1::PredictDomainRequest request;
  request.set_group(group);
  *request.mutable_samples() = std::move(samples);
  return impl_->Write(std::move(request));
}

absl::Status PredictionStream::End(const std::string& group) {
  v1::PredictDomainRequest request;
  request.set_group(group);
  request.set_end_of_group(true);
  return impl_->Write(std::move(request));
}

void PredictionStream::CloseInput() { impl_->CloseInput(); }

std::optional<v1::PredictDomainResponse> PredictionStream::Read() {
  return impl_->Read();
}

absl::Status PredictionStream::Finish() { return impl_->Finish(); }

void PredictionStream::Cancel() { impl_->Cancel(); }

}  // namespace ladder::client
