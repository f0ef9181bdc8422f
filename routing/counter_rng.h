#ifndef LADDER_ROUTING_COUNTER_RNG_H_
#define LADDER_ROUTING_COUNTER_RNG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace ladder::routing {

// Random numbers as a pure function of a seed and a counter, the same on every
// platform and standard library. Nothing advances: draw `i` is draw `i` however
// the work before it was cut into pieces.
//
// It is for sampling, not for secrets. Immutable and thread-safe. Two uses that
// must be independent of each other need two seeds; any two will do, such as 0
// and 1.
class CounterRng {
 public:
  explicit constexpr CounterRng(uint64_t seed) : key_(Mix(seed + kGamma)) {}

  // Uniform over all 64-bit values.
  constexpr uint64_t Bits(uint64_t counter) const {
    return Mix(key_ + (counter + 1) * kGamma);
  }

  // Uniform in [0, bound), for a positive `bound`. The bias of scaling 64 bits
  // down is below bound / 2^64: nothing that a sample could show.
  uint64_t Below(uint64_t bound, uint64_t counter) const {
    return absl::Uint128High64(absl::uint128(Bits(counter)) * bound);
  }

 private:
  // SplitMix64 (Steele, Lea and Flood 2014): a Weyl sequence through a
  // finalizer. The seed goes through it too, or seeds that differ by a multiple
  // of kGamma would give shifted copies of one sequence.
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  static constexpr uint64_t Mix(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  uint64_t key_;
};

// A uniform sample without replacement of `k` of the indices [0, n), ascending;
// all of them if k >= n. Depends on the arguments only.
std::vector<size_t> SampleIndices(size_t n, size_t k, uint64_t seed);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_COUNTER_RNG_H_
