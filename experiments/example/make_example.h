#ifndef LADDER_EXPERIMENTS_EXAMPLE_MAKE_EXAMPLE_H_
#define LADDER_EXPERIMENTS_EXAMPLE_MAKE_EXAMPLE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "experiments/example/world.h"
#include "routing/execution.h"

namespace ladder::experiments {

// The frames that were made, by split.
struct ExampleSummary {
  int64_t num_train = 0;
  int64_t num_id_val = 0;
  int64_t num_id_test = 0;
  int64_t num_test = 0;
};

// Told how many frames of how many are written, after each; one call at a time,
// from any thread.
using ExampleProgress = absl::FunctionRef<void(int64_t done, int64_t total)>;

// Makes a data set like that of camera traps, in the layout of iWildCam
// (docs/data.md), from the pictures of Fashion-MNIST: `options.out`, and the
// folders it lies in. Each location has a habitat, which decides what is seen
// there and what pictures look like; habitats.csv tells it to people, training
// never reads it. The same seed gives the same files on any number of threads.
//
// AlreadyExists if `out` does, NotFound or InvalidArgument if pictures are
// missing, broken or too few, Cancelled if stopped, else what the disk says.
// Then there is no `out`: it gets its name when all is written.
absl::StatusOr<ExampleSummary> MakeExample(const ExampleOptions& options,
                                           const routing::Execution& execution,
                                           ExampleProgress progress);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_EXAMPLE_MAKE_EXAMPLE_H_
