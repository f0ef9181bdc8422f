#include "model_store/graphs/graph_ops.h"

#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/string_view.h"
#include "onnx/defs/attr_proto_util.h"

namespace ladder::model_store {
namespace {

using onnx::MakeAttribute;

GraphValue CastTo(GraphBuilder::ElementType type, const GraphValue& x) {
  return x.graph().Node("Cast", {x}, {MakeAttribute("to", int64_t{type})});
}

// At opset 17 all reductions but ReduceSum take their axes as an attribute.
GraphValue Reduce(absl::string_view op, const GraphValue& x,
                  const std::vector<int64_t>& axes) {
  return x.graph().Node(op, {x}, {MakeAttribute("axes", axes)});
}

}  // namespace

GraphValue ToFloat(const GraphValue& x) {
  return CastTo(onnx::TensorProto::FLOAT, x);
}
GraphValue ToInt(const GraphValue& x) {
  return CastTo(onnx::TensorProto::INT64, x);
}

GraphValue ReduceMean(const GraphValue& x, std::vector<int64_t> axes) {
  return Reduce("ReduceMean", x, axes);
}
GraphValue ReduceMax(const GraphValue& x, std::vector<int64_t> axes) {
  return Reduce("ReduceMax", x, axes);
}
GraphValue ReduceMin(const GraphValue& x, std::vector<int64_t> axes) {
  return Reduce("ReduceMin", x, axes);
}
GraphValue ReduceL2(const GraphValue& x, std::vector<int64_t> axes) {
  return Reduce("ReduceL2", x, axes);
}

GraphValue Linear(const GraphValue& a, const GraphValue& b,
                  const GraphValue& bias) {
  return a.graph().Node("Gemm", {a, b, bias},
                        {MakeAttribute("transB", int64_t{1})});
}
GraphValue Transpose(const GraphValue& x, std::vector<int64_t> permutation) {
  return x.graph().Node("Transpose", {x},
                        {MakeAttribute("perm", std::move(permutation))});
}

GraphValue Concat(std::vector<GraphValue> parts, int64_t axis) {
  GraphBuilder& graph = parts.front().graph();
  return graph.Node("Concat", std::move(parts), {MakeAttribute("axis", axis)});
}

GraphValue SizeOf(const GraphValue& x, int64_t axis) {
  return x.graph().Node(
      "Shape", {x},
      {MakeAttribute("start", axis), MakeAttribute("end", int64_t{axis + 1})});
}

std::vector<GraphValue> If(const GraphValue& condition, Branch then_branch,
                           Branch else_branch) {
  GraphBuilder& graph = condition.graph();
  const auto subgraph = [&graph](absl::string_view name, Branch branch) {
    return graph.Subgraph(
        name, 0, [&](std::span<const GraphValue>) { return branch(); });
  };
  const onnx::GraphProto then_graph = subgraph("then", then_branch);
  return graph.Nodes(
      "If", {condition}, static_cast<size_t>(then_graph.output_size()),
      {MakeAttribute("then_branch", then_graph),
       MakeAttribute("else_branch", subgraph("else", else_branch))});
}

ScanValues Scan(const ScanValues& inputs,
                absl::FunctionRef<ScanValues(const ScanValues&)> body) {
  const auto num_states = static_cast<ptrdiff_t>(inputs.states.size());
  std::vector<GraphValue> all = inputs.states;
  all.insert(all.end(), inputs.elements.begin(), inputs.elements.end());
  // States come first in all lists of values that the operator knows.
  const auto split = [num_states](std::span<const GraphValue> values) {
    const auto middle = values.begin() + num_states;
    return ScanValues{.states = {values.begin(), middle},
                      .elements = {middle, values.end()}};
  };
  GraphBuilder& graph = inputs.elements.front().graph();
  const onnx::GraphProto body_graph = graph.Subgraph(
      "scan", all.size(), [&](std::span<const GraphValue> values) {
        ScanValues results = body(split(values));
        results.states.insert(results.states.end(), results.elements.begin(),
                              results.elements.end());
        return results.states;
      });
  return split(graph.Nodes(
      "Scan", std::move(all), static_cast<size_t>(body_graph.output_size()),
      {MakeAttribute("body", body_graph),
       MakeAttribute("num_scan_inputs",
                     static_cast<int64_t>(inputs.elements.size()))}));
}

}  // namespace ladder::model_store
