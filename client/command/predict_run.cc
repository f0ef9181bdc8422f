#include "client/command/predict_run.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/system/mutex.h"
#include "base/terminal/bars.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"
#include "client/command/input/read_ahead.h"
#include "client/command/output/data_file.h"
#include "client/command/output/message_text.h"
#include "ladder/client/predict_group.h"

namespace ladder::client {
namespace {

constexpr size_t kTopWeights = 3;
constexpr int kRejectedColumn = 2;  // Of the summary.

// Whether the other groups would fail like this as well.
bool EndsTheRun(const absl::Status& status) {
  if (IsWriteError(status)) return true;
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kNotFound:
      return true;
    default:
      return false;
  }
}

// The progress of all workers.
class Progress {
 public:
  Progress(const Input& input, const Output& output, ProgressLine& line)
      : line_(line) {
    progress_.groups_total = input.num_groups();
    progress_.samples_total = input.num_samples();
    for (size_t i = 0; i < input.num_groups(); ++i) {
      if (!output.FinishedSamples(input.group_name(i)).has_value()) continue;
      ++progress_.groups_done;
      progress_.samples_done += input.num_samples(i);
    }
    line_.Update(progress_);
  }

  void OnRetry(const std::string& group, const absl::Status& why) {
    const base::MutexLock lock(mutex_);
    ++progress_.retries;
    line_.Message(absl::StrCat(
        "group ", group, ": trying again: ", absl::string_view(why.message())));
    line_.Update(progress_);
  }

  void OnOutcome(const GroupOutcome& outcome, size_t num_samples) {
    const base::MutexLock lock(mutex_);
    ++progress_.groups_done;
    progress_.samples_done += num_samples;
    progress_.rejected += outcome.num_rejected;
    if (outcome.verdict == "OUT") ++progress_.out_of_coverage;
    if (!outcome.status.ok()) {
      ++progress_.failed;
      line_.Message(absl::StrCat("group ", outcome.group, ": ",
                                 outcome.status.message()));
    }
    line_.Update(progress_);
  }

 private:
  base::Mutex mutex_;
  ProgressLine& line_ ABSL_GUARDED_BY(mutex_);
  UploadProgress progress_ ABSL_GUARDED_BY(mutex_);
};

// Puts a group's answers into its spool.
class SpoolSink final : public AnswerSink {
 public:
  SpoolSink(GroupSpool& spool, Progress& progress)
      : spool_(spool), progress_(progress) {}

  absl::Status OnAnswer(v1::PredictDomainResponse answer) override {
    if (answer.has_routing()) routing_ = std::move(*answer.mutable_routing());
    if (answer.has_predictions()) return spool_.Add(answer.predictions());
    return absl::OkStatus();
  }

  void OnRestart(const absl::Status& why) override {
    spool_.Discard();
    progress_.OnRetry(spool_.group(), why);
  }

  const v1::Routing& routing() const { return routing_; }

 private:
  GroupSpool& spool_;
  Progress& progress_;
  v1::Routing routing_;
};

void Describe(const v1::Routing& routing, GroupOutcome& outcome) {
  outcome.top_weights = TopWeights(routing, kTopWeights);
  outcome.verdict = VerdictName(routing);
  outcome.effective_experts = routing.effective_experts();
  if (routing.has_fallback()) {
    outcome.fallback = FallbackName(routing.fallback().fallback());
  }
}

class PredictRun {
 public:
  PredictRun(const Client& client, const Input& input, Output& output,
             const PredictOptions& options, const CallOptions& call,
             ProgressLine& progress)
      : client_(client),
        input_(input),
        output_(output),
        options_(options),
        call_(call),
        progress_(input, output, progress),
        outcomes_(input.num_groups()) {}

  std::vector<GroupOutcome> Run() {
    {
      std::vector<std::jthread> workers;
      for (size_t i = 0; i < std::max<size_t>(options_.concurrency, 1); ++i) {
        workers.emplace_back([this] { Work(); });
      }
    }
    std::vector<GroupOutcome> tried;
    for (std::optional<GroupOutcome>& outcome : outcomes_) {
      if (outcome.has_value()) tried.push_back(*std::move(outcome));
    }
    return tried;
  }

