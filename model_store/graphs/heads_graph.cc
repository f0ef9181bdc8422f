#include "model_store/graphs/heads_graph.h"

#include <cstdint>
#include <vector>

#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"

namespace ladder::model_store {

absl::StatusOr<std::string> BuildHeadsGraph(const routing::LinearHeads& heads) {
  const auto num_sources = static_cast<int64_t>(heads.num_sources());
  const auto num_classes = static_cast<int64_t>(heads.num_classes());
  const auto dimension = static_cast<int64_t>(heads.dimension());
  GraphBuilder graph("heads");
  const GraphValue z_c = graph.Input("z_c", {"n", dimension});
  const GraphValue weights = graph.Input("weights", {"r", num_sources});
  const GraphValue head_weights =
      graph.Floats({num_sources, num_classes * dimension}, heads.weights());
  const GraphValue head_bias =
      graph.Floats({num_sources, num_classes}, heads.bias());

  const auto mix_heads = [&]() -> std::vector<GraphValue> {
    const GraphValue weight =
        Reshape(MatMul(weights, head_weights), {num_classes, dimension});
    return {Linear(z_c, weight, MatMul(weights, head_bias))};
  };
  // The logits of all heads first: n x E x C numbers instead of a head, C x d,
  // for every sample.
  const auto mix_logits = [&]() -> std::vector<GraphValue> {
    const GraphValue logits = Linear(
        z_c, Reshape(head_weights, {-1, dimension}), Reshape(head_bias, {-1}));
    const GraphValue mixed =
        MatMul(Unsqueeze(weights, {1}),
               Reshape(logits, {-1, num_sources, num_classes}));
    return {Squeeze(mixed, {1})};
  };
  const GraphValue is_one_row =
      Squeeze(Equal(SizeOf(weights, 0), graph.IntList({1})), {0});
  graph.Output("logits", If(is_one_row, mix_heads, mix_logits)[0],
               {"n", num_classes});
  return graph.Serialize();
}

}  // namespace ladder::model_store
