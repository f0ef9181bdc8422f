#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SPEARMAN_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SPEARMAN_H_

#include <optional>
#include <span>

namespace ladder::trainer {

// Spearman's rank correlation, in [-1, 1], of finite values that belong
// together by their place; equal values share the mean of their ranks. None if
// there are fewer than two, or if all of one list are equal.
std::optional<double> SpearmanRho(std::span<const double> x,
                                  std::span<const double> y);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SPEARMAN_H_
