#ifndef LADDER_EXPERIMENTS_DIAGNOSE_LINEAR_PROBE_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_LINEAR_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/matrix_view.h"

namespace ladder::experiments {

// Says what is to be predicted, and on which samples.
struct ProbeTask {
  std::vector<size_t> rows = {};  // Which rows of the features take part.
  // What to predict for each of them; any numbers, equal ones are one class.
  std::vector<int64_t> targets = {};
  uint64_t seed = 0;  // Decides the split and the order of training.
};

struct ProbeTraining {
  size_t num_epochs = 50;
  size_t batch_size = 1024;
  double learning_rate = 1e-2;  // AdamW's rate
  double weight_decay = 1e-4;   // and its decay.
};

// Shares of the held-out samples, in [0, 1].
struct ProbeScore {
  double accuracy = 0;
  double majority = 0;  // The accuracy of always answering the commonest class.
};

// Trains a linear softmax head on a random 80 % of the task's rows of
// `features` and scores it on the rest. Features are shifted and scaled by mean
// and standard deviation of the training rows; the commonest class is theirs
// too.
//
// A pure function of its arguments. InvalidArgument if there are fewer than
// five rows, of which one is held out; Cancelled once `stop` is requested; also
// errors as trainer::CatchTorchErrors.
absl::StatusOr<ProbeScore> RunProbe(const routing::MatrixView& features,
                                    const ProbeTask& task,
                                    const ProbeTraining& training,
                                    const std::stop_token& stop);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_LINEAR_PROBE_H_
