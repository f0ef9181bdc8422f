#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/files/npy.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "client/command/input/input_contents.h"
#include "client/command/input/sample_sources.h"

namespace ladder::client {
namespace {

absl::StatusOr<size_t> RequireColumn(const base::CsvTable& table,
                                     absl::string_view option,
                                     const std::string& name) {
  absl::StatusOr<size_t> column = table.RequireColumn(name);
  if (!column.ok()) return base::AtPlace(option, column.status());
  return column;
}

// The rows of a CSV file that the options want, with what these say of the
// columns that name samples and groups.
class WantedRows {
 public:
  // InvalidArgument if a column that the options name is not there. `contents`
  // must outlive the rows.
  static absl::StatusOr<WantedRows> Open(const std::filesystem::path& path,
                                         InputContents& contents) {
    const InputOptions& options = contents.options;
    LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(path));
    WantedRows rows(std::move(table), contents);
    if (!options.group_by.empty()) {
      LADDER_ASSIGN_OR_RETURN(
          rows.group_,
          RequireColumn(rows.table_, "--group-by", options.group_by));
    }
    if (!options.id_column.empty()) {
      LADDER_ASSIGN_OR_RETURN(
          rows.id_,
          RequireColumn(rows.table_, "--id-column", options.id_column));
    }
    for (const ColumnFilter& filter : options.where) {
      LADDER_ASSIGN_OR_RETURN(
          const size_t column,
          RequireColumn(rows.table_, "--where", filter.column));
      rows.filter_columns_.push_back(column);
    }
    return rows;
  }

  const base::CsvTable& table() const { return table_; }

  // Calls `add` for each wanted row. Its faults, and malformed rows, are given
  // to contents.skipped with the line they are at. InvalidArgument if there are
  // rows and no filter lets one through.
  absl::Status ForEach(absl::FunctionRef<absl::Status()> add) {
    int64_t num_wanted = 0;
    for (;;) {
      const absl::StatusOr<bool> has_row = table_.Next();
      if (has_row.ok() && !*has_row) break;
      absl::Status status = has_row.status();
      if (status.ok()) {
        if (!IsWanted()) continue;
        ++num_wanted;
        status = add();
      }
      if (!status.ok()) {
        LADDER_RETURN_IF_ERROR(
            contents_.skipped.Take(base::AtPlace(table_.place(), status)));
      }
    }
    const auto& where = contents_.options.where;
    if (num_wanted > 0 || table_.row() == 0 || where.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        table_.path(), ": expected rows with ",
        absl::StrJoin(where, ", ",
                      [](std::string* text, const ColumnFilter& filter) {
                        absl::StrAppend(text, filter.column, "=", filter.value);
                      }),
        " (--where), found none among ", table_.row()));
  }

  // What the row at hand says; empty if there is no such column. It is a fault
  // if there is one and the group is empty.
  absl::StatusOr<std::string> Group() const {
    if (!group_.has_value()) return "";
    std::string group(table_.field(*group_));
    if (!group.empty()) return group;
    return base::Fault(
        "no group", absl::StrCat(contents_.options.group_by,
                                 ": expected a group's name, found nothing"));
  }
  absl::string_view Id() const {
    return id_.has_value() ? table_.field(*id_) : absl::string_view();
  }

  bool has_groups() const { return group_.has_value(); }
  // Whether a column is one of these.
  bool Uses(size_t column) const {
    return column == group_ || column == id_ ||
           std::count(filter_columns_.begin(), filter_columns_.end(), column);
  }

 private:
  WantedRows(base::CsvTable table, InputContents& contents)
      : table_(std::move(table)), contents_(contents) {}

  bool IsWanted() const {
    for (size_t i = 0; i < filter_columns_.size(); ++i) {
      if (table_.field(filter_columns_[i]) !=
          contents_.options.where[i].value) {
        return false;
      }
    }
    return true;
  }

  base::CsvTable table_;
  InputContents& contents_;
  std::optional<size_t> group_;
  std::optional<size_t> id_;
  std::vector<size_t> filter_columns_;  // One for each of options.where.
};

// None if the rows are numbers.
absl::StatusOr<std::optional<size_t>> FindPathColumn(
    const base::CsvTable& table, const InputOptions& options) {
  if (!options.path_column.empty() && !options.features.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected --path-column for pictures or --features for "
        "numbers, got both: ",
        options.path_column, " and ", absl::StrJoin(options.features, ",")));
  }
  if (!options.path_column.empty()) {
    return RequireColumn(table, "--path-column", options.path_column);
  }
  if (!options.features.empty()) return std::nullopt;
  const std::optional<size_t> path = table.FindColumn("path");
  return path.has_value() ? path : table.FindColumn("filename");
}

