#ifndef LADDER_TRAINER_DATA_DATASET_REPORT_H_
#define LADDER_TRAINER_DATA_DATASET_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/files/csv.h"

namespace ladder::trainer {

// Says what to do about rows and samples that are broken.
enum class OnBroken {
  kSkip,  // Leave them out, and count them.
  kFail,  // Stop at the first.
};

// A sample that was to be in a batch and could not be read, and why.
struct BrokenSample {
  size_t sample = 0;
  absl::Status error = {};
};

// Counts broken samples, each once however often it is met: over all epochs,
// stages and loaders of a run. One caller at a time.
class BrokenSamples {
 public:
  // Returns whether it was not known yet, and so is worth a message.
  bool Add(const BrokenSample& broken);

  int64_t size() const { return static_cast<int64_t>(reasons_.size()); }
  // The number of them for each reason (fault.h).
  std::map<std::string, int64_t> counts() const;

 private:
  absl::flat_hash_map<size_t, std::string> reasons_;  // Keyed by sample.
};

// Says what became of the rows that describe a data set.
struct DatasetReport {
  // How many broken rows are described one by one.
  static constexpr size_t kMaxMessages = 20;

  int64_t num_rows = 0;
  int64_t num_samples = 0;
  // Rows that were skipped because something is wrong with them, by reason.
  std::map<std::string, int64_t> broken = {};
  // Rows that are well but not for us, by reason.
  std::map<std::string, int64_t> left_out = {};
  // What is wrong with the first broken rows, each with its file and line.
  std::vector<std::string> messages = {};

  int64_t num_broken() const;

  // One line: "7 samples of 10 rows; 2 broken (1 bad label, 1 malformed); 1
  // left out (1 sequestered)".
  std::string Summary() const;
};

// Calls `read_row` for every row of `table`. It returns a fault (fault.h) if
// the row is broken: that is reported with its place and then skipped or
// returned, as `on_broken` says. Other errors are returned.
absl::Status ForEachRow(base::CsvTable& table, OnBroken on_broken,
                        DatasetReport& report,
                        absl::FunctionRef<absl::Status()> read_row);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_DATASET_REPORT_H_
