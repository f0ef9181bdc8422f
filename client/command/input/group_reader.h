#ifndef LADDER_CLIENT_COMMAND_INPUT_GROUP_READER_H_
#define LADDER_CLIENT_COMMAND_INPUT_GROUP_READER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/command/input/input_contents.h"
#include "ladder/client/samples.h"

namespace ladder::command {

// Reads a group from disk, chunk by chunk; holds one chunk and one sample.
class GroupReader : public client::SampleReader {
 public:
  GroupReader(std::shared_ptr<InputContents> contents, size_t group)
      : contents_(std::move(contents)), group_(contents_->groups[group]) {}

  absl::StatusOr<std::optional<v1::Samples>> Next() override;
  absl::Status Rewind() override;

 private:
  // Reads samples until one can be read, which is then in bytes_ and at next_;
  // false if none can.
  absl::StatusOr<bool> Fetch();
  void Append(v1::Samples& chunk);

  std::shared_ptr<InputContents> contents_;
  const InputGroup& group_;
  size_t next_ = 0;  // Among the group's samples.
  bool is_fetched_ = false;
  std::string bytes_;
  std::string id_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_GROUP_READER_H_
