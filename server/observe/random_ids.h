#ifndef LADDER_SERVER_OBSERVE_RANDOM_IDS_H_
#define LADDER_SERVER_OBSERVE_RANDOM_IDS_H_

#include <atomic>
#include <cstdint>

#include "routing/counter_rng.h"

namespace ladder::server {

// Random numbers to tell requests and spans apart; not secrets. Replicas need
// different seeds, such as std::random_device's. Thread-safe.
class RandomIds {
 public:
  explicit RandomIds(uint64_t seed) : rng_(seed) {}

  uint64_t Next() { return rng_.Bits(counter_.fetch_add(1)); }

 private:
  const routing::CounterRng rng_;
  std::atomic<uint64_t> counter_ = 0;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_RANDOM_IDS_H_
