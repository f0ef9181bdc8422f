// The demo's last table: what `ladder predict` said of each group, beside how
// often it was right, with its weights and with uniform ones. Only here are
// labels looked at; a server never sees any.
//
//   ladder-score METADATA ROUTING PREDICTIONS UNIFORM_PREDICTIONS
//
// METADATA is the data set's metadata.csv; the others are CSV files of
// `ladder predict`.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/files/csv.h"
#include "base/terminal/bars.h"
#include "base/terminal/table.h"
#include "base/terminal/terminal.h"
#include "base/text/quantities.h"

namespace ladder::examples {
namespace {

using base::CsvTable;

struct Group {
  std::string n;
  std::string verdict;
  std::vector<base::NamedShare> weights;
  // Samples that were right.
  size_t num_samples = 0;
  size_t by_routing = 0;
  size_t by_uniform = 0;
};
using Groups = std::map<std::string, Group>;
using Labels = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void Stop(const absl::Status& status) {
  std::cerr << "ladder-score: " << status.message() << '\n';
  std::exit(EXIT_FAILURE);
}

// Calls `visit` with the fields of the named columns, row by row.
template <typename Visit>
void ForEachRow(const char* path,
                std::initializer_list<absl::string_view> names, Visit visit) {
  absl::StatusOr<base::CsvTable> table = base::CsvTable::Open(path);
  if (!table.ok()) Stop(table.status());
  const absl::StatusOr<std::vector<size_t>> columns =
      table->RequireColumns(names);
  if (!columns.ok()) Stop(columns.status());
  for (;;) {
    const absl::StatusOr<bool> more = table->Next();
    if (!more.ok()) Stop(more.status());
    if (!*more) return;
    visit(*table, *columns);
  }
}

Labels ReadLabels(const char* path) {
  Labels labels;
  ForEachRow(
      path, {"filename", "y"},
      [&](const base::CsvTable& row, const std::vector<size_t>& columns) {
        labels.emplace(row.field(columns[0]), row.field(columns[1]));
      });
  return labels;
}

Groups ReadRouting(const char* path) {
  Groups groups;
  ForEachRow(
      path, {"group", "n", "coverage"},
      [&](const base::CsvTable& row, const std::vector<size_t>& columns) {
        Group& group = groups[std::string(row.field(columns[0]))];
        group.n = std::string(row.field(columns[1]));
        group.verdict = std::string(row.field(columns[2]));
        for (size_t i = 0; i < row.columns().size(); ++i) {
          double weight = 0;
          if (absl::StartsWith(row.columns()[i], "w_") &&
              absl::SimpleAtod(row.field(i), &weight)) {
            group.weights.push_back({row.columns()[i].substr(2), weight});
          }
        }
      });
  return groups;
}

void CountRight(const char* path, const Labels& labels, size_t Group::*counter,
                Groups& groups) {
  ForEachRow(
      path, {"group", "id", "label"},
      [&](const base::CsvTable& row, const std::vector<size_t>& columns) {
        Group& group = groups[std::string(row.field(columns[0]))];
        const auto label = labels.find(row.field(columns[1]));
        if (label == labels.end()) return;
        group.*counter += label->second == row.field(columns[2]);
        if (counter == &Group::by_routing) ++group.num_samples;
      });
}

std::string Percent(size_t part, size_t whole) {
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(part) /
                                        static_cast<double>(whole));
}

base::Style VerdictStyle(absl::string_view verdict) {
  if (verdict == "IN") return base::Style::kGood;
  if (verdict == "OUT") return base::Style::kBad;
  return base::Style::kWarning;
}

void Print(const Groups& groups) {
  const base::Terminal terminal = base::DescribeTerminal(STDOUT_FILENO);
  base::Table table({{"location", base::ColumnKind::kText},
                     {"n", base::ColumnKind::kNumber},
                     {"top weights", base::ColumnKind::kText},
                     {"coverage", base::ColumnKind::kFixed},
                     {"right: LADDER", base::ColumnKind::kNumber},
                     {"uniform", base::ColumnKind::kNumber}});
  Group all;
  for (const auto& [name, group] : groups) {
    table.AddRow({name, group.n,
                  base::ShareBars(group.weights, /*max_shown=*/3,
                                  /*bar_width=*/12, terminal.utf8),
                  base::Cell(group.verdict, VerdictStyle(group.verdict)),
                  Percent(group.by_routing, group.num_samples),
                  Percent(group.by_uniform, group.num_samples)});
    all.num_samples += group.num_samples;
    all.by_routing += group.by_routing;
    all.by_uniform += group.by_uniform;
  }
  table.AddRow({"all", base::CountText(all.num_samples), "", "",
                Percent(all.by_routing, all.num_samples),
                Percent(all.by_uniform, all.num_samples)});
  std::cout << table.Render(terminal);
}

}  // namespace
}  // namespace ladder::examples

int main(int argc, char** argv) {
  using namespace ladder::examples;
  if (argc != 5) {
    std::cerr << "usage: ladder-score METADATA ROUTING PREDICTIONS "
                 "UNIFORM_PREDICTIONS\n";
    return 2;
  }
  const Labels labels = ReadLabels(argv[1]);
  Groups groups = ReadRouting(argv[2]);
  CountRight(argv[3], labels, &Group::by_routing, groups);
  CountRight(argv[4], labels, &Group::by_uniform, groups);
  Print(groups);
}
