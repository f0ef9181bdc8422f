#ifndef LADDER_TESTS_TRAINER_NETWORK_FINITE_DIFFERENCES_H_
#define LADDER_TESTS_TRAINER_NETWORK_FINITE_DIFFERENCES_H_

#include <torch/types.h>
#include <torch/utils.h>

#include <cstdint>
#include <functional>

namespace ladder::trainer {

// The gradient of `function`, a number, by `x` (double), from central
// differences: its error is about 1e-9 of the function's value.
inline torch::Tensor DifferenceGradient(
    const std::function<torch::Tensor(const torch::Tensor&)>& function,
    const torch::Tensor& x) {
  constexpr double kStep = 1e-5;
  const torch::NoGradGuard no_grad;
  torch::Tensor point = x.detach().clone();
  torch::Tensor gradient = torch::zeros_like(point);
  double* coordinates = point.data_ptr<double>();
  double* slopes = gradient.data_ptr<double>();
  for (int64_t i = 0; i < point.numel(); ++i) {
    const double middle = coordinates[i];
    coordinates[i] = middle + kStep;
    const double above = function(point).item<double>();
    coordinates[i] = middle - kStep;
    const double below = function(point).item<double>();
    coordinates[i] = middle;
    slopes[i] = (above - below) / (2 * kStep);
  }
  return gradient;
}

// The gradient that autograd computes.
inline torch::Tensor AutogradGradient(
    const std::function<torch::Tensor(const torch::Tensor&)>& function,
    const torch::Tensor& x) {
  const torch::Tensor point = x.detach().clone().requires_grad_(true);
  function(point).backward();
  return point.grad();
}

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_NETWORK_FINITE_DIFFERENCES_H_