absl::Status FillWithPictures(WantedRows& rows, size_t path_column,
                              InputContents& contents) {
  const InputOptions& options = contents.options;
  LADDER_ASSIGN_OR_RETURN(const PathGroups path_groups,
                          PathGroups::Create(options.group_regex));
  auto files = std::make_unique<PictureFiles>(
      options.image_root.empty() ? options.path.parent_path()
                                 : options.image_root,
      rows.table().path(), options.max_picture_bytes);
  GroupBuilder groups;
  LADDER_RETURN_IF_ERROR(rows.ForEach([&] {
    const std::string path(rows.table().field(path_column));
    if (path.empty()) {
      return base::Fault("no path", "expected a picture's path, found none");
    }
    LADDER_ASSIGN_OR_RETURN(
        const std::string group,
        rows.has_groups() ? rows.Group() : path_groups.Of(path));
    groups.Add(group, files->size());
    files->Add(path, rows.Id(), rows.table().line());
    return absl::OkStatus();
  }));
  contents.groups = std::move(groups).Build(options.path.stem().string());
  contents.source = std::move(files);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FeatureColumn>> FindFeatures(
    const WantedRows& rows, const std::vector<std::string>& wanted) {
  const base::CsvTable& table = rows.table();
  const std::vector<std::string>& names = table.columns();
  std::vector<FeatureColumn> features;
  for (size_t i = 0; i < names.size() && wanted.empty(); ++i) {
    if (rows.Uses(i)) continue;
    // A column without a name, such as the row numbers that pandas writes, is
    // no covariate.
    if (names[i].empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          table.path(), ": expected a name for column ", i + 1,
          ", found none; say with --features which columns hold numbers"));
    }
    features.push_back({i, names[i]});
  }
  for (const std::string& name : wanted) {
    const size_t num_before = features.size();
    const absl::string_view text = name;
    const bool is_prefix = absl::EndsWith(text, "*");
    for (size_t i = 0; i < names.size(); ++i) {
      const bool fits =
          is_prefix
              ? absl::StartsWith(names[i], text.substr(0, text.size() - 1))
              : names[i] == name;
      if (fits) features.push_back({i, names[i]});
    }
    if (features.size() > num_before) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--features: ", table.path(), ": expected a column \"", name,
        "\", found \"", absl::StrJoin(names, "\", \""), "\""));
  }
  if (!features.empty()) return features;
  return absl::InvalidArgumentError(absl::StrCat(
      table.path(), ": expected a column \"path\" or \"filename\", or columns ",
      "of numbers, found \"", absl::StrJoin(names, "\", \""), "\""));
}

absl::Status FillWithNumbers(WantedRows& rows, InputContents& contents) {
  const InputOptions& options = contents.options;
  if (!options.group_regex.empty() || !options.image_root.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.group_regex.empty() ? "--image-root: " : "--group-regex: ",
        rows.table().path(),
        ": expected a column \"path\" or \"filename\", or the name of one by "
        "--path-column, found none"));
  }
  LADDER_ASSIGN_OR_RETURN(std::vector<FeatureColumn> features,
                          FindFeatures(rows, options.features));
  LADDER_ASSIGN_OR_RETURN(base::RandomAccessFile file,
                          base::RandomAccessFile::Open(options.path));
  auto source = std::make_unique<CsvRows>(std::move(file), std::move(features));
  GroupBuilder groups;
  LADDER_RETURN_IF_ERROR(rows.ForEach([&] {
    LADDER_ASSIGN_OR_RETURN(const std::string group, rows.Group());
    groups.Add(group, source->size());
    source->Add(rows.table(), rows.Id());
    return absl::OkStatus();
  }));
  contents.groups = std::move(groups).Build(options.path.stem().string());
  contents.source = std::move(source);
  return absl::OkStatus();
}

absl::Status FillFromGroupsFile(int64_t num_rows, ArrayRows& source,
                                GroupBuilder& groups, InputContents& contents) {
  const InputOptions& options = contents.options;
  LADDER_ASSIGN_OR_RETURN(WantedRows rows,
                          WantedRows::Open(options.groups_file, contents));
  const base::CsvTable& table = rows.table();
  LADDER_RETURN_IF_ERROR(rows.ForEach([&] {
    LADDER_ASSIGN_OR_RETURN(const std::string group, rows.Group());
    groups.Add(group, source.size());
    source.Add(table.row(), rows.Id());
    return absl::OkStatus();
  }));
  if (table.row() == num_rows) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--groups: ", table.path(), ": expected ", num_rows,
      " rows, as many as in ", options.path.string(), ", found ", table.row()));
}

}  // namespace

absl::Status FillFromCsv(InputContents& contents) {
  LADDER_ASSIGN_OR_RETURN(WantedRows rows,
                          WantedRows::Open(contents.options.path, contents));
  LADDER_ASSIGN_OR_RETURN(const std::optional<size_t> path,
                          FindPathColumn(rows.table(), contents.options));
  return path.has_value() ? FillWithPictures(rows, *path, contents)
                          : FillWithNumbers(rows, contents);
}

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
