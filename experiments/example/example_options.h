#ifndef LADDER_EXPERIMENTS_EXAMPLE_EXAMPLE_OPTIONS_H_
#define LADDER_EXPERIMENTS_EXAMPLE_EXAMPLE_OPTIONS_H_

#include <cstdint>
#include <filesystem>

#include "absl/status/status.h"
#include "experiments/example/garments.h"

namespace ladder::trainer {

struct ExampleOptions {
  uint64_t seed = 0;
  int64_t num_sources = 24;           // Locations that are trained on.
  int64_t num_targets = 8;            // Locations that are not.
  int64_t frames_per_source = 1000;   // Of the split train.
  int64_t held_out_per_source = 150;  // Of id_val, and as many of id_test.
  int64_t frames_per_target = 600;    // Of the split test.
  std::filesystem::path images = kDebianGarments;  // Fashion-MNIST's folder.
  std::filesystem::path out = {};                  // The folder to make.

  int64_t num_frames() const {
    return num_sources * (frames_per_source + 2 * held_out_per_source) +
           num_targets * frames_per_target;
  }

  // InvalidArgument if a number is out of range or there is no `out`.
  // Afterwards num_frames() does not overflow.
  absl::Status Validate() const;
};

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_EXAMPLE_EXAMPLE_OPTIONS_H_
