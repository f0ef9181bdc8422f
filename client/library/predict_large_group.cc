#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "client/library/retry.h"
#include "ladder/client/predict_group.h"

namespace ladder::client {
namespace {

// Samples that are in memory.
class SegmentReader final : public SampleReader {
 public:
  explicit SegmentReader(const std::vector<v1::Samples>& chunks)
      : chunks_(chunks) {}

  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    if (next_ == chunks_.size()) return std::nullopt;
    return chunks_[next_++];
  }
  absl::Status Rewind() override {
    next_ = 0;
    return absl::OkStatus();
  }

 private:
  const std::vector<v1::Samples>& chunks_;
  size_t next_ = 0;
};

// What the answers for a segment were.
class SegmentAnswers final : public AnswerSink {
 public:
  absl::Status OnAnswer(v1::PredictDomainResponse answer) override {
    answers_.push_back(std::move(answer));
    return absl::OkStatus();
  }
  void OnRestart(const absl::Status&) override { answers_.clear(); }

  std::vector<v1::PredictDomainResponse> Take() { return std::move(answers_); }

 private:
  std::vector<v1::PredictDomainResponse> answers_;
};

using Answers = absl::StatusOr<std::vector<v1::PredictDomainResponse>>;

// One attempt: cuts a group into segments. The samples are read by one thread,
// and each segment is predicted on a stream of its own.
class LargeGroup {
 public:
  LargeGroup(const Client& client, const GroupRequest& request,
             AnswerSink& sink, const LargeGroupOptions& options,
             const CallOptions& call)
      : client_(client),
        asked_(request.options.model()),
        request_(request),
        sink_(sink),
        options_(options),
        deadline_(absl::Now() + call.timeout),
        on_stop_(call.stop, [this] { stop_.request_stop(); }) {}

  // What is still under way is not waited for longer than it takes to stop.
  ~LargeGroup() { stop_.request_stop(); }

  Outcome Run(SampleReader& samples) {
    absl::Status status = Route(samples);
    if (!status.ok()) return {status, /*is_ours=*/true};
    status = Predict(samples);
    if (!is_replaced_) return {status, /*is_ours=*/true};
    // Worth another attempt, with whatever is served then.
    return {absl::UnavailableError(absl::StrCat(
        "version ", routing_.routing().version(), " of model ",
        routing_.routing().model(),
        " was replaced while the group was predicted: ", status.message()))};
  }

 private:
  CallOptions NextCall() const {
    return {.timeout = deadline_ - absl::Now(), .stop = stop_.get_token()};
  }

  uint64_t num_answered() const {
    return end_.num_predicted() + end_.num_rejected();
  }

  absl::Status Predict(SampleReader& samples) {
    LADDER_RETURN_IF_ERROR(samples.Rewind());
    while (!is_read_) LADDER_RETURN_IF_ERROR(SendSegment(samples));
    while (!under_way_.empty()) LADDER_RETURN_IF_ERROR(TakeOldest());
    if (num_answered() != num_routed_) {
      return absl::DataLossError(
          absl::StrCat("expected as many samples again as were routed, ",
                       num_routed_, ", got ", num_answered()));
    }
    LADDER_RETURN_IF_ERROR(PassRouting());
    v1::PredictDomainResponse answer;
    answer.set_group(request_.group);
    *answer.mutable_end() = end_;
    return sink_.OnAnswer(std::move(answer));
  }

  // Whether a segment has failed because its version is not served any more,
  // though the caller would take another.
  bool IsReplaced(const absl::Status& status) const {
    if (asked_.has_version()) return false;
    if (absl::IsNotFound(status)) return true;
    if (!absl::IsUnavailable(status)) return false;
    // So is a version that is being unloaded.
    const auto model = client_.GetModel(asked_, NextCall());
    return model.ok() && model->version() != routing_.routing().version();
  }

  // Asks for the weights, and makes them those of all segments.
  absl::Status Route(SampleReader& samples) {
    v1::RouteDomainRequest route;
    route.set_group(request_.group);
    route.set_fail_on_bad_sample(request_.options.fail_on_bad_sample());
    v1::RouteQuestion& question = *route.add_questions();
    *question.mutable_model() = request_.options.model();
    *question.mutable_routing() = request_.options.routing();
    question.set_min_samples(request_.options.min_samples());
    question.set_fallback(request_.options.fallback());
    if (request_.options.has_soften_factor()) {
      question.set_soften_factor(request_.options.soften_factor());
    }
    LADDER_ASSIGN_OR_RETURN(v1::RouteDomainResponse response,
                            client_.Route(route, samples, NextCall()));
    num_routed_ = response.routings(0).num_samples() +
                  static_cast<uint64_t>(response.rejected_size());
    routing_.set_group(request_.group);
    *routing_.mutable_routing() = std::move(*response.mutable_routings(0));
    FixWeights(routing_.routing());
    return absl::OkStatus();
  }

  // Not before a segment has named the classes, if they were asked for.
  absl::Status PassRouting() {
    if (std::exchange(is_routing_passed_, true)) return absl::OkStatus();
    return sink_.OnAnswer(routing_);
  }

