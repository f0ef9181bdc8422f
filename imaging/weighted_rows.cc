#include "imaging/weighted_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imaging/weighted_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::imaging::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRounding = 1 << (kWeightBits - 1);

#if HWY_TARGET == HWY_SCALAR

void ResizeAcross(const ResizeWeights& weights,
                  const uint8_t* const rows[kRowGroup],
                  uint8_t* const resized[kRowGroup]) {
  for (int r = 0; r < kRowGroup; ++r) {
    uint8_t* out = resized[r];
    for (int i = 0; i < weights.out_size(); ++i) {
      const uint8_t* in = rows[r] + 3 * weights.start(i);
      int sum[3] = {kRounding, kRounding, kRounding};
      for (int t = 0; t < weights.taps(); ++t) {
        const int weight =
            weights.high(i)[t] * (1 << kLowBits) + weights.low(i)[t];
        for (int c = 0; c < 3; ++c) sum[c] += weight * in[3 * t + c];
      }
      for (int c = 0; c < 3; ++c) {
        *out++ = static_cast<uint8_t>(sum[c] >> kWeightBits);
      }
    }
  }
}

void ResizeDown(const uint8_t* const* rows, const int16_t* high,
                const int16_t* low, int taps, size_t num_bytes, uint8_t* out) {
  for (size_t x = 0; x < num_bytes; ++x) {
    int sum = kRounding;
    for (int t = 0; t < taps; ++t) {
      sum += (high[t] * (1 << kLowBits) + low[t]) * rows[t][x];
    }
    out[x] = static_cast<uint8_t>(sum >> kWeightBits);
  }
}

#else

// Vectors of at most kRowGroup blocks of 16 bytes.
constexpr hn::CappedTag<uint8_t, size_t{16} * kRowGroup> kBytes;
constexpr hn::Repartition<int16_t, decltype(kBytes)> kShorts;
constexpr hn::Repartition<int32_t, decltype(kBytes)> kInts;
using Bytes = hn::Vec<decltype(kBytes)>;
using Shorts = hn::Vec<decltype(kShorts)>;
using Ints = hn::Vec<decltype(kInts)>;

// Two neighbouring weights, in every lane.
struct WeightPair {
  Shorts high;
  Shorts low;
};

HWY_INLINE Shorts BroadcastPair(const int16_t* pair) {
  int32_t both;
  std::memcpy(&both, pair, sizeof both);
  return hn::BitCast(kShorts, hn::Set(kInts, both));
}

HWY_INLINE WeightPair LoadPair(const int16_t* high, const int16_t* low) {
  return {BroadcastPair(high), BroadcastPair(low)};
}

// Sums of weight * value, in one lane per value.
class Sums {
 public:
  HWY_INLINE Sums()
      : high_(hn::Zero(kInts)),
        high_rest_(hn::Zero(kInts)),
        low_(hn::Set(kInts, kRounding)),
        low_rest_(hn::Zero(kInts)) {}

  // `values` are pairs as well, one pair per lane.
  HWY_INLINE void Add(const WeightPair& weights, Shorts values) {
    high_ = hn::ReorderWidenMulAccumulate(kInts, values, weights.high, high_,
                                          high_rest_);
    low_ = hn::ReorderWidenMulAccumulate(kInts, values, weights.low, low_,
                                         low_rest_);
  }

  // The values lie in 0..255, because weights are not negative and sum to one.
  HWY_INLINE Ints Values() const {
    const Ints high = hn::RearrangeToOddPlusEven(high_, high_rest_);
    const Ints low = hn::RearrangeToOddPlusEven(low_, low_rest_);
    return hn::ShiftRight<kWeightBits>(
        hn::Add(hn::ShiftLeft<kLowBits>(high), low));
  }

 private:
  // Highway may spread a sum over two vectors.
  Ints high_;
  Ints high_rest_;
  Ints low_;
  Ints low_rest_;
};

// Four values per lane, the first in the lowest byte.
HWY_INLINE Ints JoinBytes(Ints v0, Ints v1, Ints v2, Ints v3) {
  return hn::Or(hn::Or(v0, hn::ShiftLeft<8>(v1)),
                hn::Or(hn::ShiftLeft<16>(v2), hn::ShiftLeft<24>(v3)));
}

// 16 bytes from `offset` on of each row, a block per row.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const uint8_t* const* rows,
                                 size_t offset) {
  if constexpr (hn::MaxLanes(d) == 16) {
    return hn::LoadU(d, rows[0] + offset);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d,
                       LoadBlocks(half, rows + hn::MaxLanes(half) / 16, offset),
                       LoadBlocks(half, rows, offset));
  }
}

template <class D>
HWY_INLINE void StoreBlocks(D d, hn::Vec<D> v, uint8_t* const* rows,
                            size_t offset) {
  if constexpr (hn::MaxLanes(d) == 16) {
    hn::StoreU(v, d, rows[0] + offset);
  } else {
    const hn::Half<D> half;
    StoreBlocks(half, hn::LowerHalf(half, v), rows, offset);
    StoreBlocks(half, hn::UpperHalf(half, v), rows + hn::MaxLanes(half) / 16,
                offset);
  }
}

// r0 g0 b0 r1 g1 b1 .. to the pairs (r0, r1) (g0, g1) (b0, b1) of shorts, zero
// where the index is beyond the block.
alignas(16) constexpr uint8_t kPairUp[16] = {
    0, 128, 3, 128, 1, 128, 4, 128, 2, 128, 5, 128, 128, 128, 128, 128};
