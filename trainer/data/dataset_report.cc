#include "trainer/data/dataset_report.h"

#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/files/fault.h"

namespace ladder::trainer {
namespace {

using Counts = std::map<std::string, int64_t>;

int64_t Total(const Counts& counts) {
  return std::accumulate(
      counts.begin(), counts.end(), int64_t{0},
      [](int64_t sum, const auto& entry) { return sum + entry.second; });
}

std::string Listed(const Counts& counts, absl::string_view what) {
  if (counts.empty()) return "";
  const auto format = [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.second, " ", entry.first);
  };
  return absl::StrCat("; ", Total(counts), " ", what, " (",
                      absl::StrJoin(counts, ", ", format), ")");
}

}  // namespace

int64_t DatasetReport::num_broken() const { return Total(broken); }

std::string DatasetReport::Summary() const {
  return absl::StrCat(num_samples, " samples of ", num_rows, " rows",
                      Listed(broken, "broken"), Listed(left_out, "left out"));
}

absl::Status ForEachRow(base::CsvTable& table, OnBroken on_broken,
                        DatasetReport& report,
                        absl::FunctionRef<absl::Status()> read_row) {
  for (;;) {
    const absl::StatusOr<bool> has_row = table.Next();
    if (has_row.ok() && !*has_row) return absl::OkStatus();
    ++report.num_rows;
    absl::Status status = has_row.ok() ? read_row() : has_row.status();
    if (status.ok()) continue;
    const std::optional<std::string> reason = base::FaultReason(status);
    if (!reason.has_value()) return status;
    status = base::AtPlace(table.place(), status);
    if (on_broken == OnBroken::kFail) return status;
    ++report.broken[*reason];
    if (report.messages.size() < DatasetReport::kMaxMessages) {
      report.messages.emplace_back(status.message());
    }
  }
}

bool BrokenSamples::Add(const BrokenSample& broken) {
  return reasons_
      .try_emplace(broken.sample,
                   base::FaultReason(broken.error).value_or("broken"))
      .second;
}

std::map<std::string, int64_t> BrokenSamples::counts() const {
  std::map<std::string, int64_t> counts;
  for (const auto& [sample, reason] : reasons_) ++counts[reason];
  return counts;
}

}  // namespace ladder::trainer
