#include "ladder/client/predict_group.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
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
        stream_(client.Predict(call)) {}

  Outcome Run() {
    std::jthread sender([this] { SendAll(); });
    const absl::Status refused = ReadAll();
    sender.join();
    absl::Status status = stream_.Finish();
    // Our own reasons to cancel tell more than that the call was cancelled.
    if (!unreadable_.ok()) return {unreadable_, /*is_ours=*/true};
    if (!refused.ok()) return {refused, /*is_ours=*/true};
    if (status.ok()) status = CheckCount();
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
      num_sent_ += NumSamples(**chunk);
      status = stream_.Send(request_.group, **std::move(chunk));
    }
    // The call has ended; its status says why.
  }

  // What the sink had against an answer.
  absl::Status ReadAll() {
    while (std::optional<v1::PredictDomainResponse> answer = stream_.Read()) {
      num_answered_ +=
          static_cast<uint64_t>(answer->predictions().labels_size() +
                                answer->predictions().rejected_size());
      has_ended_ |= answer->has_end();
      absl::Status refused = sink_.OnAnswer(*std::move(answer));
      if (!refused.ok()) {
        stream_.Cancel();
        return refused;
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckCount() const {
    if (!has_ended_) {
      return absl::DataLossError(
          "expected the end of the group, the call ended without it");
    }
    if (num_answered_ == num_sent_) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("expected answers for ", num_sent_,
                                            " samples, got ", num_answered_));
  }

  const GroupRequest& request_;
  SampleReader& samples_;
  AnswerSink& sink_;
  PredictionStream stream_;
  // The sender's until it has ended.
  uint64_t num_sent_ = 0;
  absl::Status unreadable_;

  uint64_t num_answered_ = 0;
  bool has_ended_ = false;
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
