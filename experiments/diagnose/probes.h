#ifndef LADDER_EXPERIMENTS_DIAGNOSE_PROBES_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_PROBES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "experiments/diagnose/linear_probe.h"
#include "routing/execution.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::experiments {

// A probe on each of the two representations, with one split for both.
struct ProbePair {
  double content_accuracy = 0;  // Accuracy of the probe that sees z_c.
  double style_accuracy = 0;    // Accuracy of the probe that sees z_s.
  double majority = 0;          // Accuracy of answering the commonest class.
};

// Says what linear probes find in the representations of source samples, on
// held-out ones: accuracies, in [0, 1].
struct ProbeReport {
  size_t num_samples = 0;  // Trained and scored on, at most 4096 per source.
  ProbePair domain = {};   // Which source a sample is of.
  ProbePair label = {};    // Which class it has.
  // Which source it is of, by a probe for each class alone: means over the
  // eligible classes, which have at least 20 samples in each of at least 3
  // sources. A class's other sources take no part. None without such a class.
  std::optional<ProbePair> domain_given_class = {};
  size_t num_eligible_classes = 0;
};

struct ProbesOptions {
  uint64_t seed = 0;  // Decides subsample, splits and order of training.
  ProbeTraining training = {};
};

// Probes `samples` of sources, whose `domains` are below samples.num_sources:
// mapping them is up to the caller. Gates are not read.
//
// The same bits on any number of threads. InvalidArgument if the samples'
// numbers do not fit together or are not finite, or if they are fewer than
// five; Cancelled as routing::Execution.
absl::StatusOr<ProbeReport> RunProbes(const trainer::EncodedSamples& samples,
                                      const ProbesOptions& options,
                                      const routing::Execution& execution);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_PROBES_H_
