#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "client/command/output/message_text.h"
#include "client/command/watch/watch_view.h"

namespace ladder::client {
namespace {

constexpr size_t kShownWeights = 4;
constexpr size_t kBarWidth = 10;

std::string SecondsText(double seconds) {
  return std::isfinite(seconds) ? base::DurationText(absl::Seconds(seconds))
                                : "-";
}

std::string Line(absl::string_view text, base::Style style,
                 const base::Terminal& terminal) {
  std::string line = base::PrintableText(text, terminal.utf8);
  if (terminal.columns > 0) {
    line = base::CutText(line, terminal.columns, terminal.utf8);
  }
  return absl::StrCat(base::Styled(line, style, terminal), "\n");
}

std::string Heading(const WatchView& view, absl::string_view address,
                    const base::Terminal& terminal) {
  const std::string server = absl::StrCat(
      "ladder-server ", view.server_version, " at ", address, ", up ",
      base::DurationText(absl::Floor(view.uptime, absl::Seconds(1))), ", ",
      base::BytesText(view.memory_bytes), ", ",
      base::NumberText(view.queued_samples), " samples queued");
  const std::string period = view.since_start
                                 ? "rates, times and verdicts since its start"
                                 : absl::StrCat("rates and times of the last ",
                                                base::DurationText(view.period),
                                                ", verdicts since its start");
  return absl::StrCat(Line(server, base::Style::kBold, terminal),
                      Line(period, base::Style::kDim, terminal));
}

std::string ModelsTable(const WatchView& view, const base::Terminal& terminal) {
  std::vector<base::Column> columns = {{"model"},
                                       {"versions"},
                                       {"groups/s", base::ColumnKind::kNumber},
                                       {"samples/s", base::ColumnKind::kNumber},
                                       {"batch", base::ColumnKind::kNumber}};
  for (const absl::string_view verdict : WatchView::kVerdicts) {
    columns.push_back({std::string(verdict), base::ColumnKind::kNumber});
  }
  base::Table table(std::move(columns));
  for (const WatchView::Model& model : view.models) {
    std::vector<base::Cell> row = {model.name, model.versions,
                                   base::NumberText(model.groups_per_second),
                                   base::NumberText(model.samples_per_second),
                                   base::NumberText(model.mean_batch)};
    for (size_t i = 0; i < model.verdicts.size(); ++i) {
      row.emplace_back(base::NumberText(model.verdicts[i]),
                       model.verdicts[i] > 0
                           ? VerdictStyle(WatchView::kVerdicts[i])
                           : base::Style::kPlain);
    }
    table.AddRow(std::move(row));
  }
  return table.Render(terminal);
}

std::string LatenciesTable(const WatchView& view,
                           const base::Terminal& terminal) {
  base::Table table({{"call or stage"},
                     {"in flight", base::ColumnKind::kNumber},
                     {"per s", base::ColumnKind::kNumber},
                     {"p50", base::ColumnKind::kNumber},
                     {"p90", base::ColumnKind::kNumber},
                     {"p99", base::ColumnKind::kNumber},
                     {"codes per s"}});
  for (const WatchView::Latency& latency : view.latencies) {
    std::string codes;
    bool all_ok = true;
    for (const auto& [code, rate] : latency.codes_per_second) {
      absl::StrAppend(&codes, codes.empty() ? "" : ", ", code, " ",
                      base::NumberText(rate));
      all_ok = all_ok && code == "OK";
    }
    table.AddRow(
        {latency.name,
         std::isnan(latency.in_flight) ? ""
                                       : base::NumberText(latency.in_flight),
         base::NumberText(latency.per_second), SecondsText(latency.p50),
         SecondsText(latency.p90), SecondsText(latency.p99),
         base::Cell(codes,
                    all_ok ? base::Style::kPlain : base::Style::kWarning)});
  }
  return table.Render(terminal);
}

std::string GroupsTable(const WatchView& view, size_t max_rows,
                        const base::Terminal& terminal) {
  base::Table table({{"latest groups"},
                     {"model"},
                     {"experts", base::ColumnKind::kNumber},
                     {"weights"}});
  for (const WatchView::Group& group : view.groups) {
    if (table.num_rows() == max_rows) break;
    table.AddRow({group.name, group.model,
                  base::NumberText(group.effective_experts),
                  base::ShareBars(group.weights, kShownWeights, kBarWidth,
                                  terminal.utf8)});
  }
  return table.Render(terminal);
}

size_t NumLines(absl::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string FirstLines(absl::string_view text, size_t max_lines) {
  std::string lines;
  size_t num_lines = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (num_lines++ == max_lines || num_lines > NumLines(text)) break;
    absl::StrAppend(&lines, line, "\n");
  }
  return lines;
}

}  // namespace

std::string RenderWatchView(const WatchView& view, absl::string_view address,
                            const base::Terminal& terminal) {
  std::string text = absl::StrCat(Heading(view, address, terminal), "\n",
                                  ModelsTable(view, terminal));
  if (!view.latencies.empty()) {
    absl::StrAppend(&text, "\n", LatenciesTable(view, terminal));
  }
  if (terminal.rows == 0) {
    if (view.groups.empty()) return text;
    return absl::StrCat(text, "\n",
                        GroupsTable(view, view.groups.size(), terminal));
  }
  const size_t max_lines = terminal.rows - 1;
  const size_t taken = NumLines(text) + 2;  // A gap and the header.
  if (!view.groups.empty() && taken < max_lines) {
    absl::StrAppend(&text, "\n",
                    GroupsTable(view, max_lines - taken, terminal));
  }
  return FirstLines(text, max_lines);
}

}  // namespace ladder::client
