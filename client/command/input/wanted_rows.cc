#include "client/command/input/wanted_rows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::client {

absl::StatusOr<WantedRows> WantedRows::Find(const base::CsvTable& table,
                                            const InputOptions& options) {
  WantedRows rows;
  if (!options.group_by.empty()) {
    const auto column = table.RequireColumn(options.group_by);
    if (!column.ok()) return base::AtPlace("--group-by", column.status());
    rows.group_ = *column;
    rows.group_name_ = options.group_by;
  }
  if (!options.id_column.empty()) {
    const auto column = table.RequireColumn(options.id_column);
    if (!column.ok()) return base::AtPlace("--id-column", column.status());
    rows.id_ = *column;
  }
  for (const ColumnFilter& filter : options.where) {
    const auto column = table.RequireColumn(filter.column);
    if (!column.ok()) return base::AtPlace("--where", column.status());
    rows.filters_.push_back({*column, filter.value});
    absl::StrAppend(&rows.filters_text_, rows.filters_text_.empty() ? "" : ", ",
                    filter.column, "=", filter.value);
  }
  return rows;
}

absl::Status WantedRows::ForEach(base::CsvTable& table, SkippedSamples& skipped,
                                 absl::FunctionRef<absl::Status()> add) {
  int64_t num_wanted = 0;
  for (;;) {
    const absl::StatusOr<bool> has_row = table.Next();
    if (has_row.ok() && !*has_row) break;
    absl::Status status = has_row.status();
    if (status.ok()) {
      const bool is_wanted = std::all_of(
          filters_.begin(), filters_.end(), [&](const Filter& filter) {
            return table.field(filter.column) == filter.value;
          });
      if (!is_wanted) continue;
      ++num_wanted;
      status = add();
    }
    if (!status.ok()) {
      status = skipped.Take(base::AtPlace(table.place(), status));
      if (!status.ok()) return status;
    }
  }
  num_rows_ = table.row();
  if (num_wanted > 0 || num_rows_ == 0 || filters_.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(table.path(), ": expected rows with ", filters_text_,
                   " (--where), found none among ", num_rows_));
}

absl::StatusOr<std::string> WantedRows::Group(
    const base::CsvTable& table) const {
  if (!group_.has_value()) return "";
  std::string group(table.field(*group_));
  if (!group.empty()) return group;
  return base::Fault(
      "no group",
      absl::StrCat(group_name_, ": expected a group's name, found nothing"));
}

absl::string_view WantedRows::Id(const base::CsvTable& table) const {
  return id_.has_value() ? table.field(*id_) : absl::string_view();
}

bool WantedRows::Uses(size_t column) const {
  return column == group_ || column == id_ ||
         std::any_of(
             filters_.begin(), filters_.end(),
             [&](const Filter& filter) { return filter.column == column; });
}

}  // namespace ladder::client
