#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_CONTENTS_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_CONTENTS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/command/input/input.h"
#include "client/command/input/sample_sources.h"

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

// What an input and its readers share. Once filled, only `skipped` changes.
struct InputContents {
  explicit InputContents(const InputOptions& given)
      : options(given), skipped(given.skip_unreadable) {}

  const InputOptions options;
  SkippedSamples skipped;
  std::unique_ptr<const SampleSource> source = nullptr;
  std::vector<InputGroup> groups = {};
  std::vector<std::string> remarks = {};
};

// One for each kind of input: fill source, groups and remarks from what
// options.path names, without reading a sample. InvalidArgument, naming file
// and option, if it is not what the options say; groups may stay empty.
absl::Status FillFromFolder(InputContents& contents);
absl::Status FillFromCsv(InputContents& contents);
absl::Status FillFromArray(InputContents& contents);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_INPUT_CONTENTS_H_
