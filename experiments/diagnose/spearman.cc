#include "experiments/diagnose/spearman.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ladder::trainer {
namespace {

// The ranks of `values` less their mean, which ties do not change.
std::vector<double> CenteredRanks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  const double middle = (static_cast<double>(values.size()) - 1) / 2;
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    const double rank = static_cast<double>(begin + end - 1) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = rank - middle;
  }
  return ranks;
}

double Product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

std::optional<double> SpearmanRho(std::span<const double> x,
                                  std::span<const double> y) {
  const std::vector<double> x_ranks = CenteredRanks(x);
  const std::vector<double> y_ranks = CenteredRanks(y);
  const double spread =
      std::sqrt(Product(x_ranks, x_ranks) * Product(y_ranks, y_ranks));
  if (spread == 0) return std::nullopt;
  return std::clamp(Product(x_ranks, y_ranks) / spread, -1.0, 1.0);
}

}  // namespace ladder::trainer
