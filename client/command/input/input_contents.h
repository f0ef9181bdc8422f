#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_CONTENTS_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_CONTENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/command/input/input.h"
#include "client/command/input/input_groups.h"
#include "client/command/input/sample_sources.h"

namespace ladder::client {

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
