#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/files/npy.h"
#include "base/status_macros.h"
#include "client/command/input/input_contents.h"
#include "client/command/input/sample_sources.h"
#include "client/command/input/wanted_rows.h"

namespace ladder::client {
namespace {

absl::Status FillFromGroupsFile(int64_t num_rows, ArrayRows& source,
                                GroupBuilder& groups, InputContents& contents) {
  const InputOptions& options = contents.options;
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table,
                          base::CsvTable::Open(options.groups_file));
  LADDER_ASSIGN_OR_RETURN(WantedRows rows, WantedRows::Find(table, options));
  absl::Status status = rows.ForEach(table, contents.skipped, [&] {
    LADDER_ASSIGN_OR_RETURN(const std::string group, rows.Group(table));
    groups.Add(group, source.size());
    source.Add(table.row(), rows.Id(table));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  if (rows.num_rows() == num_rows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--groups: ", table.path(), ": expected ", num_rows,
                   " rows, as many as in ", options.path.string(), ", found ",
                   rows.num_rows()));
}

}  // namespace

absl::Status FillFromArray(InputContents& contents) {
  const InputOptions& options = contents.options;
  LADDER_ASSIGN_OR_RETURN(base::NpyFile array,
                          base::NpyFile::Open(options.path));
  const int64_t num_rows = array.shape()[0];
  if (array.shape().size() < 2 || array.row_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        array.path(), ": expected an array of samples that are arrays, found ",
        "one of shape (", absl::StrJoin(array.shape(), ", "), ")"));
  }
  const bool needs_groups_file = !options.group_by.empty() ||
                                 !options.id_column.empty() ||
                                 !options.where.empty();
  if (options.groups_file.empty() && needs_groups_file) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--group-by, --id-column, --where: an array such as ", array.path(),
        " has no columns; expected --groups with a CSV file of as many rows"));
  }
  auto source = std::make_unique<ArrayRows>(std::move(array));
  GroupBuilder groups;
  if (options.groups_file.empty()) {
    for (int64_t row = 0; row < num_rows; ++row) {
      groups.Add(/*group=*/"", source->size());
      source->Add(row, /*id=*/"");
    }
  } else {
    LADDER_RETURN_IF_ERROR(
        FillFromGroupsFile(num_rows, *source, groups, contents));
  }
  contents.groups = std::move(groups).Build(options.path.stem().string());
  contents.source = std::move(source);
  return absl::OkStatus();
}

}  // namespace ladder::client
