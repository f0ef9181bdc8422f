#ifndef LADDER_CLIENT_COMMAND_INPUT_INPUT_OPTIONS_H_
#define LADDER_CLIENT_COMMAND_INPUT_INPUT_OPTIONS_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::command {

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

  // Of a CSV file (or of groups_file, as far as they make sense there):
  std::filesystem::path image_root = {};  // Where paths start; its own folder.
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

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_INPUT_OPTIONS_H_
