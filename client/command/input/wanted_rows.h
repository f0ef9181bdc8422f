#ifndef LADDER_CLIENT_COMMAND_INPUT_WANTED_ROWS_H_
#define LADDER_CLIENT_COMMAND_INPUT_WANTED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "client/command/input/input.h"
#include "client/command/input/sample_sources.h"

namespace ladder::client {

// The columns of a CSV file that say which rows are wanted, what they are
// called and what groups they belong to.
class WantedRows {
 public:
  // InvalidArgument if a column that the options name is not there.
  static absl::StatusOr<WantedRows> Find(const base::CsvTable& table,
                                         const InputOptions& options);

  // Calls `add` for each wanted row. Its faults, and malformed rows, are given
  // to `skipped` with the line they are at. InvalidArgument if there are rows
  // and no filter lets one through.
  absl::Status ForEach(base::CsvTable& table, SkippedSamples& skipped,
                       absl::FunctionRef<absl::Status()> add);

  // What the row at hand says; empty if there is no such column. It is a fault
  // if there is one and the group is empty.
  absl::StatusOr<std::string> Group(const base::CsvTable& table) const;
  absl::string_view Id(const base::CsvTable& table) const;

  bool has_groups() const { return group_.has_value(); }
  // Whether a column is one of these.
  bool Uses(size_t column) const;
  // How many rows the file has, wanted or not; known after ForEach.
  int64_t num_rows() const { return num_rows_; }

 private:
  struct Filter {
    size_t column = 0;
    std::string value = {};
  };

  std::optional<size_t> group_;
  std::string group_name_;
  std::optional<size_t> id_;
  std::vector<Filter> filters_;
  std::string filters_text_;
  int64_t num_rows_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_WANTED_ROWS_H_
