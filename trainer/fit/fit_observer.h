#ifndef LADDER_TRAINER_FIT_FIT_OBSERVER_H_
#define LADDER_TRAINER_FIT_FIT_OBSERVER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace ladder::trainer {

// Says how far one part of a run is.
struct FitProgress {
  absl::string_view stage = {};  // "representation", "heads", ...
  uint64_t done = 0;             // Steps or sources.
  uint64_t total = 0;
  uint64_t samples = 0;  // Samples that `done` took in this process.
  // Means since the last report, by name; none where there is no loss.
  std::vector<std::pair<std::string, double>> losses = {};
};

// Is told what a run does, on the thread that runs it.
class FitObserver {
 public:
  virtual ~FitObserver() = default;

  // One line for people.
  virtual void Message(absl::string_view text) = 0;
  virtual void Progress(const FitProgress& progress) = 0;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_FIT_OBSERVER_H_
