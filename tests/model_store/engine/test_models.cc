#include "tests/model_store/engine/test_models.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"

namespace ladder::model_store {
namespace {

onnx::AttributeProto GraphAttribute(const std::string& name,
                                    onnx::GraphProto graph) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = std::move(graph);
  return attribute;
}

// A size of -1 stands for any.
void SetType(onnx::TensorProto::DataType element,
             const std::vector<int64_t>& shape, onnx::ValueInfoProto& value) {
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element);
  type.mutable_shape();
  for (const int64_t size : shape) {
    auto& dimension = *type.mutable_shape()->add_dim();
    if (size >= 0) dimension.set_dim_value(size);
  }
}

// A [kTinySample, cols] matrix that repeats the input's columns.
GraphValue Columns(GraphBuilder& graph, size_t cols) {
  std::vector<float> values(kTinySample * cols);
  for (size_t col = 0; col < cols; ++col) {
    values[(col % kTinySample) * cols + col] = 1;
  }
  return graph.Floats({kTinySample, static_cast<int64_t>(cols)}, values);
}

void AddOutput(GraphBuilder& graph, const char* name, const GraphValue& value,
               size_t cols) {
  graph.Output(name, value, {"n", static_cast<int64_t>(cols)});
}

// Style and gate of `x`, and of content what `content` makes of it.
template <typename Content>
std::string Encoder(Content content) {
  GraphBuilder graph("encoder");
  const GraphValue x = graph.Input("x", {"n", int64_t{kTinySample}});
  AddOutput(graph, "z_c", content(x), kTinyContent);
  AddOutput(graph, "z_s", MatMul(x, Columns(graph, kTinyStyle)), kTinyStyle);
  AddOutput(graph, "gate", MatMul(x, Columns(graph, kTinySources)),
            kTinySources);
  return graph.Serialize().value();
}

}  // namespace

std::vector<float> RandomValues(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

EngineOptions TestOptions() {
  return {.device = "cpu", .threads = 2, .batch_sizes = {1, 4, 8}};
}

std::filesystem::path TestStore::Write(BundleContents contents) {
  return WriteBundle(directory_.path(), std::move(contents)).value();
}

std::shared_ptr<const Model> TestStore::Load(Engine& engine,
                                             BundleContents contents) {
  return engine.Load(Write(std::move(contents)), {}).value();
}

std::string EndlessEncoder() {
  return Encoder([](const GraphValue& x) {
    GraphBuilder& graph = x.graph();
    const GraphValue positive =
        Squeeze(Greater(ReduceMax(x, {0, 1}), graph.Float(0)), {0, 1});
    const GraphValue content = MatMul(x, Columns(graph, kTinyContent));
    // Inputs: the iteration, the condition, the state.
    onnx::GraphProto body =
        graph.Subgraph("forever", 3, [&](std::span<const GraphValue> inputs) {
          return std::vector<GraphValue>{graph.Node("Identity", {inputs[1]}),
                                         inputs[2] + 1};
        });
    // The iteration, the condition, the content: ONNX Runtime wants to know.
    SetType(onnx::TensorProto::INT64, {}, *body.mutable_input(0));
    SetType(onnx::TensorProto::BOOL, {}, *body.mutable_input(1));
    SetType(onnx::TensorProto::FLOAT, {-1, kTinyContent},
            *body.mutable_input(2));
    return graph.Node("Loop", {GraphValue(), positive, content},
                      {GraphAttribute("body", body)});
  });
}

std::string FailingEncoder() {
  return Encoder([](const GraphValue& x) {
    // A row more for every value that is not zero, which nobody expects.
    GraphBuilder& graph = x.graph();
    const GraphValue content = MatMul(x, Columns(graph, kTinyContent));
    const GraphValue places = graph.Node("NonZero", {x});
    const GraphValue rows = Squeeze(Gather(places, graph.IntList({0})), {0});
    return Concat({content, Gather(content, rows)}, /*axis=*/0);
  });
}

std::string WrongShapeEncoder() {
  return Encoder([](const GraphValue& x) {
    const GraphValue content = MatMul(x, Columns(x.graph(), kTinyContent));
    const GraphValue first = Gather(content, x.graph().IntList({0}));
    return Concat({content, first}, /*axis=*/0);
  });
}

std::string HungryEncoder(size_t bytes_per_row) {
  const auto cols = static_cast<int64_t>(bytes_per_row / sizeof(float));
  return Encoder([&](const GraphValue& x) {
    GraphBuilder& graph = x.graph();
    const GraphValue wide =
        graph.Node("Expand", {ReduceMean(x, {1}), graph.IntList({1, cols})});
    return MatMul(x, Columns(graph, kTinyContent)) * ReduceMean(wide, {1});
  });
}

std::string ConstantRouter(float distance) {
  GraphBuilder graph("router");
  const GraphValue z_s = graph.Input("z_s", {"n", int64_t{kTinyStyle}});
  const GraphValue zero =
      Squeeze(ReduceMax(z_s, {0, 1}), {0, 1}) * graph.Float(0);
  const std::vector<float> distances(kTinySources, distance);
  graph.Output("distances", graph.Floats({kTinySources}, distances) + zero,
               {int64_t{kTinySources}});
  return graph.Serialize().value();
}

std::string HeavyEncoder(size_t num_bytes) {
  constexpr int64_t kWidth = 2048;
  constexpr size_t kLayerBytes = kWidth * kWidth * sizeof(float);
  return Encoder([&](const GraphValue& x) {
    GraphBuilder& graph = x.graph();
    const std::vector<float> wide = RandomValues(kTinySample * kWidth, 1);
    GraphValue hidden = MatMul(x, graph.Floats({kTinySample, kWidth}, wide));
    for (size_t layer = 0; layer < num_bytes / kLayerBytes; ++layer) {
      std::vector<float> weights =
          RandomValues(kWidth * kWidth, static_cast<unsigned>(layer));
      const float scale = 1 / std::sqrt(static_cast<float>(kWidth));
      for (float& weight : weights) weight *= scale;
      hidden = graph.Node(
          "Relu", {MatMul(hidden, graph.Floats({kWidth, kWidth}, weights))});
    }
    const std::vector<float> narrow = RandomValues(kWidth * kTinyContent, 2);
    return MatMul(hidden, graph.Floats({kWidth, kTinyContent}, narrow));
  });
}

}  // namespace ladder::model_store
