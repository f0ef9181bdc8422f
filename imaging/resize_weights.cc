#include "imaging/resize_weights.h"

#include <algorithm>
#include <cmath>

namespace ladder::imaging {
namespace {

// The pixels whose centres a triangle around `center` may cover: from `first`
// to before `last`.
struct Window {
  int first;
  int last;
};

Window FindWindow(double center, double support, int in_size) {
  return {.first = std::max(0, static_cast<int>(std::lround(center - support))),
          .last = std::min(in_size,
                           static_cast<int>(std::lround(center + support)))};
}

}  // namespace

void ResizeWeights::Assign(int in_size, int out_size) {
  if (in_size == in_size_ && out_size == out_size_) return;
  in_size_ = in_size;
  out_size_ = out_size;
  const double scale = static_cast<double>(in_size) / out_size;
  const double support = std::max(scale, 1.0);
  const auto center = [scale](int i) { return (i + 0.5) * scale; };

  int most = 0;
  for (int i = 0; i < out_size; ++i) {
    const Window window = FindWindow(center(i), support, in_size);
    most = std::max(most, window.last - window.first);
  }
  taps_ = most + most % 2;
  starts_.resize(static_cast<size_t>(out_size));
  high_.assign(Offset(out_size), 0);
  low_.assign(Offset(out_size), 0);
  for (int i = 0; i < out_size; ++i) {
    const Window window = FindWindow(center(i), support, in_size);
    AssignOne(i, window.first, window.last - window.first, center(i), support);
  }
}

void ResizeWeights::AssignOne(int i, int first, int count, double center,
                              double support) {
  // Begins earlier, with zeros, rather than to reach beyond the end.
  const int start = std::min(first, std::max(0, in_size_ - taps_));
  starts_[static_cast<size_t>(i)] = start;

  triangle_.resize(static_cast<size_t>(count));
  double sum = 0;
  for (int t = 0; t < count; ++t) {
    const double distance = std::abs(first + t - center + 0.5) / support;
    const double height = std::max(0.0, 1.0 - distance);
    triangle_[static_cast<size_t>(t)] = height;
    sum += height;
  }
  const size_t offset = Offset(i) + static_cast<size_t>(first - start);
  for (size_t t = 0; t < triangle_.size(); ++t) {
    const double share = triangle_[t] / sum;
    const int weight =
        static_cast<int>(std::lround(share * (1 << kWeightBits)));
    high_[offset + t] = static_cast<int16_t>(weight >> kLowBits);
    low_[offset + t] = static_cast<int16_t>(weight & ((1 << kLowBits) - 1));
  }
}

}  // namespace ladder::imaging
