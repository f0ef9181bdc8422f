#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "client/command/input/input_contents.h"
#include "client/command/input/input_groups.h"
#include "client/command/input/sample_sources.h"
#include "client/command/input/wanted_rows.h"

namespace ladder::client {
namespace {

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
    const absl::StatusOr<size_t> column =
        table.RequireColumn(options.path_column);
    if (!column.ok()) return base::AtPlace("--path-column", column.status());
    return *column;
  }
  if (!options.features.empty()) return std::nullopt;
  const std::optional<size_t> path = table.FindColumn("path");
  return path.has_value() ? path : table.FindColumn("filename");
}

absl::Status FillWithPictures(base::CsvTable& table, WantedRows& rows,
                              size_t path_column, InputContents& contents) {
  const InputOptions& options = contents.options;
  LADDER_ASSIGN_OR_RETURN(const PathGroups path_groups,
                          PathGroups::Create(options.group_regex));
  auto files = std::make_unique<PictureFiles>(
      options.image_root.empty() ? options.path.parent_path()
                                 : options.image_root,
      table.path(), options.max_picture_bytes);
  GroupBuilder groups;
  absl::Status status = rows.ForEach(table, contents.skipped, [&] {
    const std::string path(table.field(path_column));
    if (path.empty()) {
      return base::Fault("no path", "expected a picture's path, found none");
    }
    LADDER_ASSIGN_OR_RETURN(
        const std::string group,
        rows.has_groups() ? rows.Group(table) : path_groups.Of(path));
    const absl::string_view id = rows.Id(table);
    groups.Add(group, files->size());
    files->Add(path, id.empty() ? path : id, table.line());
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  contents.groups = std::move(groups).Build(options.path.stem().string());
  contents.source = std::move(files);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FeatureColumn>> FindFeatures(
    const base::CsvTable& table, const WantedRows& rows,
    const std::vector<std::string>& wanted) {
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

absl::Status FillWithNumbers(base::CsvTable& table, WantedRows& rows,
                             InputContents& contents) {
  const InputOptions& options = contents.options;
  if (!options.group_regex.empty() || !options.image_root.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.group_regex.empty() ? "--image-root: " : "--group-regex: ",
        table.path(),
        ": expected a column \"path\" or \"filename\", or the name of one by "
        "--path-column, found none"));
  }
  LADDER_ASSIGN_OR_RETURN(std::vector<FeatureColumn> features,
                          FindFeatures(table, rows, options.features));
  LADDER_ASSIGN_OR_RETURN(base::RandomAccessFile file,
                          base::RandomAccessFile::Open(options.path));
  auto source = std::make_unique<CsvRows>(std::move(file), std::move(features));
  GroupBuilder groups;
  absl::Status status = rows.ForEach(table, contents.skipped, [&] {
    LADDER_ASSIGN_OR_RETURN(const std::string group, rows.Group(table));
    groups.Add(group, source->size());
    source->Add(table, rows.Id(table));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  contents.groups = std::move(groups).Build(options.path.stem().string());
  contents.source = std::move(source);
  return absl::OkStatus();
}

}  // namespace

absl::Status FillFromCsv(InputContents& contents) {
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table,
                          base::CsvTable::Open(contents.options.path));
  LADDER_ASSIGN_OR_RETURN(WantedRows rows,
                          WantedRows::Find(table, contents.options));
  LADDER_ASSIGN_OR_RETURN(const std::optional<size_t> path,
                          FindPathColumn(table, contents.options));
  return path.has_value() ? FillWithPictures(table, rows, *path, contents)
                          : FillWithNumbers(table, rows, contents);
}

}  // namespace ladder::client
