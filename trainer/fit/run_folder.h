#ifndef LADDER_TRAINER_FIT_RUN_FOLDER_H_
#define LADDER_TRAINER_FIT_RUN_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer/data/dataset.h"
#include "trainer/fit/fit_observer.h"
#include "trainer/fit/fit_options.h"

namespace ladder::trainer {

// A run folder holds what a run needs to go on: its options, which data set it
// is of, stage 1's checkpoint and curves, and what stage 2 has made of each
// source so far.
inline constexpr char kOptionsFile[] = "options.json";
inline constexpr char kDataFile[] = "data.json";
inline constexpr char kCheckpointFile[] = "checkpoint.safetensors";
inline constexpr char kCurvesFile[] = "curves.csv";
std::string SourceFile(size_t source);  // "source-0007.safetensors"

// Makes the folder that options.run names, for a new run on `dataset` or to go
// on with an old one.
//
// AlreadyExists if there is a run in it and `resume` is false; NotFound if
// there is none and `resume` is true; FailedPrecondition, naming the options
// that differ or both data sets, if the run in it was another one. Options that
// say where and on what a run works may differ, and so may the place of the
// data set. Runs of older versions do not say what their data set was: that is
// told to `observer`, and the one at hand is taken for it from then on.
absl::Status OpenRunFolder(const FitOptions& options, const Dataset& dataset,
                           bool resume, FitObserver& observer);

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

#endif  // LADDER_TRAINER_FIT_RUN_FOLDER_H_
