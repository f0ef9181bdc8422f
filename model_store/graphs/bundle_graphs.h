#ifndef LADDER_MODEL_STORE_GRAPHS_BUNDLE_GRAPHS_H_
#define LADDER_MODEL_STORE_GRAPHS_BUNDLE_GRAPHS_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "routing/fingerprints.h"
#include "routing/linear_heads.h"
#include "routing/style_sample.h"

namespace ladder::model_store {

// heads.onnx, serialised: `z_c` [n, d_c] and `weights` [r, E] give `logits`
// [n, C]. With one row of weights the stacked heads are mixed once and one
// matrix product follows; with n rows every sample has its own mixture.
absl::StatusOr<std::string> BuildHeadsGraph(const routing::LinearHeads& heads);

struct RouterGraphOptions {
  // Sources that are worked on at once. Memory grows with it: about
  // 3 x sources_per_tile x n x m floats.
  size_t sources_per_tile = 8;
};

// A steeper schedule could overflow. Between two temperatures, e and s e, no
// exponent (f + g - C) / (s e) exceeds log(sqrt(n m)) / s, because f and g are
// averages with transforms at e; from 0.2 on, that is less than 70 for any n
// and m up to a million, and a float's exponential ends at 88.
inline constexpr double kSmallestGraphScaling = 0.2;

// router.onnx, serialised: `z_s` [n, d_s], as the encoder gives it, to
// `distances` [E], the debiased Sinkhorn divergence to every source.
//
// All in float. Within 1e-5 of SinkhornDistance, but no nearer than about 2e-7
// times the blur; where points coincide or nearly do, within 1e-6, or some 1e-4
// beside outliers. Matrix products in TensorFloat-32, emulated on the golden
// cases, make that 1e-3. A diameter within 1e-7 of the border between two
// numbers of steps, where the divergence jumps by definition, may fall on the
// other side.
//
// Finite for all style vectors up to 1e15; where SinkhornDistance refuses a
// diameter, the distance means little.
//
// InvalidArgument if the normalizer's dimension is not that of the
// fingerprints, if there are no sources per tile, if the scaling is below
// kSmallestGraphScaling or if the model would exceed 2 GiB.
absl::StatusOr<std::string> BuildRouterGraph(
    const routing::Fingerprints& fingerprints,
    const routing::StyleNormalizer& normalizer,
    const RouterGraphOptions& options = {});

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_BUNDLE_GRAPHS_H_
