#include "model_store/graphs/graph_builder.h"

#include <algorithm>
#include <exception>
#include <limits>

#include "absl/base/macros.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "onnx/checker.h"

namespace ladder::model_store {
namespace {

// Larger constants are unlikely to have a twin and dear to compare.
constexpr size_t kLargestSharedConstant = 64;

void Describe(absl::string_view name, const std::vector<GraphDimension>& shape,
              GraphBuilder::ElementType type, onnx::ValueInfoProto& info) {
  info.set_name(std::string(name));
  onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();  // Present even if there are no dimensions.
  for (const GraphDimension& dimension : shape) {
    onnx::TensorShapeProto::Dimension& entry =
        *tensor.mutable_shape()->add_dim();
    if (const auto* size = std::get_if<int64_t>(&dimension)) {
      entry.set_dim_value(*size);
    } else {
      entry.set_dim_param(std::get<std::string>(dimension));
    }
  }
}

bool IsMadeIn(const onnx::GraphProto& graph, const std::string& name) {
  return std::any_of(graph.node().begin(), graph.node().end(),
                     [&](const onnx::NodeProto& node) {
                       return std::count(node.output().begin(),
                                         node.output().end(), name) > 0;
                     });
}

}  // namespace

GraphBuilder::GraphBuilder(absl::string_view name) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("ladder");
  model_.add_opset_import()->set_version(kOpset);
  model_.mutable_graph()->set_name(std::string(name));
  open_.push_back(model_.mutable_graph());
}

std::string GraphBuilder::UniqueName(absl::string_view stem) {
  std::string name(stem);
  while (!names_.insert(name).second) {
    name = absl::StrCat(stem, "_", ++name_counter_);
  }
  return name;
}

GraphValue GraphBuilder::Input(absl::string_view name,
                               std::vector<GraphDimension> shape,
                               ElementType type) {
  const bool is_new = names_.emplace(name).second;
  ABSL_HARDENING_ASSERT(is_new);
  Describe(name, shape, type, *model_.mutable_graph()->add_input());
  return GraphValue(this, std::string(name));
}

void GraphBuilder::Output(absl::string_view name, const GraphValue& value,
                          std::vector<GraphDimension> shape, ElementType type) {
  const bool is_new = names_.emplace(name).second;
  ABSL_HARDENING_ASSERT(is_new);
  // Values get their names when they are made, so an output's is a second one.
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type("Identity");
  node.set_name(UniqueName("Identity"));
  node.add_input(value.name());
  node.add_output(std::string(name));
  Describe(name, shape, type, *model_.mutable_graph()->add_output());
}

GraphValue GraphBuilder::Constant(ElementType type,
                                  const std::vector<int64_t>& shape,
                                  std::span<const std::byte> bytes) {
  std::string data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool shared = bytes.size() <= kLargestSharedConstant;
  const ConstantKey key(type, shape, shared ? data : std::string());
  if (shared) {
    const auto found = constants_.find(key);
    if (found != constants_.end()) return found->second;
  }
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(UniqueName("constant"));
  tensor.set_data_type(type);
  for (const int64_t size : shape) tensor.add_dims(size);
  tensor.set_raw_data(std::move(data));
  const GraphValue value(this, tensor.name());
  if (shared) constants_.emplace(key, value);
  return value;
}

GraphValue GraphBuilder::Floats(std::vector<int64_t> shape,
                                std::span<const float> values) {
  return Constant(onnx::TensorProto::FLOAT, shape, std::as_bytes(values));
}

GraphValue GraphBuilder::Ints(std::vector<int64_t> shape,
                              std::span<const int64_t> values) {
  return Constant(onnx::TensorProto::INT64, shape, std::as_bytes(values));
}

GraphValue GraphBuilder::Float(double value) {
  const auto rounded = static_cast<float>(value);
  return Floats({}, {&rounded, 1});
}

GraphValue GraphBuilder::Int(int64_t value) { return Ints({}, {&value, 1}); }

GraphValue GraphBuilder::IntList(std::vector<int64_t> values) {
  return Ints({static_cast<int64_t>(values.size())}, values);
}

GraphValue GraphBuilder::Node(absl::string_view op,
                              std::vector<GraphValue> inputs,
                              std::vector<onnx::AttributeProto> attributes) {
  return Nodes(op, std::move(inputs), 1, std::move(attributes)).front();
}

std::vector<GraphValue> GraphBuilder::Nodes(
    absl::string_view op, std::vector<GraphValue> inputs, size_t num_outputs,
    std::vector<onnx::AttributeProto> attributes) {
  onnx::NodeProto& node = *innermost().add_node();
  node.set_op_type(std::string(op));
  node.set_name(UniqueName(op));
  for (const GraphValue& input : inputs) node.add_input(input.name());
  for (onnx::AttributeProto& attribute : attributes) {
    *node.add_attribute() = std::move(attribute);
  }
  std::vector<GraphValue> outputs;
  for (size_t i = 0; i < num_outputs; ++i) {
    outputs.push_back(GraphValue(this, UniqueName(absl::StrCat(op, ":out"))));
    node.add_output(outputs.back().name());
  }
  return outputs;
}

onnx::GraphProto GraphBuilder::Subgraph(absl::string_view name,
                                        size_t num_inputs, Body body) {
  onnx::GraphProto graph;
  graph.set_name(UniqueName(name));
  std::vector<GraphValue> inputs;
  for (size_t i = 0; i < num_inputs; ++i) {
    inputs.push_back(GraphValue(this, UniqueName(absl::StrCat(name, ":in"))));
    graph.add_input()->set_name(inputs.back().name());
  }
  open_.push_back(&graph);
  for (GraphValue output : body(inputs)) {
    // ONNX wants a subgraph's outputs to be its own nodes' outputs.
    if (!IsMadeIn(graph, output.name())) output = Node("Identity", {output});
    graph.add_output()->set_name(output.name());
  }
  open_.pop_back();
  return graph;
}

absl::StatusOr<std::string> GraphBuilder::Serialize() const {
  ABSL_HARDENING_ASSERT(open_.size() == 1);
  const size_t size = model_.ByteSizeLong();
  constexpr size_t kLimit = std::numeric_limits<int32_t>::max();
  if (size > kLimit) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph ", model_.graph().name(), ": expected at most ",
                     kLimit, " bytes, as protobuf does, got ", size));
  }
  try {
    onnx::checker::check_model(model_);
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("graph ", model_.graph().name(),
                                            " is not valid: ", error.what()));
  }
  return model_.SerializeAsString();
}

}  // namespace ladder::model_store