  void FixWeights(const v1::Routing& routing) {
    request_.options.mutable_model()->set_name(routing.model());
    request_.options.mutable_model()->set_version(routing.version());
    request_.options.clear_min_samples();
    request_.options.clear_route_after();
    // A segment may have no sample that can be read.
    request_.options.set_fallback(v1::FALLBACK_UNIFORM);
    v1::RoutingOptions& fixed = *request_.options.mutable_routing();
    if (routing.per_sample()) {
      // They depend on no other sample.
      fixed.set_skip_diagnostics(true);
      return;
    }
    fixed.Clear();
    fixed.set_method(v1::METHOD_FIXED);
    fixed.set_skip_diagnostics(true);
    for (const v1::SourceWeight& source : routing.sources()) {
      if (source.weight() > 0) {
        (*fixed.mutable_fixed_by_source())[source.source()] = source.weight();
      }
    }
  }

  absl::Status SendSegment(SampleReader& samples) {
    std::vector<v1::Samples> chunks;
    size_t num_samples = 0;
    size_t num_bytes = 0;
    while (num_samples < options_.segment_samples &&
           num_bytes < options_.segment_bytes) {
      LADDER_ASSIGN_OR_RETURN(std::optional<v1::Samples> chunk, samples.Next());
      is_read_ = !chunk.has_value();
      if (is_read_) break;
      num_samples += NumSamples(*chunk);
      num_bytes += chunk->ByteSizeLong();
      chunks.push_back(*std::move(chunk));
    }
    if (chunks.empty()) return absl::OkStatus();
    if (under_way_.size() == options_.num_streams) {
      LADDER_RETURN_IF_ERROR(TakeOldest());
    }
    under_way_.push_back(std::async(
        std::launch::async,
        [this, chunks = std::move(chunks)] { return PredictSegment(chunks); }));
    return absl::OkStatus();
  }

  Answers PredictSegment(const std::vector<v1::Samples>& chunks) const {
    SegmentReader reader(chunks);
    SegmentAnswers answers;
    LADDER_RETURN_IF_ERROR(
        PredictGroup(client_, request_, reader, answers, NextCall()));
    return answers.Take();
  }

  // Passes on what became of the oldest segment, as if there were none.
  absl::Status TakeOldest() {
    Answers answers = under_way_.front().get();
    under_way_.pop_front();
    if (!answers.ok()) {
      is_replaced_ = IsReplaced(answers.status());
      return answers.status();
    }
    const uint64_t begin = num_answered();
    for (v1::PredictDomainResponse& answer : *answers) {
      if (answer.has_routing()) {
        LADDER_RETURN_IF_ERROR(TakeRouting(answer.routing()));
        continue;
      }
      if (answer.has_end()) {
        end_.set_num_predicted(end_.num_predicted() +
                               answer.end().num_predicted());
        end_.set_num_rejected(end_.num_rejected() +
                              answer.end().num_rejected());
        continue;
      }
      v1::Predictions& predictions = *answer.mutable_predictions();
      predictions.set_first_index(predictions.first_index() + begin);
      for (uint64_t& index : *predictions.mutable_indices()) index += begin;
      for (v1::RejectedSample& sample : *predictions.mutable_rejected()) {
        sample.set_index(sample.index() + begin);
      }
      LADDER_RETURN_IF_ERROR(sink_.OnAnswer(std::move(answer)));
    }
    return absl::OkStatus();
  }

  absl::Status TakeRouting(const v1::Routing& segment) {
    v1::Routing& whole = *routing_.mutable_routing();
    if (segment.sha256() != whole.sha256()) {
      return absl::DataLossError(absl::StrCat(
          "expected version ", whole.version(), " of model ", whole.model(),
          " to be the same wherever it is served, got ", segment.sha256(),
          " for ", whole.sha256()));
    }
    *whole.mutable_classes() = segment.classes();
    return PassRouting();
  }

  const Client& client_;
  const v1::ModelRef asked_;
  GroupRequest request_;  // What segments ask for, once it is routed.
  AnswerSink& sink_;
  const LargeGroupOptions options_;
  std::stop_source stop_;
  const absl::Time deadline_;
  const std::stop_callback<std::function<void()>> on_stop_;
  v1::PredictDomainResponse routing_;
  uint64_t num_routed_ = 0;
  bool is_routing_passed_ = false;
  bool is_replaced_ = false;
  bool is_read_ = false;
  v1::GroupEnd end_;  // So far.
  std::deque<std::future<Answers>> under_way_;
};

}  // namespace

absl::Status PredictLargeGroup(const Client& client,
                               const GroupRequest& request,
                               SampleReader& samples, AnswerSink& sink,
                               const LargeGroupOptions& options,
                               const CallOptions& call) {
  if (options.num_streams == 0 || options.segment_samples == 0 ||
      options.segment_bytes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "large group: expected at least one stream, and one sample and byte in "
        "a segment, got ",
        options.num_streams, ", ", options.segment_samples, " and ",
        options.segment_bytes));
  }
  return Retry(
      client.options().retry, call,
      [&](const CallOptions& once) {
        return LargeGroup(client, request, sink, options, once).Run(samples);
      },
      [&](const absl::Status& why) {
        sink.OnRestart(why);
        return samples.Rewind();
      });
}

}  // namespace ladder::client
