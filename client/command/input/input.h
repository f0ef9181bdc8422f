#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/command/input/input_contents.h"
#include "client/command/input/input_options.h"
#include "ladder/client/samples.h"

namespace ladder::command {

// Samples on disk, in named groups. Knows where they are and reads them when
// asked. Groups and samples are in an order that depends on names and rows
// only. Thread-safe.
class Input {
 public:
  explicit Input(std::shared_ptr<InputContents> contents)
      : contents_(std::move(contents)) {}

  size_t num_groups() const { return contents_->groups.size(); }
  const std::string& group_name(size_t group) const {
    return contents_->groups[group].name;
  }
  // Those that will turn out to be unreadable included.
  size_t num_samples(size_t group) const {
    return contents_->groups[group].samples.size();
  }
  size_t num_samples() const;  // Of all groups.
  bool has_pictures() const { return contents_->source->shape().empty(); }

  // Reads the group in chunks with ids. An error names the group, the file or
  // line, and what to do; the next call of Next meets it again. With
  // skip_unreadable a group may turn out to be empty. May outlive this object.
  std::unique_ptr<client::SampleReader> Open(size_t group) const;

  // Sentences for the user, such as how many files are no pictures.
  const std::vector<std::string>& remarks() const { return contents_->remarks; }
  // What was left out until now, with reasons, if skip_unreadable.
  std::vector<std::string> Skipped() const { return contents_->skipped.List(); }

 private:
  std::shared_ptr<InputContents> contents_;
};

// Lists groups and samples without reading any. InvalidArgument, naming file
// and option, if there is nothing to read, an option does not suit the kind of
// input, or a row or folder cannot be read and skip_unreadable is not set.
absl::StatusOr<Input> OpenInput(const InputOptions& options);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_INPUT_H_
