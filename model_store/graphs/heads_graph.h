#ifndef LADDER_MODEL_STORE_GRAPHS_HEADS_GRAPH_H_
#define LADDER_MODEL_STORE_GRAPHS_HEADS_GRAPH_H_

#include <string>

#include "absl/status/statusor.h"
#include "routing/linear_heads.h"

namespace ladder::model_store {

// heads.onnx, serialised: `z_c` [n, d_c] and `weights` [r, E] give `logits`
// [n, C]. With one row of weights the stacked heads are mixed once and one
// matrix product follows; with n rows every sample has its own mixture.
absl::StatusOr<std::string> BuildHeadsGraph(const routing::LinearHeads& heads);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_HEADS_GRAPH_H_
