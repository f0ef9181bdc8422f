#include "routing/simd/costs.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "routing/simd/costs.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "routing/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::routing::simd::HWY_NAMESPACE {

constexpr size_t kTileRows = LADDER_WIDE ? 8 : 6;
constexpr auto kSmallestSquaredCost =
    static_cast<float>(kSmallestCost * kSmallestCost);
// Below this share of |x|^2 + |y|^2 a squared cost has lost too many digits.
constexpr float kCancellation = 4e-3f;

// |x - y_j|^2 for the points of one vector of a panel, from differences.
HWY_NOINLINE V SquaredDistances(const float* HWY_RESTRICT x,
                                const float* HWY_RESTRICT panel,
                                size_t dimension) {
  V sum = hn::Zero(kFloats);
  for (size_t k = 0; k < dimension; ++k) {
    const V gap = hn::Sub(hn::Set(kFloats, x[k]),
                          hn::Load(kFloats, panel + k * kPanelWidth));
    sum = hn::MulAdd(gap, gap, sum);
  }
  return sum;
}

// The square root of a positive, normal x to about one unit in the last place:
// an estimate and one step of Heron's, a third of the divider's time.
HWY_INLINE V SquareRoot(V x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Sqrt(x);
#else
  V inverse = hn::ApproximateReciprocalSqrt(x);
#if !LADDER_WIDE  // The narrow estimate has 11 bits, not 14: refine it first.
  const V half_x = hn::Mul(x, hn::Set(kFloats, 0.5f));
  inverse = hn::Mul(inverse, hn::NegMulAdd(hn::Mul(half_x, inverse), inverse,
                                           hn::Set(kFloats, 1.5f)));
#endif
  const V root = hn::Mul(x, inverse);
  const V error = hn::NegMulAdd(root, root, x);
  return hn::MulAdd(hn::Mul(error, inverse), hn::Set(kFloats, 0.5f), root);
#endif
}

// The costs from kTileRows points of x to two vectors of points of y.
struct Tile {
  V cost[kTileRows][2];
};

HWY_INLINE Tile ComputeTile(const PointsView& x, size_t row, const float* panel,
                            const float* panel_norms) {
  const size_t lanes = hn::Lanes(kFloats);
  const size_t dimension = x.dimension;
  // Rows past the end repeat the last one; their results are not stored.
  const float* HWY_RESTRICT points[kTileRows];
  float norms[kTileRows];
  for (size_t r = 0; r < kTileRows; ++r) {
    const size_t i = std::min(row + r, x.count - 1);
    points[r] = x.rows + i * dimension;
    norms[r] = x.squared_norms[i];
  }

  V dot[kTileRows][2];
  HWY_UNROLL(kTileRows)
  for (size_t r = 0; r < kTileRows; ++r) {
    dot[r][0] = hn::Zero(kFloats);
    dot[r][1] = hn::Zero(kFloats);
  }
  for (size_t k = 0; k < dimension; ++k) {
    const V y0 = hn::Load(kFloats, panel + k * kPanelWidth);
    const V y1 = hn::Load(kFloats, panel + k * kPanelWidth + lanes);
    HWY_UNROLL(kTileRows)
    for (size_t r = 0; r < kTileRows; ++r) {
      const V xr = hn::Set(kFloats, points[r][k]);
      dot[r][0] = hn::MulAdd(xr, y0, dot[r][0]);
      dot[r][1] = hn::MulAdd(xr, y1, dot[r][1]);
    }
  }

  Tile tile;
  for (size_t r = 0; r < kTileRows; ++r) {
    for (size_t half = 0; half < 2; ++half) {
      const V norm_sum = hn::Add(hn::Set(kFloats, norms[r]),
                                 hn::Load(kFloats, panel_norms + half * lanes));
      V squared = hn::NegMulAdd(hn::Set(kFloats, 2.0f), dot[r][half], norm_sum);
      const auto near =
          hn::Lt(squared, hn::Mul(norm_sum, hn::Set(kFloats, kCancellation)));
      if (HWY_UNLIKELY(!hn::AllFalse(kFloats, near))) {
        squared = hn::IfThenElse(
            near, SquaredDistances(points[r], panel + half * lanes, dimension),
            squared);
      }
      tile.cost[r][half] =
          SquareRoot(hn::Max(squared, hn::Set(kFloats, kSmallestSquaredCost)));
    }
  }
  return tile;
}

