#ifndef LADDER_TRAINER_FIT_FIT_H_
#define LADDER_TRAINER_FIT_FIT_H_

#include <filesystem>
#include <stop_token>

#include "absl/status/statusor.h"
#include "trainer/fit/fit_observer.h"
#include "trainer/fit/fit_options.h"

namespace ladder::trainer {

// Fills options.run, if it is empty, with its default.
void SetDefaultRun(FitOptions& options);

// A whole run: opens the data set, selects the sources, learns the encoders
// (stage 1), fits heads and draws fingerprints (stage 2), and writes a bundle
// to options.out, STORE/NAME, as its next version. Returns the bundle's folder.
//
// With `resume` it goes on where the run in options.run stopped. Cancelled if
// `stop` was requested: the run folder is then good to go on with, and no
// bundle was written. Otherwise errors of the options, of the data, of the file
// system and of LibTorch, each saying what was expected and what was found.
absl::StatusOr<std::filesystem::path> Fit(const FitOptions& options,
                                          bool resume, FitObserver& observer,
                                          std::stop_token stop);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_FIT_H_