// Four pixels' values by channel to the pixels.
alignas(16) constexpr uint8_t kPixels[16] = {0,  4, 8, 1,  5,  9,  2,  6,
                                             10, 3, 7, 11, 12, 13, 14, 15};

// Says where to find what a new pixel is made of. A copy, because the compiler
// must take any write of bytes for a change of the original.
struct Recipe {
  explicit Recipe(const ResizeWeights& weights)
      : starts(weights.starts()),
        high(weights.high(0)),
        low(weights.low(0)),
        taps(static_cast<size_t>(weights.taps())) {}

  const int* HWY_RESTRICT starts;
  const int16_t* HWY_RESTRICT high;
  const int16_t* HWY_RESTRICT low;
  size_t taps;
};

// The new pixel i in as many rows as there are blocks: red, green and blue in
// the first three lanes of each.
HWY_INLINE Ints ResizePixel(const Recipe& recipe, size_t i,
                            const uint8_t* const* rows, Bytes pair_up) {
  const int16_t* HWY_RESTRICT high = recipe.high + i * recipe.taps;
  const int16_t* HWY_RESTRICT low = recipe.low + i * recipe.taps;
  size_t offset = static_cast<size_t>(recipe.starts[i]) * 3;
  Sums sums;
  size_t t = 0;
  do {
    const Bytes pixels = LoadBlocks(kBytes, rows, offset);
    sums.Add(LoadPair(high + t, low + t),
             hn::BitCast(kShorts, hn::TableLookupBytesOr0(pixels, pair_up)));
    offset += 6;
    t += 2;
  } while (t < recipe.taps);
  return sums.Values();
}

void ResizeAcross(const ResizeWeights& weights,
                  const uint8_t* const rows[kRowGroup],
                  uint8_t* const resized[kRowGroup]) {
  constexpr size_t kBlocks = hn::MaxLanes(kBytes) / 16;
  const Recipe recipe(weights);
  const Bytes pair_up = hn::LoadDup128(kBytes, kPairUp);
  const Bytes to_pixels = hn::LoadDup128(kBytes, kPixels);
  const auto last = static_cast<size_t>(weights.out_size() - 1);
  for (size_t r = 0; r < kRowGroup; r += kBlocks) {
    const uint8_t* in[kBlocks];
    std::memcpy(in, rows + r, sizeof in);
    for (size_t i = 0; i <= last; i += 4) {
      const Ints joined =
          JoinBytes(ResizePixel(recipe, i, in, pair_up),
                    ResizePixel(recipe, HWY_MIN(i + 1, last), in, pair_up),
                    ResizePixel(recipe, HWY_MIN(i + 2, last), in, pair_up),
                    ResizePixel(recipe, HWY_MIN(i + 3, last), in, pair_up));
      StoreBlocks(kBytes,
                  hn::TableLookupBytes(hn::BitCast(kBytes, joined), to_pixels),
                  resized + r, i * 3);
    }
  }
}

// A row's bytes in lanes of 32 bits: bytes 0 and 2 as shorts, and 1 and 3.
struct SplitBytes {
  Ints even;
  Ints odd;
};

HWY_INLINE SplitBytes LoadSplit(const uint8_t* bytes) {
  const Ints four = hn::BitCast(kInts, hn::LoadU(kBytes, bytes));
  const Ints mask = hn::Set(kInts, 0x00FF00FF);
  return {hn::And(four, mask), hn::And(hn::ShiftRight<8>(four), mask)};
}

// Lane by lane, the pair of the lower or upper shorts of `a` and `b`.
HWY_INLINE Shorts PairLower(Ints a, Ints b) {
  return hn::OddEven(hn::BitCast(kShorts, hn::ShiftLeft<16>(b)),
                     hn::BitCast(kShorts, a));
}
HWY_INLINE Shorts PairUpper(Ints a, Ints b) {
  return hn::OddEven(hn::BitCast(kShorts, b),
                     hn::BitCast(kShorts, hn::ShiftRight<16>(a)));
}

void ResizeDown(const uint8_t* const* rows, const int16_t* high,
                const int16_t* low, int taps, size_t num_bytes, uint8_t* out) {
  for (size_t x = 0; x < num_bytes; x += hn::Lanes(kBytes)) {
    Sums sums[4];  // One for each byte of a lane.
    for (int t = 0; t < taps; t += 2) {
      const WeightPair weights = LoadPair(high + t, low + t);
      const SplitBytes a = LoadSplit(rows[t] + x);
      const SplitBytes b = LoadSplit(rows[t + 1] + x);
      sums[0].Add(weights, PairLower(a.even, b.even));
      sums[1].Add(weights, PairLower(a.odd, b.odd));
      sums[2].Add(weights, PairUpper(a.even, b.even));
      sums[3].Add(weights, PairUpper(a.odd, b.odd));
    }
    const Ints joined = JoinBytes(sums[0].Values(), sums[1].Values(),
                                  sums[2].Values(), sums[3].Values());
    hn::StoreU(hn::BitCast(kBytes, joined), kBytes, out + x);
  }
}

#endif

}  // namespace ladder::imaging::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::imaging {

HWY_EXPORT(ResizeAcross);
HWY_EXPORT(ResizeDown);

void ResizeAcross(const ResizeWeights& weights,
                  const uint8_t* const rows[kRowGroup],
                  uint8_t* const resized[kRowGroup]) {
  HWY_DYNAMIC_DISPATCH(ResizeAcross)(weights, rows, resized);
}

void ResizeDown(const uint8_t* const* rows, const int16_t* high,
                const int16_t* low, int taps, size_t num_bytes, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ResizeDown)(rows, high, low, taps, num_bytes, out);
}

}  // namespace ladder::imaging
#endif  // HWY_ONCE
