#include "trainer/data/random_order.h"

#include <algorithm>
#include <bit>

namespace ladder::trainer {
namespace {

// Each round leaves about half of what order there was.
uint64_t NumRounds(uint64_t size) {
  return 32 + 4 * static_cast<uint64_t>(std::bit_width(size));
}

}  // namespace

RandomOrder::RandomOrder(uint64_t size, uint64_t seed)
    : size_(size),
      pivots_(NumRounds(size)),
      coins_(routing::CounterRng(seed).Bits(1)) {
  const routing::CounterRng rng(routing::CounterRng(seed).Bits(0));
  for (uint64_t round = 0; round < pivots_.size(); ++round) {
    pivots_[round] = rng.Below(size, round);
  }
}

uint64_t RandomOrder::At(uint64_t place) const {
  // The swap-or-not shuffle (Hoang, Morris and Rogaway 2012): a round pairs x
  // with pivot - x and swaps the pair or not, by a coin that both have in
  // common.
  for (uint64_t round = 0; round < pivots_.size(); ++round) {
    const uint64_t pivot = pivots_[round];
    const uint64_t partner =
        place <= pivot ? pivot - place : pivot + size_ - place;
    const uint64_t pair = std::max(place, partner);
    if (coins_.Bits(round * size_ + pair) >> 63 != 0) place = partner;
  }
  return place;
}

}  // namespace ladder::trainer
