#ifndef LADDER_BASE_SYSTEM_RANDOM_IDS_H_
#define LADDER_BASE_SYSTEM_RANDOM_IDS_H_

#include <atomic>
#include <cstdint>

namespace ladder::base {

// Random numbers to tell requests and spans apart; not secrets. No number comes
// twice. Replicas need different seeds, such as std::random_device's.
// Thread-safe.
class RandomIds {
 public:
  explicit RandomIds(uint64_t seed) : state_(Mix(seed + kGamma)) {}

  uint64_t Next() { return Mix(state_.fetch_add(kGamma) + kGamma); }

 private:
  // SplitMix64 (Steele, Lea and Flood 2014): a Weyl sequence through a
  // finalizer. The seed goes through it too, so that seeds that differ by a
  // multiple of kGamma do not give shifted copies of one sequence.
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  static constexpr uint64_t Mix(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  std::atomic<uint64_t> state_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_RANDOM_IDS_H_
