#include "client/command/input_arguments.h"

#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/command/usage_error.h"

namespace ladder::command {

void InputArguments::AddTo(CLI::App& app) {
  const std::string group = "Samples";
  app.add_option("INPUT", path_,
                 "folder with pictures, CSV file with their paths or with "
                 "numbers, or .npy array")
      ->required();
  app.add_option("--group-by", options_.group_by,
                 "column that names groups; without it, pictures are grouped "
                 "by folder")
      ->group(group);
  app.add_option("--group-regex", options_.group_regex,
                 "regular expression on a picture's path: what its first "
                 "parentheses match names the group")
      ->group(group);
  app.add_option("--groups", groups_file_,
                 "for an array: CSV file with a row for each of its samples")
      ->group(group);
  app.add_option("--image-root", image_root_,
                 "folder where the paths of a CSV file start; else its own")
      ->group(group);
  app.add_option("--path-column", options_.path_column,
                 "column with paths of pictures; else \"path\" or \"filename\"")
      ->group(group);
  app.add_option("--id-column", options_.id_column,
                 "column with the samples' names; else the path or the row")
      ->group(group);
  app.add_option("--features", options_.features,
                 "columns with numbers, in this order, such as a,b or x*")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--where", where_,
                 "COLUMN=VALUE that rows must have; may be repeated")
      ->check([](const std::string& text) {
        return UsageError(ParseColumnFilter(text).status());
      })
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--skip-unreadable", options_.skip_unreadable,
               "leave out samples that cannot be read, and say which")
      ->group(group);
}

absl::StatusOr<Input> InputArguments::Open() const {
  InputOptions options = options_;
  options.path = path_;
  options.groups_file = groups_file_;
  options.image_root = image_root_;
  for (const std::string& text : where_) {
    absl::StatusOr<ColumnFilter> filter = ParseColumnFilter(text);
    if (!filter.ok()) return filter.status();
    options.where.push_back(*std::move(filter));
  }
  return OpenInput(options);
}

std::string InputArguments::Description() const {
  std::string text = path_;
  const auto add = [&](absl::string_view option, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&text, " ", option, "=", value);
  };
  add("--group-by", options_.group_by);
  add("--group-regex", options_.group_regex);
  add("--groups", groups_file_);
  add("--image-root", image_root_);
  add("--path-column", options_.path_column);
  add("--id-column", options_.id_column);
  add("--features", absl::StrJoin(options_.features, ","));
  for (const std::string& filter : where_) add("--where", filter);
  return text;
}

}  // namespace ladder::command
