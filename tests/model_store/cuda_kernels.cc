#include "tests/model_store/cuda_kernels.h"

#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "tests/testdata.h"

namespace ladder::model_store {
namespace {

constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max();

struct Kernel {
  int64_t first = 0;  // Versions of the operator.
  int64_t last = 0;
  bool has_float = false;

  // ONNX Runtime takes a kernel without an end for the version that it was made
  // for and no later one.
  bool Serves(int64_t version) const {
    if (first == version) return true;
    return last != kOpenEnd && first < version && version <= last;
  }
};

using Operator = std::pair<std::string, std::string>;  // Domain and name.

// "13+", "13" or "[6, 12]".
Kernel ParseRange(const std::string& text) {
  if (text.front() == '[') {
    return {.first = std::stoll(text.substr(1)),
            .last = std::stoll(text.substr(text.find(',') + 1))};
  }
  const int64_t first = std::stoll(text);
  return {.first = first, .last = text.back() == '+' ? kOpenEnd : first};
}

std::multimap<Operator, Kernel> LoadKernels() {
  std::ifstream file(TestdataFolder() / "cuda_ep_kernels.tsv");
  if (!file) throw std::runtime_error("cannot open cuda_ep_kernels.tsv");
  std::multimap<Operator, Kernel> kernels;
  std::string line;
  std::getline(file, line);  // The header.
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string domain;
    std::string op;
    std::string range;
    std::string types;
    std::getline(fields, domain, '\t');
    std::getline(fields, op, '\t');
    std::getline(fields, range, '\t');
    std::getline(fields, types, '\t');
    Kernel kernel = ParseRange(range);
    kernel.has_float = types == "float32";
    // ONNX's own operators have an empty domain in models.
    kernels.emplace(Operator(domain == "ai.onnx" ? "" : domain, op), kernel);
  }
  return kernels;
}

class Search {
 public:
  explicit Search(const onnx::ModelProto& model) : kernels_(LoadKernels()) {
    for (const auto& import : model.opset_import()) {
      opsets_[import.domain()] = import.version();
    }
    CollectTypes(model.graph());
    Visit(model.graph());
  }

  std::vector<NodeOffDevice> found() && { return std::move(found_); }

 private:
  // Names are unique over all graphs of a model, so one table will do.
  void CollectTypes(const onnx::GraphProto& graph) {
    for (const auto* values :
         {&graph.input(), &graph.output(), &graph.value_info()}) {
      for (const onnx::ValueInfoProto& value : *values) {
        if (!value.type().has_tensor_type()) continue;
        types_[value.name()] = value.type().tensor_type().elem_type();
      }
    }
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      types_[tensor.name()] = tensor.data_type();
    }
    for (const onnx::NodeProto& node : graph.node()) {
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) CollectTypes(attribute.g());
      }
    }
  }

  void Visit(const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) {
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) Visit(attribute.g());
      }
      if (node.op_type() != "Constant") Check(node);
    }
  }

  void Check(const onnx::NodeProto& node) {
    const auto* schema = onnx::OpSchemaRegistry::Schema(
        node.op_type(), static_cast<int>(opsets_[node.domain()]),
        node.domain());
    const int64_t version = schema == nullptr ? 0 : schema->since_version();
    const bool needs_float = HandlesFloats(node);
    bool is_listed = false;
    const auto [begin, end] =
        kernels_.equal_range({node.domain(), node.op_type()});
    for (auto kernel = begin; kernel != end; ++kernel) {
      if (!kernel->second.Serves(version)) continue;
      if (kernel->second.has_float || !needs_float) return;
      is_listed = true;
    }
    found_.push_back({.op = node.op_type(),
                      .version = version,
                      .node = node.name(),
                      .reason = is_listed ? "no kernel for float32"
                                          : "no kernel at this version"});
  }

  bool HandlesFloats(const onnx::NodeProto& node) const {
    for (const auto* names : {&node.input(), &node.output()}) {
      for (const std::string& name : *names) {
        if (name.empty()) continue;  // An optional input that is left out.
        const auto type = types_.find(name);
        if (type == types_.end()) {
          throw std::runtime_error("no type for " + name);
        }
        if (type->second == onnx::TensorProto::FLOAT) return true;
      }
    }
    return false;
  }

  const std::multimap<Operator, Kernel> kernels_;
  std::map<std::string, int64_t> opsets_;
  std::map<std::string, int> types_;  // By tensor name.
  std::vector<NodeOffDevice> found_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const NodeOffDevice& node) {
  return out << node.op << " (version " << node.version << "), node "
             << node.node << ": " << node.reason;
}

std::vector<NodeOffDevice> FindNodesOffDevice(const std::string& model) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(model)) {
    throw std::runtime_error("not an ONNX model");
  }
  onnx::shape_inference::InferShapes(proto);
  return Search(proto).found();
}

}  // namespace ladder::model_store
