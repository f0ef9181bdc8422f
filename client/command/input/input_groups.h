#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_GROUPS_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_GROUPS_H_

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::client {

// Samples, by their numbers, that are routed together.
struct InputGroup {
  std::string name = {};  // Valid UTF-8.
  std::vector<size_t> samples = {};
};

// Puts samples into groups, which stay in the order of their first samples.
class GroupBuilder {
 public:
  // An empty name means the group of samples that lie in the root itself.
  void Add(absl::string_view group, size_t sample);

  // The root's group gets `root_name`, or "." if another has this name.
  std::vector<InputGroup> Build(absl::string_view root_name) &&;

 private:
  std::vector<InputGroup> groups_;
  absl::flat_hash_map<std::string, size_t> places_;
};

// Which group a picture belongs to, by its path.
class PathGroups {
 public:
  // `pattern` is as InputOptions::group_regex (ECMAScript); empty: by folder.
  // InvalidArgument if it is no regular expression.
  static absl::StatusOr<PathGroups> Create(const std::string& pattern);

  // The group of a path that is relative to the root; empty for the root's own.
  // A fault (base/files/fault.h) if the path is too long, does not match, or
  // what matches is empty.
  absl::StatusOr<std::string> Of(const std::string& path) const;

 private:
  std::string pattern_;
  std::optional<std::regex> regex_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_INPUT_GROUPS_H_