 private:
  void Work() {
    while (!over_ && !call_.stop.stop_requested()) {
      const size_t group = next_++;
      if (group >= input_.num_groups()) return;
      const std::string& name = input_.group_name(group);
      if (output_.FinishedSamples(name).has_value()) continue;
      GroupOutcome& outcome = outcomes_[group].emplace();
      outcome.group = name;
      outcome.status = Predict(group, outcome);
      if (EndsTheRun(outcome.status)) over_ = true;
      progress_.OnOutcome(outcome, input_.num_samples(group));
    }
  }

  absl::Status Predict(size_t group, GroupOutcome& outcome) {
    const absl::Time start = absl::Now();
    const std::unique_ptr<SampleReader> samples =
        ReadAhead(input_.Open(group), options_.read_ahead_bytes);
    const std::unique_ptr<GroupSpool> spool = output_.NewSpool(outcome.group);
    SpoolSink sink(*spool, progress_);
    const GroupRequest request = {.group = outcome.group,
                                  .options = options_.group};
    absl::Status status =
        input_.num_samples(group) > options_.large_group_samples
            ? PredictLargeGroup(client_, request, *samples, sink,
                                /*options=*/{}, call_)
            : PredictGroup(client_, request, *samples, sink, call_);
    outcome.elapsed = absl::Now() - start;
    if (!status.ok()) return WithRejected(status, group);
    outcome.num_samples = spool->num_samples();
    outcome.num_rejected = spool->num_rejected();
    Describe(sink.routing(), outcome);
    return output_.Commit(*spool, sink.routing(), outcome.elapsed);
  }

  // A group of bad pictures fails for want of samples, which the server counts
  // without them: asks which they are, and adds that to the error.
  absl::Status WithRejected(const absl::Status& status, size_t group) const {
    if (!absl::IsFailedPrecondition(status) || !input_.has_pictures()) {
      return status;
    }
    v1::RouteDomainRequest request;
    request.set_group(input_.group_name(group));
    v1::RouteQuestion& question = *request.add_questions();
    *question.mutable_model() = options_.group.model();
    question.mutable_routing()->set_method(v1::METHOD_UNIFORM);
    question.mutable_routing()->set_skip_diagnostics(true);
    question.set_fallback(v1::FALLBACK_UNIFORM);
    const auto response = client_.Route(request, *input_.Open(group), call_);
    if (!response.ok() || response->rejected().empty()) return status;
    const v1::RejectedSample& first = response->rejected(0);
    return absl::FailedPreconditionError(absl::StrCat(
        status.message(), "; the server rejected ", response->rejected_size(),
        " of ", input_.num_samples(group), " pictures, such as ", first.id(),
        ": ", first.reason(), ": ", first.message()));
  }

  const Client& client_;
  const Input& input_;
  Output& output_;
  const PredictOptions& options_;
  const CallOptions& call_;
  Progress progress_;
  std::atomic<size_t> next_ = 0;  // The group that nobody has taken yet.
  std::atomic<bool> over_ = false;
  std::vector<std::optional<GroupOutcome>>
      outcomes_;  // Set by the group's taker.
};

// Outcomes of lower rank have to be seen first.
int Rank(const GroupOutcome& outcome) {
  if (!outcome.status.ok()) return 0;
  return outcome.verdict == "OUT" ? 1 : 2;
}

// The `max_rows` outcomes with the lowest ranks, in their own order.
std::vector<const GroupOutcome*> Chosen(
    const std::vector<GroupOutcome>& outcomes, size_t max_rows) {
  std::vector<const GroupOutcome*> chosen;
  for (const GroupOutcome& outcome : outcomes) chosen.push_back(&outcome);
  if (chosen.size() <= max_rows) return chosen;
  std::stable_sort(
      chosen.begin(), chosen.end(),
      [](const auto* a, const auto* b) { return Rank(*a) < Rank(*b); });
  chosen.resize(max_rows);
  std::sort(chosen.begin(), chosen.end());  // They lie in one vector.
  return chosen;
}

uint64_t NumRejected(const std::vector<GroupOutcome>& outcomes) {
  uint64_t sum = 0;
  for (const GroupOutcome& outcome : outcomes) sum += outcome.num_rejected;
  return sum;
}

std::string Verdict(const GroupOutcome& outcome) {
  if (!outcome.status.ok()) return "failed";
  if (outcome.fallback.empty()) return outcome.verdict;
  return absl::StrCat(outcome.verdict, ", ", outcome.fallback);
}

}  // namespace

