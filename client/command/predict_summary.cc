#include "client/command/predict_summary.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/terminal/bars.h"
#include "base/text/quantities.h"
#include "base/text/table.h"

namespace ladder::command {
namespace {

// Lower ones have to be seen first.
int Rank(const GroupOutcome& outcome) {
  if (!outcome.status.ok()) return 0;
  return outcome.verdict == "OUT" ? 1 : 2;
}

// In their order, `max_rows` of those with the lowest ranks.
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

std::string Verdict(const GroupOutcome& outcome) {
  if (!outcome.status.ok()) return "failed";
  if (outcome.fallback.empty()) return outcome.verdict;
  return absl::StrCat(outcome.verdict, ", ", outcome.fallback);
}

}  // namespace

std::string RenderSummary(const std::vector<GroupOutcome>& outcomes,
                          size_t max_rows, const base::Terminal& terminal) {
  base::Table table({{"group", base::ColumnKind::kText},
                     {"n", base::ColumnKind::kNumber},
                     {"coverage", base::ColumnKind::kFixed},
                     {"experts", base::ColumnKind::kNumber},
                     {"time", base::ColumnKind::kNumber},
                     {"top weights", base::ColumnKind::kText}});
  for (const GroupOutcome* outcome : Chosen(outcomes, max_rows)) {
    const bool ok = outcome->status.ok();
    table.AddRow(
        {outcome->group, base::CountText(outcome->num_samples),
         base::Cell(Verdict(*outcome), ok ? base::VerdictStyle(outcome->verdict)
                                          : base::Style::kBad),
         ok ? base::NumberText(outcome->effective_experts) : "-",
         base::DurationText(outcome->elapsed),
         ok ? base::WeightBars(outcome->top_weights,
                               outcome->top_weights.size(),
                               base::kWeightBarWidth, terminal.utf8)
            : std::string(outcome->status.message())});
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
  return absl::StrCat(base::CountText(outcomes.size()), " groups with ",
                      base::CountText(num_samples), " samples",
                      counts.empty() ? "" : ": ", absl::StrJoin(counts, ", "));
}

}  // namespace ladder::command
