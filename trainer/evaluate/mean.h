#ifndef LADDER_TRAINER_EVALUATE_MEAN_H_
#define LADDER_TRAINER_EVALUATE_MEAN_H_

#include <numeric>
#include <span>

namespace ladder::trainer {

// Expects at least one value.
inline double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_MEAN_H_
