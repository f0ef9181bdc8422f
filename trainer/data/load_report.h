#ifndef LADDER_TRAINER_DATA_LOAD_REPORT_H_
#define LADDER_TRAINER_DATA_LOAD_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/files/csv_table.h"
#include "trainer/data/on_broken.h"

namespace ladder::trainer {

// What became of the rows that describe a data set.
struct LoadReport {
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
                        LoadReport& report,
                        absl::FunctionRef<absl::Status()> read_row);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_LOAD_REPORT_H_
