#include "client/command/input/input.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/command/input/group_reader.h"

namespace ladder::command {
namespace {

struct GivenOption {
  bool is_given = false;
  const char* flag = nullptr;
};

absl::Status RefuseOptions(absl::string_view kind,
                           std::initializer_list<GivenOption> options) {
  for (const GivenOption& option : options) {
    if (!option.is_given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        option.flag, ": expected an input that it applies to, got ", kind));
  }
  return absl::OkStatus();
}

absl::Status Fill(InputContents& contents) {
  const InputOptions& options = contents.options;
  const std::string extension = options.path.extension().string();
  const GivenOption by{!options.group_by.empty(), "--group-by"};
  const GivenOption regex{!options.group_regex.empty(), "--group-regex"};
  const GivenOption groups{!options.groups_file.empty(), "--groups"};
  const GivenOption root{!options.image_root.empty(), "--image-root"};
  const GivenOption column{!options.path_column.empty(), "--path-column"};
  const GivenOption id{!options.id_column.empty(), "--id-column"};
  const GivenOption features{!options.features.empty(), "--features"};
  const GivenOption where{!options.where.empty(), "--where"};

  std::error_code error;
  const auto kind = std::filesystem::status(options.path, error).type();
  if (kind == std::filesystem::file_type::directory) {
    absl::Status status =
        RefuseOptions(absl::StrCat("the folder ", options.path.string()),
                      {by, groups, root, column, id, features, where});
    return status.ok() ? FillFromFolder(contents) : status;
  }
  if (kind == std::filesystem::file_type::not_found ||
      kind == std::filesystem::file_type::none) {
    return absl::NotFoundError(absl::StrCat(
        options.path.string(), ": expected a folder, a .csv or a .npy file, ",
        error ? error.message() : "found nothing"));
  }
  if (absl::EqualsIgnoreCase(extension, ".csv")) {
    absl::Status status = RefuseOptions(
        absl::StrCat("the table ", options.path.string()), {groups});
    return status.ok() ? FillFromCsv(contents) : status;
  }
  if (absl::EqualsIgnoreCase(extension, ".npy")) {
    absl::Status status =
        RefuseOptions(absl::StrCat("the array ", options.path.string()),
                      {regex, root, column, features});
    return status.ok() ? FillFromArray(contents) : status;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(options.path.string(),
                   ": expected a folder, a .csv or a .npy file, found a file "
                   "that ends in \"",
                   extension, "\""));
}

}  // namespace

size_t Input::num_samples() const {
  size_t sum = 0;
  for (const InputGroup& group : contents_->groups) sum += group.samples.size();
  return sum;
}

std::unique_ptr<client::SampleReader> Input::Open(size_t group) const {
  return std::make_unique<GroupReader>(contents_, group);
}

absl::StatusOr<Input> OpenInput(const InputOptions& options) {
  absl::Status status = options.Validate();
  if (!status.ok()) return status;
  auto contents = std::make_shared<InputContents>(options);
  status = Fill(*contents);
  if (!status.ok()) return status;
  if (contents->groups.empty()) {
    std::string message =
        absl::StrCat(options.path.string(), ": expected samples, found none");
    for (const std::string& remark : contents->remarks) {
      absl::StrAppend(&message, "; ", remark);
    }
    return absl::InvalidArgumentError(message);
  }
  return Input(std::move(contents));
}

}  // namespace ladder::command
