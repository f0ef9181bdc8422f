#ifndef LADDER_MODEL_STORE_GRAPHS_GRAPH_BUILDER_H_
#define LADDER_MODEL_STORE_GRAPHS_GRAPH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace ladder::model_store {

class GraphBuilder;

// A tensor of a graph that is being built. A copy is the same tensor. One that
// was default-constructed stands for an optional input that is left out.
class GraphValue {
 public:
  GraphValue() = default;

  const std::string& name() const { return name_; }
  // The builder that it came from, which must outlive it.
  GraphBuilder& graph() const { return *graph_; }

 private:
  friend class GraphBuilder;
  GraphValue(GraphBuilder* graph, std::string name)
      : graph_(graph), name_(std::move(name)) {}

  GraphBuilder* graph_ = nullptr;
  std::string name_;
};

// A size, or a name for one that is known only when the graph runs.
using GraphDimension = std::variant<int64_t, std::string>;

// Builds an ONNX model, opset 17, node by node. graph_ops.h has the operators;
// this class keeps names unique and knows where a node belongs: into the
// innermost subgraph that is being built, from which all values of the graphs
// around it can be used. Constants are stored once, in the outermost graph.
//
// Not thread-safe. A wrong use, such as a value of another builder, is a fault
// of the program; Serialize reports what ONNX's checker finds.
class GraphBuilder {
 public:
  static constexpr int kOpset = 17;
  static constexpr int kIrVersion = 8;

  explicit GraphBuilder(absl::string_view name);
  GraphBuilder(const GraphBuilder&) = delete;  // Values point to it.
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  using ElementType = onnx::TensorProto::DataType;

  // An input of the model. Its name must be new, as must an output's.
  GraphValue Input(absl::string_view name, std::vector<GraphDimension> shape,
                   ElementType type = onnx::TensorProto::FLOAT);
  // Makes `value` an output of the model under this name.
  void Output(absl::string_view name, const GraphValue& value,
              std::vector<GraphDimension> shape,
              ElementType type = onnx::TensorProto::FLOAT);

  // Constants. `values` must have as many elements as `shape` says; a scalar's
  // shape is empty. Small ones that are equal are stored once.
  GraphValue Floats(std::vector<int64_t> shape, std::span<const float> values);
  GraphValue Ints(std::vector<int64_t> shape, std::span<const int64_t> values);
  GraphValue Float(double value);
  GraphValue Int(int64_t value);
  GraphValue IntList(std::vector<int64_t> values);

  // Appends a node of the default domain and returns its output or outputs.
  GraphValue Node(absl::string_view op, std::vector<GraphValue> inputs,
                  std::vector<onnx::AttributeProto> attributes = {});
  std::vector<GraphValue> Nodes(
      absl::string_view op, std::vector<GraphValue> inputs, size_t num_outputs,
      std::vector<onnx::AttributeProto> attributes = {});

  // A subgraph with `num_inputs` inputs whose nodes `body` appends and whose
  // outputs are what `body` returns; for the attributes of If, Loop and Scan.
  // Types and shapes within follow from the node that it is given to.
  using Body =
      absl::FunctionRef<std::vector<GraphValue>(std::span<const GraphValue>)>;
  onnx::GraphProto Subgraph(absl::string_view name, size_t num_inputs,
                            Body body);

  // The model as the bytes of a file. InvalidArgument if it is larger than
  // protobuf can read back (2 GiB); Internal, with the checker's words, if it
  // is not valid ONNX.
  absl::StatusOr<std::string> Serialize() const;

 private:
  // Data type, shape and bytes: what makes two constants equal.
  using ConstantKey = std::tuple<int, std::vector<int64_t>, std::string>;

  std::string UniqueName(absl::string_view stem);
  GraphValue Constant(ElementType type, const std::vector<int64_t>& shape,
                      std::span<const std::byte> bytes);
  onnx::GraphProto& innermost() { return *open_.back(); }

  onnx::ModelProto model_;
  std::vector<onnx::GraphProto*> open_;  // From the outermost inwards.
  std::set<std::string> names_;  // Those of values, nodes and subgraphs.
  size_t name_counter_ = 0;
  std::map<ConstantKey, GraphValue> constants_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_GRAPH_BUILDER_H_