// Calls `store(row, r, col, costs)` for every vector of costs, r being the
// row's place in its block, and `store.Finish(row, num_rows)` after each block
// of rows. With `upper_only` leaves out what lies left of the diagonal's
// vector.
template <class Store>
HWY_INLINE void ForEachCost(const PointsView& x, const PointsView& y,
                            bool upper_only, Store& store) {
  const size_t lanes = hn::Lanes(kFloats);
  for (size_t row = 0; row < x.count; row += kTileRows) {
    const size_t first_col = upper_only ? row / kLanePad * kLanePad : 0;
    const size_t num_rows = std::min(kTileRows, x.count - row);
    for (size_t col = first_col / kPanelWidth * kPanelWidth; col < y.count;
         col += 2 * lanes) {
      if (col + 2 * lanes <= first_col) continue;
      const float* panel = y.panels +
                           col / kPanelWidth * kPanelWidth * y.dimension +
                           col % kPanelWidth;
      const Tile tile = ComputeTile(x, row, panel, y.squared_norms + col);
      for (size_t r = 0; r < num_rows; ++r) {
        store(row + r, r, col, tile.cost[r][0]);
        store(row + r, r, col + lanes, tile.cost[r][1]);
      }
    }
    store.Finish(row, num_rows);
  }
}

// Makes the rows that pad the last block cost kNeverCost.
void FillPaddingRows(const CostMatrix& costs) {
  for (size_t i = costs.rows; i < RoundUp(costs.rows, kRowBlock); ++i) {
    std::fill_n(costs.data + i * costs.stride, costs.stride, kNeverCost);
  }
}

// Makes the columns past the last tile kNeverCost.
void FillPaddingCols(const CostMatrix& costs) {
  const size_t reached = RoundUp(costs.cols, 2 * hn::Lanes(kFloats));
  for (size_t i = 0; i < costs.rows; ++i) {
    for (size_t j = reached; j < costs.stride; ++j) {
      costs.data[i * costs.stride + j] = kNeverCost;
    }
  }
}

class StoreCross {
 public:
  StoreCross(const CostMatrix& costs, float* row_sums, float* col_sums)
      : costs_(costs), row_sums_(row_sums), col_sums_(col_sums) {}

  HWY_INLINE void operator()(size_t row, size_t r, size_t col, V cost) {
    float* to = costs_.data + row * costs_.stride + col;
    const size_t lanes = hn::Lanes(kFloats);
    if (HWY_UNLIKELY(col + lanes > costs_.cols)) {
      const size_t count = col < costs_.cols ? costs_.cols - col : 0;
      const auto valid = hn::FirstN(kFloats, count);
      hn::Store(hn::IfThenElse(valid, cost, hn::Set(kFloats, kNeverCost)),
                kFloats, to);
      cost = hn::IfThenElseZero(valid, cost);
    } else {
      hn::Store(cost, kFloats, to);
    }
    AddTo(col_sums_ + col, cost);
    AddTo(partial_ + r * kMaxLanes, cost);
  }

  HWY_INLINE void Finish(size_t row, size_t num_rows) {
    for (size_t r = 0; r < num_rows; ++r) {
      float* partial = partial_ + r * kMaxLanes;
      row_sums_[row + r] =
          hn::GetLane(hn::SumOfLanes(kFloats, hn::Load(kFloats, partial)));
      hn::Store(hn::Zero(kFloats), kFloats, partial);
    }
  }

 private:
  static HWY_INLINE void AddTo(float* sums, V value) {
    hn::Store(hn::Add(hn::Load(kFloats, sums), value), kFloats, sums);
  }

  const CostMatrix& costs_;
  float* HWY_RESTRICT row_sums_;
  float* HWY_RESTRICT col_sums_;
  HWY_ALIGN float partial_[kTileRows * kMaxLanes] = {};
};

void CrossCosts(const PointsView& x, const PointsView& y,
                const CostMatrix& costs, float* HWY_RESTRICT row_sums,
                float* HWY_RESTRICT col_sums) {
  std::fill_n(col_sums, costs.stride, 0.0f);
  FillPaddingRows(costs);
  FillPaddingCols(costs);
  StoreCross store(costs, row_sums, col_sums);
  ForEachCost(x, y, /*upper_only=*/false, store);
}

