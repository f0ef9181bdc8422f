#ifndef LADDER_MODEL_STORE_GRAPHS_GRAPH_OPS_H_
#define LADDER_MODEL_STORE_GRAPHS_GRAPH_OPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "model_store/graphs/graph_builder.h"

namespace ladder::model_store {

// ONNX operators as functions of values, so that a graph reads like the formula
// it computes. Shapes broadcast as in NumPy; a number becomes a constant.

// The operators without attributes, of one tensor and of two.
inline GraphValue Unary(absl::string_view op, const GraphValue& x) {
  return x.graph().Node(op, {x});
}
inline GraphValue Binary(absl::string_view op, const GraphValue& a,
                         const GraphValue& b) {
  return a.graph().Node(op, {a, b});
}

inline GraphValue operator+(const GraphValue& a, const GraphValue& b) {
  return Binary("Add", a, b);
}
inline GraphValue operator-(const GraphValue& a, const GraphValue& b) {
  return Binary("Sub", a, b);
}
inline GraphValue operator*(const GraphValue& a, const GraphValue& b) {
  return Binary("Mul", a, b);
}
inline GraphValue operator/(const GraphValue& a, const GraphValue& b) {
  return Binary("Div", a, b);
}
inline GraphValue operator+(const GraphValue& a, double b) {
  return a + a.graph().Float(b);
}
inline GraphValue operator-(const GraphValue& a, double b) {
  return a - a.graph().Float(b);
}
inline GraphValue operator*(double a, const GraphValue& b) {
  return b.graph().Float(a) * b;
}

inline GraphValue Abs(const GraphValue& x) { return Unary("Abs", x); }
inline GraphValue Exp(const GraphValue& x) { return Unary("Exp", x); }
inline GraphValue Log(const GraphValue& x) { return Unary("Log", x); }
inline GraphValue Sqrt(const GraphValue& x) { return Unary("Sqrt", x); }
inline GraphValue Reciprocal(const GraphValue& x) {
  return Unary("Reciprocal", x);
}
inline GraphValue Pow(const GraphValue& x, const GraphValue& exponent) {
  return Binary("Pow", x, exponent);
}
inline GraphValue Clip(const GraphValue& x, double lowest, double highest) {
  GraphBuilder& graph = x.graph();
  return graph.Node("Clip", {x, graph.Float(lowest), graph.Float(highest)});
}
inline GraphValue Max(const GraphValue& a, const GraphValue& b) {
  return Binary("Max", a, b);
}
inline GraphValue Min(const GraphValue& a, const GraphValue& b) {
  return Binary("Min", a, b);
}

inline GraphValue Equal(const GraphValue& a, const GraphValue& b) {
  return Binary("Equal", a, b);
}
inline GraphValue Greater(const GraphValue& a, const GraphValue& b) {
  return Binary("Greater", a, b);
}
inline GraphValue Less(const GraphValue& a, const GraphValue& b) {
  return Binary("Less", a, b);
}
inline GraphValue LessOrEqual(const GraphValue& a, const GraphValue& b) {
  return Binary("LessOrEqual", a, b);
}
inline GraphValue Where(const GraphValue& condition, const GraphValue& a,
                        const GraphValue& b) {
  return condition.graph().Node("Where", {condition, a, b});
}
GraphValue ToFloat(const GraphValue& x);
GraphValue ToInt(const GraphValue& x);  // int64.

// Reductions leave the axes in place, of size 1.
inline GraphValue ReduceSum(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("ReduceSum", {x, x.graph().IntList(std::move(axes))});
}
GraphValue ReduceMean(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceMax(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceMin(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceL2(const GraphValue& x, std::vector<int64_t> axes);

inline GraphValue MatMul(const GraphValue& a, const GraphValue& b) {
  return Binary("MatMul", a, b);
}
// a b^T + bias.
GraphValue Linear(const GraphValue& a, const GraphValue& b,
                  const GraphValue& bias);
GraphValue Transpose(const GraphValue& x, std::vector<int64_t> permutation);

// An entry of `shape` may be -1, once (what remains), or 0 (as in `x`).
inline GraphValue Reshape(const GraphValue& x, std::vector<int64_t> shape) {
  return x.graph().Node("Reshape", {x, x.graph().IntList(std::move(shape))});
}
inline GraphValue Unsqueeze(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("Unsqueeze", {x, x.graph().IntList(std::move(axes))});
}
inline GraphValue Squeeze(const GraphValue& x, std::vector<int64_t> axes) {
  return x.graph().Node("Squeeze", {x, x.graph().IntList(std::move(axes))});
}
GraphValue Concat(std::vector<GraphValue> parts, int64_t axis);
inline GraphValue Gather(const GraphValue& x, const GraphValue& indices) {
  return Binary("Gather", x, indices);  // Along axis 0.
}
// The first `count` (one int64 in a list) entries along axis 0.
inline GraphValue First(const GraphValue& x, const GraphValue& count) {
  const GraphValue zero = x.graph().IntList({0});
  return x.graph().Node("Slice", {x, zero, count, /*axes=*/zero});
}

// The size of one axis, as a list of one int64.
GraphValue SizeOf(const GraphValue& x, int64_t axis);
// Zeros; `shape` is a list of int64.
inline GraphValue Zeros(const GraphValue& shape) {
  return Unary("ConstantOfShape", shape);  // Float, unless told otherwise.
}
// 0, 1, ..., count - 1; `count` is a scalar int64.
inline GraphValue Range(const GraphValue& count) {
  GraphBuilder& graph = count.graph();
  return graph.Node("Range", {graph.Int(0), count, graph.Int(1)});
}

// Takes what one of the two functions returns, by the scalar `condition`. Both
// must return values of the same types and ranks.
using Branch = absl::FunctionRef<std::vector<GraphValue>()>;
std::vector<GraphValue> If(const GraphValue& condition, Branch then_branch,
                           Branch else_branch);

// A loop over the first axis of all `elements`. `body` gets the states as the
// iteration before left them (at first as given here) and one slice of each
// element; it returns new states and elements of its own, which are stacked.
struct ScanValues {
  std::vector<GraphValue> states = {};
  std::vector<GraphValue> elements = {};
};
ScanValues Scan(const ScanValues& inputs,
                absl::FunctionRef<ScanValues(const ScanValues&)> body);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_GRAPH_OPS_H_
