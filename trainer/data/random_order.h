#ifndef LADDER_TRAINER_DATA_RANDOM_ORDER_H_
#define LADDER_TRAINER_DATA_RANDOM_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/counter_rng.h"

namespace ladder::trainer {

// A shuffled order of the numbers [0, size), any place of which can be looked
// up without making the others: a pure function of size and seed, the same on
// every platform. Immutable and thread-safe.
class RandomOrder {
 public:
  // Expects a size of at least 1 and below 2^48.
  RandomOrder(uint64_t size, uint64_t seed);

  // What is at `place`, which must be below the size. Every number is at
  // exactly one place.
  uint64_t At(uint64_t place) const;

 private:
  uint64_t size_;
  std::vector<uint64_t> pivots_;  // One per round.
  routing::CounterRng coins_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_RANDOM_ORDER_H_
