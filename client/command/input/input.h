#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ladder/client/samples.h"

namespace ladder::client {

// Rows of a CSV file whose `column` is `value`.
struct ColumnFilter {
  std::string column = {};
  std::string value = {};
};

// Parses "split=test". InvalidArgument if there is no "=" or no column.
absl::StatusOr<ColumnFilter> ParseColumnFilter(absl::string_view text);

// Where samples are, which of them are wanted, and what their groups are.
struct InputOptions {
  // A folder with pictures, a CSV file with a row for each picture or with
  // numbers, or a .npy array [n, ...].
  std::filesystem::path path = {};

  // The column that names groups: of the CSV file, or of `groups_file`.
  std::string group_by = {};
  // For pictures: the part of the path, relative to the root, that names the
  // group: what the first parentheses match, or all if there are none.
  // Without either, pictures are grouped by folder, and numbers are one group.
  std::string group_regex = {};
  // For an array: a CSV file with as many rows.
  std::filesystem::path groups_file = {};

  // These are about a CSV file, or about groups_file as far as they make sense
  // there. If they are empty, the default is as said behind each.
  std::filesystem::path image_root = {};  // Where paths start: its own folder.
  std::string path_column = {};           // "path" or "filename".
  std::string id_column = {};             // The path, or the row's number.
  // Columns with the numbers, in this order; "x*" means all that begin with x.
  // None: all that have no other purpose.
  std::vector<std::string> features = {};
  std::vector<ColumnFilter> where = {};  // A row is wanted if all hold.

  // A chunk is full at either limit; a larger sample goes alone.
  size_t max_chunk_samples = 64;
  size_t max_chunk_bytes = size_t{1} << 20;
  // A picture beyond it is unreadable, because no message could carry it.
  size_t max_picture_bytes = size_t{63} << 20;

  // Leaves out samples that cannot be read, and says which, instead of failing.
  bool skip_unreadable = false;

  // InvalidArgument for what is wrong whatever the path is.
  absl::Status Validate() const;
};

struct InputContents;  // See input_contents.h.

// Samples on disk, in named groups. Knows where they are and reads them when
// asked. Groups and samples are in an order that depends on names and rows
// only. Thread-safe.
class Input {
 public:
  explicit Input(std::shared_ptr<InputContents> contents)
      : contents_(std::move(contents)) {}

  size_t num_groups() const;
  const std::string& group_name(size_t group) const;
  // Samples that will turn out to be unreadable count, too.
  size_t num_samples(size_t group) const;
  size_t num_samples() const;  // The sum over all groups.
  // The shape of a sample of numbers; empty if samples are pictures.
  const std::vector<int64_t>& sample_shape() const;
  bool has_pictures() const { return sample_shape().empty(); }

  // Reads the group in chunks with ids. An error names the group, the file or
  // line, and what to do; the next call of Next meets it again. With
  // skip_unreadable a group may turn out to be empty. May outlive this object.
  std::unique_ptr<SampleReader> Open(size_t group) const;

  // Sentences for the user, such as how many files are no pictures.
  const std::vector<std::string>& remarks() const;
  // What was left out until now, with reasons, if skip_unreadable.
  std::vector<std::string> Skipped() const;

 private:
  std::shared_ptr<InputContents> contents_;
};

// Lists groups and samples without reading any. InvalidArgument, naming file
// and option, if there is nothing to read, an option does not suit the kind of
// input, or a row or folder cannot be read and skip_unreadable is not set.
absl::StatusOr<Input> OpenInput(const InputOptions& options);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_INPUT_H_
