#ifndef LADDER_TRAINER_FIT_RUN_FOLDER_H_
#define LADDER_TRAINER_FIT_RUN_FOLDER_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "trainer/fit/fit_options.h"

namespace ladder::trainer {

// A run folder holds what a run needs to go on: its options, stage 1's
// checkpoint and curves, and what stage 2 has made of each source so far.
inline constexpr char kOptionsFile[] = "options.json";
inline constexpr char kCheckpointFile[] = "checkpoint.safetensors";
inline constexpr char kCurvesFile[] = "curves.csv";
std::string SourceFile(size_t source);  // "source-0007.safetensors"

// Makes the folder that options.run names, for a new run or to go on with an
// old one.
//
// AlreadyExists if there is a run in it and `resume` is false; NotFound if
// there is none and `resume` is true; FailedPrecondition, naming the options
// that differ, if the run in it was another one. Options that say where and on
// what a run works may differ.
absl::Status OpenRunFolder(const FitOptions& options, bool resume);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_RUN_FOLDER_H_
