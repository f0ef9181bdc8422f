#include "ladder/client/predict_group.h"

#include <optional>
#include <thread>
#include <utility>

#include "base/status_macros.h"
#include "client/library/answer_check.h"
#include "client/library/retry.h"

namespace ladder::client {
namespace {

// One attempt.
class GroupCall {
 public:
  GroupCall(const Client& client, const GroupRequest& request,
            SampleReader& samples, AnswerSink& sink, const CallOptions& call)
      : request_(request),
        samples_(samples),
        sink_(sink),
        check_(request.group, request.options),
        stream_(client.Predict(call)) {}

  Outcome Run() {
    std::jthread sender([this] { SendAll(); });
    const absl::Status refused = ReadAll();
    sender.join();
    absl::Status status = stream_.Finish();
    // Our own reasons to cancel tell more than that the call was cancelled.
    if (!unreadable_.ok()) return {unreadable_, /*is_ours=*/true};
    if (!refused.ok()) return {refused, /*is_ours=*/true};
    if (status.ok()) status = check_.CheckComplete();
    return {status};
  }

 private:
  void SendAll() {
    absl::Status status = stream_.Begin(request_.group, request_.options);
    while (status.ok()) {
      absl::StatusOr<std::optional<v1::Samples>> chunk = samples_.Next();
      if (!chunk.ok()) {
        unreadable_ = chunk.status();
        stream_.Cancel();
        return;
      }
      if (!chunk->has_value()) return stream_.CloseInput();
      check_.OnSend(**chunk);
      status = stream_.Send(request_.group, **std::move(chunk));
    }
    // The call has ended; its status says why.
  }

  // What we or the sink had against an answer.
  absl::Status ReadAll() {
    while (std::optional<v1::PredictDomainResponse> answer = stream_.Read()) {
      absl::Status refused = Take(*std::move(answer));
      if (!refused.ok()) {
        stream_.Cancel();
        return refused;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Take(v1::PredictDomainResponse answer) {
    LADDER_RETURN_IF_ERROR(check_.Check(answer));
    return sink_.OnAnswer(std::move(answer));
  }

  const GroupRequest& request_;
  SampleReader& samples_;
  AnswerSink& sink_;
  AnswerCheck check_;
  PredictionStream stream_;
  absl::Status unreadable_;  // The sender's until it has ended.
};

}  // namespace

absl::Status PredictGroup(const Client& client, const GroupRequest& request,
                          SampleReader& samples, AnswerSink& sink,
                          const CallOptions& call) {
  return Retry(
      client.options().retry, call,
      [&](const CallOptions& once) {
        return GroupCall(client, request, samples, sink, once).Run();
      },
      [&](const absl::Status& why) {
        sink.OnRestart(why);
        return samples.Rewind();
      });
}

}  // namespace ladder::client
