#ifndef LADDER_CLIENT_COMMAND_INPUT_PATH_GROUPS_H_
#define LADDER_CLIENT_COMMAND_INPUT_PATH_GROUPS_H_

#include <optional>
#include <regex>
#include <string>

#include "absl/status/statusor.h"

namespace ladder::command {

// Which group a picture belongs to, by its path.
class PathGroups {
 public:
  // `pattern` is as InputOptions::group_regex (ECMAScript); empty: by folder.
  // InvalidArgument if it is no regular expression.
  static absl::StatusOr<PathGroups> Create(const std::string& pattern);

  // The group of a path that is relative to the root; empty for the root's own.
  // A fault (tables/fault.h) if the path is too long, does not match, or what
  // matches is empty.
  absl::StatusOr<std::string> Of(const std::string& path) const;

 private:
  std::string pattern_;
  std::optional<std::regex> regex_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_PATH_GROUPS_H_
