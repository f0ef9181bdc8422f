#ifndef LADDER_CLIENT_COMMAND_OUTPUT_JOURNAL_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_JOURNAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::client {

// How long both files are at some point.
struct OutputEnds {
  int64_t predictions = 0;
  int64_t routing = 0;
};

// A group whose rows are in both files and on the disk.
struct FinishedGroup {
  std::string name = {};  // Valid UTF-8.
  uint64_t num_samples = 0;
  OutputEnds ends = {};     // With its rows.
  int64_t journal_end = 0;  // With its line.
};

// What the journal of an output says: JSON lines, the first about the run, then
// one for each finished group.
struct Journal {
  std::map<std::string, std::string> run = {};  // What makes it what it is.
  OutputEnds ends = {};                         // Before the first group.
  int64_t journal_end = 0;                      // Of the first line.
  std::vector<FinishedGroup> groups = {};
};

// The lines, line ends included.
std::string RunLine(const std::map<std::string, std::string>& run,
                    const OutputEnds& ends);
std::string GroupLine(const FinishedGroup& group);

// Parses a journal. A last line that is cut short is ignored: it was being
// written when the process ended. None if that was the first. InvalidArgument,
// with the line's number, if it is no journal of a version we know.
absl::StatusOr<std::optional<Journal>> ParseJournal(absl::string_view text);

// Ok if both runs are the same; else FailedPrecondition, naming what differs.
absl::Status CheckSameRun(const std::map<std::string, std::string>& expected,
                          const std::map<std::string, std::string>& found);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_JOURNAL_H_