class StoreUpper {
 public:
  explicit StoreUpper(const CostMatrix& costs) : costs_(costs) {
    std::fill_n(smallest_, kMaxLanes, kNeverCost);
  }

  HWY_INLINE void operator()(size_t row, size_t /*r*/, size_t col, V cost) {
    const size_t lanes = hn::Lanes(kFloats);
    if (HWY_UNLIKELY(col <= row || col + lanes > costs_.cols)) {
      const size_t end = col < costs_.cols ? costs_.cols - col : 0;
      const size_t begin = col <= row ? row + 1 - col : 0;
      const auto valid = hn::AndNot(hn::FirstN(kFloats, std::min(begin, lanes)),
                                    hn::FirstN(kFloats, std::min(end, lanes)));
      cost = hn::IfThenElse(valid, cost, hn::Set(kFloats, kNeverCost));
    }
    hn::Store(cost, kFloats, costs_.data + row * costs_.stride + col);
    hn::Store(hn::Min(hn::Load(kFloats, smallest_), cost), kFloats, smallest_);
  }

  HWY_INLINE void Finish(size_t /*row*/, size_t /*num_rows*/) {}

  HWY_INLINE float Smallest() const {
    return hn::GetLane(hn::MinOfLanes(kFloats, hn::Load(kFloats, smallest_)));
  }

 private:
  const CostMatrix& costs_;
  HWY_ALIGN float smallest_[kMaxLanes];
};

float SelfCosts(const PointsView& x, const CostMatrix& costs) {
  FillPaddingRows(costs);
  FillPaddingCols(costs);
  StoreUpper store(costs);
  ForEachCost(x, x, /*upper_only=*/true, store);
  return store.Smallest();
}

float ResidualSums(const CostMatrix& costs,
                   const float* HWY_RESTRICT row_offset,
                   const float* HWY_RESTRICT col_offset, float give_up_above,
                   float* HWY_RESTRICT row_sums, float* HWY_RESTRICT col_sums) {
  const size_t lanes = hn::Lanes(kFloats);
  std::fill_n(col_sums, costs.stride, 0.0f);
  V largest = hn::Zero(kFloats);
  for (size_t i = 0; i < costs.rows; ++i) {
    const float* HWY_RESTRICT row = costs.data + i * costs.stride;
    const V offset = hn::Set(kFloats, row_offset[i]);
    V sum = hn::Zero(kFloats);
    for (size_t j = 0; j < costs.cols; j += lanes) {
      V a = hn::Sub(hn::Sub(hn::Load(kFloats, row + j), offset),
                    hn::Load(kFloats, col_offset + j));
      if (HWY_UNLIKELY(j + lanes > costs.cols)) {
        a = hn::IfThenElseZero(hn::FirstN(kFloats, costs.cols - j), a);
      }
      largest = hn::Max(largest, hn::Abs(a));
      sum = hn::MulAdd(a, a, sum);
      hn::Store(hn::MulAdd(a, a, hn::Load(kFloats, col_sums + j)), kFloats,
                col_sums + j);
    }
    row_sums[i] = hn::GetLane(hn::SumOfLanes(kFloats, sum));
    const float so_far = hn::GetLane(hn::MaxOfLanes(kFloats, largest));
    if (so_far > give_up_above) return so_far;
  }
  return hn::GetLane(hn::MaxOfLanes(kFloats, largest));
}

}  // namespace ladder::routing::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::routing::simd {

HWY_EXPORT(CrossCosts);
HWY_EXPORT(SelfCosts);
HWY_EXPORT(ResidualSums);

void CrossCosts(const PointsView& x, const PointsView& y,
                const CostMatrix& costs, float* row_sums, float* col_sums) {
  HWY_DYNAMIC_DISPATCH(CrossCosts)(x, y, costs, row_sums, col_sums);
}

float SelfCosts(const PointsView& x, const CostMatrix& costs) {
  return HWY_DYNAMIC_DISPATCH(SelfCosts)(x, costs);
}

float ResidualSums(const CostMatrix& costs, const float* row_offset,
                   const float* col_offset, float give_up_above,
                   float* row_sums, float* col_sums) {
  return HWY_DYNAMIC_DISPATCH(ResidualSums)(costs, row_offset, col_offset,
                                            give_up_above, row_sums, col_sums);
}

}  // namespace ladder::routing::simd
#endif  // HWY_ONCE
