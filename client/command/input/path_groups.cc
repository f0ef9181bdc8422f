#include "client/command/input/path_groups.h"

#include <climits>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::command {

absl::StatusOr<PathGroups> PathGroups::Create(const std::string& pattern) {
  PathGroups groups;
  groups.pattern_ = pattern;
  if (pattern.empty()) return groups;
  try {
    groups.regex_.emplace(pattern);
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("--group-regex: expected a regular expression, got \"",
                     pattern, "\": ", error.what()));
  }
  return groups;
}

absl::StatusOr<std::string> PathGroups::Of(const std::string& path) const {
  // The standard library's matching recurses with every character.
  if (path.size() > PATH_MAX) {
    return base::Fault("bad path",
                       absl::StrCat("expected a path of at most ", PATH_MAX,
                                    " bytes, found ", path.size()));
  }
  if (!regex_.has_value()) {
    return std::filesystem::path(path).lexically_normal().parent_path();
  }
  std::smatch match;
  if (!std::regex_search(path, match, *regex_)) {
    return base::Fault(
        "no group", absl::StrCat("expected a path that --group-regex \"",
                                 pattern_, "\" matches, found \"", path, "\""));
  }
  std::string group = match[match.size() > 1 ? 1 : 0].str();
  if (group.empty()) {
    return base::Fault(
        "no group",
        absl::StrCat("expected a group's name from --group-regex "
                     "\"",
                     pattern_, "\", found an empty one in \"", path, "\""));
  }
  return group;
}

}  // namespace ladder::command
