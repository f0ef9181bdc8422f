#ifndef LADDER_TRAINER_DATA_BROKEN_SAMPLES_H_
#define LADDER_TRAINER_DATA_BROKEN_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace ladder::trainer {

// A sample that was to be in a batch and could not be read, and why.
struct BrokenSample {
  size_t sample = 0;
  absl::Status error = {};
};

// Counts broken samples, each once however often it is met: over all epochs,
// stages and loaders of a run. One caller at a time.
class BrokenSamples {
 public:
  // Whether it was not known yet, and so is worth a message.
  bool Add(const BrokenSample& broken);

  int64_t size() const { return static_cast<int64_t>(reasons_.size()); }
  // How many there are of each reason (fault.h).
  std::map<std::string, int64_t> counts() const;

 private:
  absl::flat_hash_map<size_t, std::string> reasons_;  // By sample.
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_BROKEN_SAMPLES_H_
