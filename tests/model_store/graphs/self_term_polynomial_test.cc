#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/graphs/router_constants.h"
#include "routing/epsilon_schedule.h"
#include "routing/self_term.h"

namespace ladder::model_store {
namespace {

using routing::EpsilonSchedule;
using routing::SelfTerm;
using routing::SinkhornOptions;

double Evaluate(const SelfTermPolynomial::Coefficients& coefficients,
                double phase) {
  const double u = SelfTermPolynomial::kPhaseScale * phase +
                   SelfTermPolynomial::kPhaseOffset;
  double value = 0;
  for (size_t power = coefficients.size(); power-- > 0;) {
    value = value * u + coefficients[power];
  }
  return value;
}

TEST(SelfTermPolynomialTest, InterpolatesAsTheSelfTermDoes) {
  const std::vector<double> values = {0.1, 0.3, -0.2, 0.5, 0.4};
  const SelfTerm term = SelfTerm::FromValues(values).value();
  for (const double scaling : {0.5, 0.8}) {
    const SinkhornOptions options = {.scaling = scaling};
    const SelfTermPolynomial polynomial(options);
    for (double phase = 0.01; phase <= 1; phase += 0.01) {
      const auto schedule = EpsilonSchedule::WithPhase(
          phase, /*num_scaled=*/30, options.blur, options.scaling);

      EXPECT_NEAR(Evaluate(polynomial.Through(term), phase), term.At(schedule),
                  1e-12)
          << "phase " << phase;
    }
  }
}

}  // namespace
}  // namespace ladder::model_store