std::vector<GroupOutcome> PredictGroups(const Client& client,
                                        const Input& input, Output& output,
                                        const PredictOptions& options,
                                        const CallOptions& call,
                                        ProgressLine& progress) {
  return PredictRun(client, input, output, options, call, progress).Run();
}

std::string RenderSummary(const std::vector<GroupOutcome>& outcomes,
                          size_t max_rows, const base::Terminal& terminal) {
  const bool has_rejected = NumRejected(outcomes) > 0;
  std::vector<base::Column> columns = {
      {"group", base::ColumnKind::kText},
      {"n", base::ColumnKind::kNumber},
      {"rejected", base::ColumnKind::kNumber},
      {"coverage", base::ColumnKind::kFixed},
      {"experts", base::ColumnKind::kNumber},
      {"time", base::ColumnKind::kNumber},
      {"top weights", base::ColumnKind::kText}};
  if (!has_rejected) columns.erase(columns.begin() + kRejectedColumn);
  base::Table table(std::move(columns));
  for (const GroupOutcome* outcome : Chosen(outcomes, max_rows)) {
    const bool ok = outcome->status.ok();
    std::vector<base::Cell> row = {
        outcome->group,
        base::CountText(outcome->num_samples),
        base::CountText(outcome->num_rejected),
        base::Cell(Verdict(*outcome),
                   ok ? VerdictStyle(outcome->verdict) : base::Style::kBad),
        ok ? base::NumberText(outcome->effective_experts) : "-",
        base::DurationText(outcome->elapsed),
        ok ? base::ShareBars(outcome->top_weights, outcome->top_weights.size(),
                             kWeightBarWidth, terminal.utf8)
           : std::string(outcome->status.message())};
    if (!has_rejected) row.erase(row.begin() + kRejectedColumn);
    table.AddRow(std::move(row));
  }
  std::string text = table.Render(terminal);
  if (outcomes.size() > max_rows) {
    absl::StrAppend(&text, base::CountText(outcomes.size() - max_rows),
                    " more groups are in the routing file.\n");
  }
  return text;
}

std::string SummaryLine(const std::vector<GroupOutcome>& outcomes) {
  if (outcomes.empty()) return "nothing was left to do";
  uint64_t num_samples = 0;
  size_t num_failed = 0;
  std::map<std::string, size_t> verdicts;
  for (const GroupOutcome& outcome : outcomes) {
    num_samples += outcome.num_samples;
    if (outcome.status.ok()) {
      ++verdicts[outcome.verdict];
    } else {
      ++num_failed;
    }
  }
  std::vector<std::string> counts;
  for (const char* verdict : {"IN", "EDGE", "OUT", "UNKNOWN"}) {
    if (const auto found = verdicts.find(verdict); found != verdicts.end()) {
      counts.push_back(
          absl::StrCat(base::CountText(found->second), " ", verdict));
    }
  }
  if (num_failed > 0) {
    counts.push_back(absl::StrCat(base::CountText(num_failed), " failed"));
  }
  std::string rejected;
  if (const uint64_t num_rejected = NumRejected(outcomes); num_rejected > 0) {
    rejected =
        absl::StrCat(", ", base::CountText(num_rejected), " of them rejected");
  }
  return absl::StrCat(base::CountText(outcomes.size()), " groups with ",
                      base::CountText(num_samples), " samples", rejected,
                      counts.empty() ? "" : ": ", absl::StrJoin(counts, ", "));
}

}  // namespace ladder::client
