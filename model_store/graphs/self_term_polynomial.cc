#include "model_store/graphs/self_term_polynomial.h"

namespace ladder::model_store {

SelfTermPolynomial::SelfTermPolynomial(
    const routing::SinkhornOptions& options) {
  std::array<double, kSize> nodes = {};
  for (size_t node = 0; node < kSize; ++node) {
    const double phase = routing::SelfTerm::NodeSchedule(node, options).Phase();
    nodes[node] = kPhaseScale * phase + kPhaseOffset;
  }
  for (size_t node = 0; node < kSize; ++node) {
    Coefficients& product = basis_[node];
    product[0] = 1;
    for (size_t other = 0; other < kSize; ++other) {
      if (other == node) continue;
      // Times (u - u_other) / (u_node - u_other).
      for (size_t power = kSize; power-- > 0;) {
        const double times_u = power == 0 ? 0 : product[power - 1];
        product[power] = (times_u - nodes[other] * product[power]) /
                         (nodes[node] - nodes[other]);
      }
    }
  }
}

SelfTermPolynomial::Coefficients SelfTermPolynomial::Through(
    const routing::SelfTerm& term) const {
  Coefficients sum = {};
  for (size_t node = 0; node < kSize; ++node) {
    for (size_t power = 0; power < kSize; ++power) {
      sum[power] += term.values()[node] * basis_[node][power];
    }
  }
  return sum;
}

}  // namespace ladder::model_store
