#ifndef LADDER_TRAINER_FIT_CURVES_H_
#define LADDER_TRAINER_FIT_CURVES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ladder::trainer {

// The losses of stage 1 over its steps, as a CSV file that grows while the run
// does: "step", then one column per loss. One writer at a time.
class Curves {
 public:
  // A file that is there keeps its rows up to `last_step`, so that a run that
  // goes on from a checkpoint does not tell a part of its story twice. What
  // errno says if it cannot be written.
  static absl::StatusOr<Curves> Open(std::filesystem::path path,
                                     uint64_t last_step);

  absl::Status Add(uint64_t step,
                   const std::vector<std::pair<std::string, double>>& losses);

 private:
  explicit Curves(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_CURVES_H_
