#ifndef LADDER_ROUTING_RESERVOIR_H_
#define LADDER_ROUTING_RESERVOIR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "routing/counter_rng.h"

namespace ladder::routing {

// Draws which rows of a stream of unknown length belong to a seeded uniform
// sample, without replacement, of at most `capacity`. It knows places only, so
// that the rows themselves may lie on the host or on a device.
//
// Depends on the seed and on the place of the rows in the stream alone: not on
// how they were cut into chunks, nor on platform or standard library. A value
// type; one writer at a time.
class Reservoir {
 public:
  Reservoir(size_t capacity, uint64_t seed)
      : capacity_(capacity), seed_(seed), rng_(seed) {}

  // The slot, below capacity(), that the stream's next row takes, be it free or
  // held by an earlier row; none if the row is left out. Slots fill in order.
  std::optional<size_t> Next() {
    // Vitter's Algorithm R. The row's place in the stream is the counter of its
    // draw, which is what makes the sample indifferent to chunking.
    const uint64_t index = num_seen_++;
    if (index < capacity_) return index;
    const uint64_t slot = rng_.Below(/*bound=*/index + 1, /*counter=*/index);
    if (slot < capacity_) return slot;
    return std::nullopt;
  }

  // The number of slots that are taken.
  size_t size() const { return std::min<uint64_t>(num_seen_, capacity_); }

  size_t capacity() const { return capacity_; }
  uint64_t seed() const { return seed_; }
  uint64_t num_seen() const { return num_seen_; }

 private:
  size_t capacity_;
  uint64_t seed_;
  CounterRng rng_;
  uint64_t num_seen_ = 0;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_RESERVOIR_H_
