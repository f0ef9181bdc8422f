#ifndef LADDER_TRAINER_DATA_DOMAIN_SAMPLER_H_
#define LADDER_TRAINER_DATA_DOMAIN_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/counter_rng.h"

namespace ladder::trainer {

// A shuffled order of the numbers [0, size), any place of which can be looked
// up without making the others: a pure function of size and seed, the same on
// every platform. Immutable and thread-safe.
class RandomOrder {
 public:
  // Expects a size of at least 1 and below 2^48.
  RandomOrder(uint64_t size, uint64_t seed);

  // The number at `place`, which must be below the size. Every number is at
  // exactly one place.
  uint64_t At(uint64_t place) const;

 private:
  uint64_t size_;
  std::vector<uint64_t> pivots_;  // One per round.
  routing::CounterRng coins_;
};

struct DomainSamplerOptions {
  int64_t batch_size = 32;
  int64_t domains_per_step = 4;
  uint64_t seed = 0;
};

// The batches of stage 1: equally many samples from each of a few sources, in
// turn and in random order.
//
// The sources come in rounds, each in an order of its own and each source once;
// steps cut the rounds into pieces of different sources. A source's samples
// come in passes, likewise. A batch is a pure function of the seed and the
// step, so that a run can go on from any step as if it had never stopped.
//
// Immutable, cheap to copy and thread-safe.
class DomainSampler {
 public:
  // `samples` are those of each source. InvalidArgument if there are fewer
  // sources than domains_per_step, one has no sample, the batch size is not a
  // positive multiple of domains_per_step, or an option is out of range.
  static absl::StatusOr<DomainSampler> Create(
      std::vector<std::vector<size_t>> samples,
      const DomainSamplerOptions& options);

  // The samples of a step, those of one source together. One may come twice if
  // a pass over its source ends within the step.
  std::vector<size_t> Batch(uint64_t step) const;

 private:
  struct Visit {
    size_t source = 0;
    uint64_t round = 0;  // How often the source was visited before.
  };

  DomainSampler(std::vector<std::vector<size_t>> samples,
                const DomainSamplerOptions& options);

  std::vector<Visit> Visits(uint64_t step) const;
  void AddShare(const Visit& visit, std::vector<size_t>& batch) const;

  std::shared_ptr<const std::vector<std::vector<size_t>>> samples_;
  size_t num_sources_ = 0;
  size_t domains_per_step_ = 0;
  uint64_t share_ = 0;  // Samples per source and step.
  uint64_t visits_seed_ = 0;
  uint64_t samples_seed_ = 0;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_DOMAIN_SAMPLER_H_
