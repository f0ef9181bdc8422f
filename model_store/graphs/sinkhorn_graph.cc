#include "model_store/graphs/sinkhorn_graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "model_store/graphs/graph_ops.h"
#include "routing/simd/cost_matrix.h"

namespace ladder::model_store {
namespace {

using routing::EpsilonSchedule;
using routing::SinkhornOptions;

// The bits of a float's mantissa, counting the leading one.
constexpr int kMantissaBits = 24;

// The bits that are left of a factor in matrix units that trade digits for
// speed, such as
// TensorFloat-32, which CUDA uses unless told otherwise.
constexpr int kShortMantissaBits = 11;

// Means of kernel entries are kept in this range, so that their logarithm is
// finite whatever happens. Only rounding can lead out of it, where costs are so
// large that their last digit is many times the temperature.
constexpr double kSmallestMean = 1e-37;
constexpr double kLargestMean = 1e37;

GraphValue SwapLast(const GraphValue& x) { return Transpose(x, {0, 2, 1}); }

// The points rounded to a grid, and what that left over.
struct SplitPoints {
  GraphValue coarse;
  GraphValue fine;
};

// Adding `anchor`, much larger than any coordinate, rounds to multiples of the
// anchor's last digit; subtracting it again is exact.
SplitPoints Split(const GraphValue& x, const GraphValue& anchor) {
  const GraphValue coarse = (x + anchor) - anchor;
  return {.coarse = coarse, .fine = x - coarse};
}

// The most steps between the first and the last that a schedule may have.
size_t MostScaledSteps(const SinkhornOptions& options) {
  return EpsilonSchedule(options.MaxDiameter(), options.blur, options.scaling)
      .num_scaled_steps();
}

GraphValue UpdatedPotential(const GraphValue& potential,
                            const GraphValue& kernel_mean,
                            const GraphValue& weighted_epsilon) {
  // T(g) = f - epsilon log mean K, so the average of f and T(g) with weight w
  // is f - w epsilon log mean K.
  return potential -
         weighted_epsilon * Log(Clip(kernel_mean, kSmallestMean, kLargestMean));
}

}  // namespace

GraphValue ExactOrigin(const GraphValue& lower, const GraphValue& upper) {
  const GraphValue is_exact =
      LessOrEqual(upper - lower, Min(Abs(lower), Abs(upper)));
  return Where(is_exact, lower, lower.graph().Float(0));
}

GraphValue SquaredDistances(const GraphValue& x, const GraphValue& y,
                            size_t dimension) {
  // |x|^2 - 2 xy + |y|^2 cancels where x is near y. So each coordinate is split
  // into a multiple of a grid, with so few digits that products of such parts
  // and their sums over a point are exact, and a small rest.
  const int sum_bits = static_cast<int>(std::bit_width(dimension - 1));
  const int coarse_bits =
      std::min((kMantissaBits - sum_bits) / 2, kShortMantissaBits);
  const GraphValue reach =
      Max(ReduceMax(Abs(x), {1, 2}), ReduceMax(Abs(y), {1, 2}));
  const GraphValue anchor =
      std::ldexp(1.0, kMantissaBits - coarse_bits) * reach;
  const SplitPoints xs = Split(x, anchor);
  const SplitPoints ys = Split(y, anchor);

  const GraphValue coarse = MatMul(-2 * xs.coarse, SwapLast(ys.coarse)) +
                            ReduceSum(xs.coarse * xs.coarse, {2}) +
                            SwapLast(ReduceSum(ys.coarse * ys.coarse, {2}));
  // The rests add |x|^2 - |coarse x|^2 = fine x (coarse x + x), likewise
  // for y, and xy - coarse x coarse y = coarse x fine y + fine x y.
  const GraphValue fine = MatMul(-2 * Concat({xs.coarse, xs.fine}, 2),
                                 SwapLast(Concat({ys.fine, y}, 2))) +
                          ReduceSum(xs.fine * (xs.coarse + x), {2}) +
                          SwapLast(ReduceSum(ys.fine * (ys.coarse + y), {2}));
  return coarse + fine;
}

GraphValue SelfCosts(const GraphValue& x, const GraphValue& smallest_square,
                     size_t dimension) {
  const GraphValue costs =
      Sqrt(Max(SquaredDistances(x, x, dimension), smallest_square));
  const GraphValue index = Range(Squeeze(SizeOf(x, 1), {0}));
  const GraphValue is_diagonal =
      Equal(Unsqueeze(index, {0}), Unsqueeze(index, {1}));
  return Where(is_diagonal, x.graph().Float(routing::simd::kSmallestCost),
               costs);
}

UpdateSteps ConstantSteps(GraphBuilder& graph,
                          std::span<const EpsilonSchedule> schedules) {
  std::vector<float> inverse_epsilon;
  std::vector<float> weighted_epsilon;
  const auto add_step = [&](size_t step, double weight) {
    for (const EpsilonSchedule& schedule : schedules) {
      inverse_epsilon.push_back(static_cast<float>(1 / schedule[step]));
      weighted_epsilon.push_back(static_cast<float>(weight * schedule[step]));
    }
  };
  const size_t size = schedules.front().size();
  add_step(0, 1);
  for (size_t step = 0; step < size; ++step) add_step(step, 0.5);
  add_step(size - 1, 1);
  const std::vector<int64_t> shape = {static_cast<int64_t>(size + 2),
                                      static_cast<int64_t>(schedules.size()), 1,
                                      1};
  return {.inverse_epsilon = graph.Floats(shape, inverse_epsilon),
          .weighted_epsilon = graph.Floats(shape, weighted_epsilon)};
}

ScheduleEnds FindScheduleEnds(const GraphValue& diameters,
                              const SinkhornOptions& options) {
  // The number of steps by comparison, ceil(log(D / blur) / -log scaling) =
  // #{i >= 0: D > blur / scaling^i}, since a float logarithm would blur the
  // border between two numbers of steps.
  GraphBuilder& graph = diameters.graph();
  const size_t most = MostScaledSteps(options);
  std::vector<float> borders;
  std::vector<float> powers;
  for (size_t i = 0; i < most; ++i) {
    const double power = std::pow(options.scaling, static_cast<double>(i));
    borders.push_back(static_cast<float>(options.blur / power));
    powers.push_back(static_cast<float>(power));
  }
  const std::vector<int64_t> shape = {static_cast<int64_t>(most)};
  const GraphValue is_above =
      Greater(Unsqueeze(diameters, {-1}), graph.Floats(shape, borders));
  const GraphValue num_scaled =
      Squeeze(ReduceSum(ToFloat(is_above), {-1}), {-1});

  const GraphValue last = Max(num_scaled - 1, graph.Float(0));
  const GraphValue last_scaled =
      diameters * Gather(graph.Floats(shape, powers), ToInt(last));
  return {.num_scaled = num_scaled,
          .phase = -1 / std::log(options.scaling) *
                   Log(1 / options.blur * last_scaled)};
}

UpdateSteps ComputedSteps(const GraphValue& diameters,
                          const GraphValue& num_scaled,
                          const SinkhornOptions& options) {
  // Update 0 is unaveraged and at the diameter, update 1 at the diameter, those
  // from 2 on at the diameter times 1, s, s^2, ... or at the blur if that is
  // more, and the last, unaveraged, is the second at the blur.
  GraphBuilder& graph = diameters.graph();
  const size_t most = MostScaledSteps(options) + 4;
  std::vector<float> numbers;
  std::vector<float> decays;
  for (size_t update = 0; update < most; ++update) {
    numbers.push_back(static_cast<float>(update));
    decays.push_back(static_cast<float>(std::pow(
        options.scaling, std::max(0.0, static_cast<double>(update) - 2))));
  }
  const GraphValue count = ToInt(ReduceMax(num_scaled, {0}) + 4);
  const std::vector<int64_t> shape = {static_cast<int64_t>(most), 1, 1, 1};
  const GraphValue number = First(graph.Floats(shape, numbers), count);
  const GraphValue decay = First(graph.Floats(shape, decays), count);

  const GraphValue diameter = Unsqueeze(diameters, {0, 2, 3});
  const GraphValue epsilon =
      Where(Less(number, graph.Float(2)), diameter,
            Max(diameter * decay, graph.Float(options.blur)));
  const GraphValue last = Unsqueeze(num_scaled, {0, 2, 3}) + 3;
  const GraphValue weight =
      0.5 * (ToFloat(Equal(number, graph.Float(0))) +
             ToFloat(LessOrEqual(number, last)) + ToFloat(Equal(number, last)));
  return {.inverse_epsilon = Reciprocal(epsilon),
          .weighted_epsilon = weight * epsilon};
}

CrossPotentials SolveCross(const GraphValue& costs,
                           const GraphValue& inverse_num_columns,
                           const UpdateSteps& steps, int64_t batch) {
  GraphBuilder& graph = costs.graph();
  const GraphValue batch_size = graph.IntList({batch});
  const GraphValue one = graph.IntList({1});
  const GraphValue f = Zeros(Concat({batch_size, SizeOf(costs, 1), one}, 0));
  const GraphValue g = Zeros(Concat({batch_size, one, SizeOf(costs, 2)}, 0));
  const ScanValues solved = Scan(
      {.states = {f, g},
       .elements = {steps.inverse_epsilon, steps.weighted_epsilon}},
      [&](const ScanValues& now) -> ScanValues {
        const GraphValue& old_f = now.states[0];
        const GraphValue& old_g = now.states[1];
        const GraphValue& weighted_epsilon = now.elements[1];
        const GraphValue kernel =
            Exp((old_f - costs + old_g) * now.elements[0]);
        const GraphValue row_means =
            ReduceSum(kernel, {2}) * inverse_num_columns;
        const GraphValue column_means = ReduceMean(kernel, {1});
        return {.states = {
                    UpdatedPotential(old_f, row_means, weighted_epsilon),
                    UpdatedPotential(old_g, column_means, weighted_epsilon)}};
      });
  return {.f = solved.states[0], .g = solved.states[1]};
}

GraphValue SolveSelf(const GraphValue& costs,
                     const GraphValue& inverse_num_columns,
                     const UpdateSteps& steps, int64_t batch) {
  GraphBuilder& graph = costs.graph();
  const GraphValue p = Zeros(Concat(
      {graph.IntList({batch}), SizeOf(costs, 1), graph.IntList({1})}, 0));
  return Scan({.states = {p},
               .elements = {steps.inverse_epsilon, steps.weighted_epsilon}},
              [&](const ScanValues& now) -> ScanValues {
                const GraphValue& old_p = now.states[0];
                const GraphValue kernel =
                    Exp((old_p - costs + SwapLast(old_p)) * now.elements[0]);
                const GraphValue means =
                    ReduceSum(kernel, {2}) * inverse_num_columns;
                return {.states = {
                            UpdatedPotential(old_p, means, now.elements[1])}};
              })
      .states[0];
}

}  // namespace ladder::model_store
