#ifndef LADDER_MODEL_STORE_GRAPHS_SELF_TERM_POLYNOMIAL_H_
#define LADDER_MODEL_STORE_GRAPHS_SELF_TERM_POLYNOMIAL_H_

#include <array>
#include <cstddef>

#include "routing/self_term.h"
#include "routing/sinkhorn.h"

namespace ladder::model_store {

// The polynomial by which SelfTerm interpolates between the phases at which it
// keeps values, by its coefficients: a graph can evaluate it for many phases at
// once, without dividing by the distance to a node.
//
// Immutable and thread-safe.
class SelfTermPolynomial {
 public:
  static constexpr size_t kSize = routing::SelfTerm::kNumNodes;
  using Coefficients = std::array<double, kSize>;  // Of 1, u, u^2, ...

  explicit SelfTermPolynomial(const routing::SinkhornOptions& options);

  // Its argument: the phase, moved from (0, 1] to (-1, 1] so that the powers
  // stay small.
  static constexpr double kPhaseScale = 2;
  static constexpr double kPhaseOffset = -1;

  // The polynomial that is 1 at one node and 0 at the others.
  const Coefficients& basis(size_t node) const { return basis_[node]; }

  // The polynomial through the values that `term` keeps at the nodes.
  Coefficients Through(const routing::SelfTerm& term) const;

 private:
  std::array<Coefficients, kSize> basis_ = {};
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_SELF_TERM_POLYNOMIAL_H_
