#include "client/command/input/input_contents.h"

#include <climits>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/text/text.h"

namespace ladder::client {

void GroupBuilder::Add(absl::string_view group, size_t sample) {
  std::string name = base::ValidText(group);
  const auto [place, is_new] = places_.try_emplace(name, groups_.size());
  if (is_new) groups_.push_back({.name = std::move(name)});
  groups_[place->second].samples.push_back(sample);
}

std::vector<InputGroup> GroupBuilder::Build(absl::string_view root_name) && {
  const auto root = places_.find("");
  if (root != places_.end()) {
    std::string name = base::ValidText(root_name);
    const bool is_free = !name.empty() && !places_.contains(name);
    groups_[root->second].name = is_free ? std::move(name) : ".";
  }
  return std::move(groups_);
}

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

}  // namespace ladder::client
