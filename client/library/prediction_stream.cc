#include "ladder/client/prediction_stream.h"

#include <utility>

#include "base/system/mutex.h"
#include "client/library/call_status.h"
#include "client/library/connection.h"
#include "client/library/prediction_stream_impl.h"

namespace ladder::client {
namespace {

// What may wait beside the message that is being written: enough that small
// messages do not wake the sender one by one. One may wait whatever its size.
constexpr size_t kQueuedBytes = size_t{1} << 20;

}  // namespace

PredictionStream::Impl::Impl(v1::DomainRouting::Stub& stub,
                             const ClientOptions& options,
                             const CallOptions& call)
    : on_stop_(call.stop, [this] { Cancel(); }) {
  Prepare(options, call, context_);
  stub.async()->PredictDomain(&context_, this);
  // Until Finish: reads and writes are begun outside of gRPC's own threads.
  AddHold();
  StartRead(&answer_);
  StartCall();
}

PredictionStream::Impl::~Impl() {
  if (finished_.has_value()) return;
  Cancel();
  Finish().IgnoreError();
}

void PredictionStream::Impl::ContinueOnGroupError() {
  const base::MutexLock lock(mutex_);
  continue_on_group_error_ = true;
}

bool PredictionStream::Impl::HasRoom() const {
  return queue_.size() < 2 || queued_bytes_ < kQueuedBytes;
}

absl::Status PredictionStream::Impl::Write(v1::PredictDomainRequest request,
                                           grpc::WriteOptions options) {
  const size_t bytes = request.ByteSizeLong();
  base::MutexLock lock(mutex_);
  room_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return has_ended_ || input_closed_ || HasRoom();
  });
  if (input_closed_) {
    return absl::FailedPreconditionError(
        "expected nothing to be sent after the input was closed");
  }
  if (has_ended_) return absl::UnavailableError("the call has ended");
  // The server looks at the first message's.
  request.set_continue_on_group_error(
      std::exchange(continue_on_group_error_, false));
  queue_.push_back({std::move(request), options, bytes});
  queued_bytes_ += bytes;
  if (queue_.size() == 1) WriteNext();
  return absl::OkStatus();
}

void PredictionStream::Impl::WriteNext() {
  if (!queue_.empty()) {
    StartWrite(&queue_.front().request, queue_.front().options);
  } else if (input_closed_) {
    StartWritesDone();
  }
}

void PredictionStream::Impl::OnWriteDone(bool ok) {
  const base::MutexLock lock(mutex_);
  if (ok) {
    queued_bytes_ -= queue_.front().bytes;
    queue_.pop_front();
    WriteNext();
  } else {
    has_ended_ = true;
    queue_.clear();
  }
  if (has_ended_ || HasRoom()) room_.notify_all();
}

void PredictionStream::Impl::CloseInput() {
  const base::MutexLock lock(mutex_);
  if (std::exchange(input_closed_, true)) return;
  if (queue_.empty() && !has_ended_) WriteNext();
  room_.notify_all();
}

std::optional<v1::PredictDomainResponse> PredictionStream::Impl::Read() {
  base::MutexLock lock(mutex_);
  answered_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return reading_ != Reading::kUnderWay;
  });
  if (reading_ == Reading::kEnded) return std::nullopt;
  std::optional<v1::PredictDomainResponse> answer =
      std::exchange(answer_, v1::PredictDomainResponse());
  reading_ = Reading::kUnderWay;
  StartRead(&answer_);
  return answer;
}

void PredictionStream::Impl::OnReadDone(bool ok) {
  const base::MutexLock lock(mutex_);
  reading_ = ok ? Reading::kDone : Reading::kEnded;
  answered_.notify_all();
}

absl::Status PredictionStream::Impl::Finish() {
  if (finished_.has_value()) return *finished_;
  CloseInput();
  // A call does not end before its last answer was read.
  while (Read().has_value()) {
  }
  RemoveHold();
  base::MutexLock lock(mutex_);
  answered_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return done_.has_value();
  });
  finished_ = CallStatus(*done_, context_, is_cancelled_);
  return *finished_;
}

void PredictionStream::Impl::OnDone(const grpc::Status& status) {
  const base::MutexLock lock(mutex_);
  done_ = status;
  // Under the lock: who waits may destroy this once it is released.
  answered_.notify_all();
}

void PredictionStream::Impl::Cancel() {
  const base::MutexLock lock(mutex_);
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
