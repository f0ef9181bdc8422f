#ifndef LADDER_MODEL_STORE_GRAPHS_GRAPH_OPS_H_
#define LADDER_MODEL_STORE_GRAPHS_GRAPH_OPS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "model_store/graphs/graph_builder.h"

namespace ladder::model_store {

// ONNX operators as functions of values, so that a graph reads like the formula
// it computes. Shapes broadcast as in NumPy; a number becomes a constant.

GraphValue operator+(const GraphValue& a, const GraphValue& b);
GraphValue operator-(const GraphValue& a, const GraphValue& b);
GraphValue operator*(const GraphValue& a, const GraphValue& b);
GraphValue operator/(const GraphValue& a, const GraphValue& b);
GraphValue operator+(const GraphValue& a, double b);
GraphValue operator-(const GraphValue& a, double b);
GraphValue operator*(double a, const GraphValue& b);

GraphValue Abs(const GraphValue& x);
GraphValue Exp(const GraphValue& x);
GraphValue Log(const GraphValue& x);
GraphValue Sqrt(const GraphValue& x);
GraphValue Reciprocal(const GraphValue& x);
GraphValue Pow(const GraphValue& x, const GraphValue& exponent);
GraphValue Clip(const GraphValue& x, double lowest, double highest);
GraphValue Max(const GraphValue& a, const GraphValue& b);
GraphValue Min(const GraphValue& a, const GraphValue& b);

GraphValue Equal(const GraphValue& a, const GraphValue& b);
GraphValue Greater(const GraphValue& a, const GraphValue& b);
GraphValue Less(const GraphValue& a, const GraphValue& b);
GraphValue LessOrEqual(const GraphValue& a, const GraphValue& b);
GraphValue Where(const GraphValue& condition, const GraphValue& a,
                 const GraphValue& b);
GraphValue ToFloat(const GraphValue& x);
GraphValue ToInt(const GraphValue& x);  // int64.

// Reductions leave the axes in place, of size 1.
GraphValue ReduceSum(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceMean(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceMax(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceMin(const GraphValue& x, std::vector<int64_t> axes);
GraphValue ReduceL2(const GraphValue& x, std::vector<int64_t> axes);

GraphValue MatMul(const GraphValue& a, const GraphValue& b);
// a b^T + bias.
GraphValue Linear(const GraphValue& a, const GraphValue& b,
                  const GraphValue& bias);
GraphValue Transpose(const GraphValue& x, std::vector<int64_t> permutation);

// An entry of `shape` may be -1, once (what remains), or 0 (as in `x`).
GraphValue Reshape(const GraphValue& x, std::vector<int64_t> shape);
GraphValue Unsqueeze(const GraphValue& x, std::vector<int64_t> axes);
GraphValue Squeeze(const GraphValue& x, std::vector<int64_t> axes);
GraphValue Concat(std::vector<GraphValue> parts, int64_t axis);
GraphValue Gather(const GraphValue& x, const GraphValue& indices);  // Axis 0.
// The first `count` (one int64 in a list) entries along axis 0.
GraphValue First(const GraphValue& x, const GraphValue& count);

// The size of one axis, as a list of one int64.
GraphValue SizeOf(const GraphValue& x, int64_t axis);
// Zeros; `shape` is a list of int64.
GraphValue Zeros(const GraphValue& shape);
// 0, 1, ..., count - 1; `count` is a scalar int64.
GraphValue Range(const GraphValue& count);

// What one of the two functions returns, by the scalar `condition`. Both must
// return values of the same types and ranks.
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
