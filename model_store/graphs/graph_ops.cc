#include "model_store/graphs/graph_ops.h"

#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/string_view.h"
#include "onnx/defs/attr_proto_util.h"

namespace ladder::model_store {
namespace {

using onnx::MakeAttribute;

GraphValue Unary(absl::string_view op, const GraphValue& x) {
  return x.graph().Node(op, {x});
}

GraphValue Binary(absl::string_view op, const GraphValue& a,
                  const GraphValue& b) {
  return a.graph().Node(op, {a, b});
}

GraphValue CastTo(GraphBuilder::ElementType type, const GraphValue& x) {
  return x.graph().Node("Cast", {x}, {MakeAttribute("to", int64_t{type})});
}

// At opset 17 all reductions but ReduceSum take their axes as an attribute.
GraphValue Reduce(absl::string_view op, const GraphValue& x,
                  const std::vector<int64_t>& axes) {
  return x.graph().Node(op, {x}, {MakeAttribute("axes", axes)});
}

}  // namespace

GraphValue operator+(const GraphValue& a, const GraphValue& b) {
  return Binary("Add", a, b);
}
GraphValue operator-(const GraphValue& a, const GraphValue& b) {
  return Binary("Sub", a, b);
}
GraphValue operator*(const GraphValue& a, const GraphValue& b) {
  return Binary("Mul", a, b);
}
GraphValue operator/(const GraphValue& a, const GraphValue& b) {
  return Binary("Div", a, b);
}
GraphValue operator+(const GraphValue& a, double b) {
  return a + a.graph().Float(b);
}
GraphValue operator-(const GraphValue& a, double b) {
  return a - a.graph().Float(b);
}
GraphValue operator*(double a, const GraphValue& b) {
  return b.graph().Float(a) * b;
}

GraphValue Abs(const GraphValue& x) { return Unary("Abs", x); }
GraphValue Exp(const GraphValue& x) { return Unary("Exp", x); }
GraphValue Log(const GraphValue& x) { return Unary("Log", x); }
GraphValue Sqrt(const GraphValue& x) { return Unary("Sqrt", x); }
GraphValue Reciprocal(const GraphValue& x) { return Unary("Reciprocal", x); }
GraphValue Pow(const GraphValue& x, const GraphValue& exponent) {
  return Binary("Pow", x, exponent);
}
GraphValue Clip(const GraphValue& x, double lowest, double highest) {
  GraphBuilder& graph = x.graph();
  return graph.Node("Clip", {x, graph.Float(lowest), graph.Float(highest)});
}
GraphValue Max(const GraphValue& a, const GraphValue& b) {
  return Binary("Max", a, b);
}
GraphValue Min(const GraphValue& a, const GraphValue& b) {
  return Binary("Min", a, b);
}

GraphValue Equal(const GraphValue& a, const GraphValue& b) {
  return Binary("Equal", a, b);
}
GraphValue Greater(const GraphValue& a, const GraphValue& b) {
  return Binary("Greater", a, b);
}
GraphValue Less(const GraphValue& a, const GraphValue& b) {
  return Binary("Less", a, b);
}
GraphValue LessOrEqual(const GraphValue& a, const GraphValue& b) {
  return Binary("LessOrEqual", a, b);
}
GraphValue Where(const GraphValue& condition, const GraphValue& a,
                 const GraphValue& b) {
  return condition.graph().Node("Where", {condition, a, b});
}
GraphValue ToFloat(const GraphValue& x) {
  return CastTo(onnx::TensorProto::FLOAT, x);
}
GraphValue ToInt(const GraphValue& x) {
  return CastTo(onnx::TensorProto::INT64, x);
}

GraphValue ReduceSum(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("ReduceSum", {x, x.graph().IntList(std::move(axes))});
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

GraphValue MatMul(const GraphValue& a, const GraphValue& b) {
  return Binary("MatMul", a, b);
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

GraphValue Reshape(const GraphValue& x, std::vector<int64_t> shape) {
  return x.graph().Node("Reshape", {x, x.graph().IntList(std::move(shape))});
}
GraphValue Unsqueeze(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("Unsqueeze", {x, x.graph().IntList(std::move(axes))});
}
GraphValue Squeeze(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("Squeeze", {x, x.graph().IntList(std::move(axes))});
}
GraphValue Concat(std::vector<GraphValue> parts, int64_t axis) {
  GraphBuilder& graph = parts.front().graph();
  return graph.Node("Concat", std::move(parts), {MakeAttribute("axis", axis)});
}
GraphValue Gather(const GraphValue& x, const GraphValue& indices) {
  return Binary("Gather", x, indices);
}
GraphValue First(const GraphValue& x, const GraphValue& count) {
  const GraphValue zero = x.graph().IntList({0});
  return x.graph().Node("Slice", {x, zero, count, /*axes=*/zero});
}

GraphValue SizeOf(const GraphValue& x, int64_t axis) {
  return x.graph().Node(
      "Shape", {x},
      {MakeAttribute("start", axis), MakeAttribute("end", int64_t{axis + 1})});
}
GraphValue Zeros(const GraphValue& shape) {
  return Unary("ConstantOfShape", shape);  // Float, unless told otherwise.
}
GraphValue Range(const GraphValue& count) {
  GraphBuilder& graph = count.graph();
  return graph.Node("Range", {graph.Int(0), count, graph.Int(1)});
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
