#include "model_store/graphs/graph_builder.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/graph_ops.h"
#include "onnx/onnx_pb.h"
#include "tests/model_store/onnx_runner.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

onnx::ModelProto Parse(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

FloatTensor Column(std::vector<float> values) {
  const auto rows = static_cast<int64_t>(values.size());
  return {.shape = {rows}, .values = std::move(values)};
}

TEST(GraphBuilderTest, MakesAModelThatSaysWhatItIs) {
  GraphBuilder graph("identity");
  graph.Output("y", graph.Input("x", {"n", 3}), {"n", 3});

  const onnx::ModelProto model = Parse(graph.Serialize().value());

  EXPECT_EQ(model.producer_name(), "ladder");
  EXPECT_EQ(model.ir_version(), 8);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).domain(), "");
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.graph().name(), "identity");
  const auto& input = model.graph().input(0);
  EXPECT_EQ(input.name(), "x");
  EXPECT_EQ(input.type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(input.type().tensor_type().shape().dim(0).dim_param(), "n");
  EXPECT_EQ(input.type().tensor_type().shape().dim(1).dim_value(), 3);
  EXPECT_EQ(model.graph().output(0).name(), "y");
}

TEST(GraphBuilderTest, ComputesWhatTheOperatorsSay) {
  GraphBuilder graph("formula");
  const GraphValue x = graph.Input("x", {"n"});
  graph.Output("y", 2 * Exp(x) - 1, {"n"});

  const OnnxRunner runner(graph.Serialize().value());

  EXPECT_THAT(runner.Run({{"x", Column({0, 1})}})["y"].values,
              ElementsAre(1, ::testing::FloatEq(4.436563657F)));
}

TEST(GraphBuilderTest, NeverUsesANameTwice) {
  GraphBuilder graph("names");
  const GraphValue x = graph.Input("Add_1", {"n"});
  const GraphValue y =
      Scan({.states = {x}, .elements = {x + x}},
           [](const ScanValues& now) -> ScanValues {
             return {.states = {now.states[0] + now.elements[0]}};
           })
          .states[0];
  graph.Output("y", y + x, {"n"});

  const onnx::ModelProto model = Parse(graph.Serialize().value());

  std::multiset<std::string> names = {"Add_1"};
  const std::function<void(const onnx::GraphProto&)> collect =
      [&](const onnx::GraphProto& part) {
        for (const auto& node : part.node()) {
          names.insert(node.output().begin(), node.output().end());
          for (const auto& attribute : node.attribute()) {
            if (!attribute.has_g()) continue;
            for (const auto& input : attribute.g().input()) {
              names.insert(input.name());
            }
            collect(attribute.g());
          }
        }
      };
  collect(model.graph());
  EXPECT_GE(names.size(), 7);
  for (const std::string& name : names) {
    EXPECT_EQ(names.count(name), 1) << name;
  }
}

TEST(GraphBuilderTest, StoresEqualSmallConstantsOnce) {
  GraphBuilder graph("constants");
  const GraphValue x = graph.Input("x", {"n"});
  graph.Output("y", 3 * (3 * x) + 4, {"n"});

  EXPECT_EQ(Parse(graph.Serialize().value()).graph().initializer_size(), 2);
}

TEST(GraphBuilderTest, TellsConstantsOfDifferentShapesApart) {
  GraphBuilder graph("constants");
  const float values[] = {1, 2};

  EXPECT_NE(graph.Floats({2}, values).name(),
            graph.Floats({2, 1}, values).name());
  EXPECT_EQ(graph.Floats({2}, values).name(), graph.Floats({2}, values).name());
}

TEST(GraphBuilderTest, TakesTheBranchThatTheConditionSays) {
  GraphBuilder graph("branches");
  const GraphValue x = graph.Input("x", {"n"});
  const GraphValue is_one =
      Squeeze(Equal(SizeOf(x, 0), graph.IntList({1})), {0});
  const auto y = If(
      is_one, [&] { return std::vector{x + 1}; },
      [&] { return std::vector{x}; });  // A value of the graph around it.
  graph.Output("y", y[0], {"n"});

  const OnnxRunner runner(graph.Serialize().value());

  EXPECT_THAT(runner.Run({{"x", Column({5})}})["y"].values, ElementsAre(6));
  EXPECT_THAT(runner.Run({{"x", Column({5, 7})}})["y"].values,
              ElementsAre(5, 7));
}

TEST(GraphBuilderTest, ScansCarryStatesAndStackElements) {
  GraphBuilder graph("sums");
  const GraphValue x = graph.Input("x", {"n"});
  const ScanValues sums =
      Scan({.states = {graph.Float(100)}, .elements = {x}},
           [&](const ScanValues& now) -> ScanValues {
             const GraphValue sum = now.states[0] + now.elements[0];
             return {.states = {sum}, .elements = {2 * sum}};
           });
  graph.Output("total", sums.states[0], {});
  graph.Output("doubled", sums.elements[0], {"n"});

  const OnnxRunner runner(graph.Serialize().value());
  auto results = runner.Run({{"x", Column({1, 2, 3})}});

  EXPECT_THAT(results["total"].values, ElementsAre(106));
  EXPECT_THAT(results["doubled"].values, ElementsAre(202, 206, 212));
}

TEST(GraphBuilderTest, ReportsWhatTheCheckerFinds) {
  GraphBuilder graph("wrong");
  const GraphValue x = graph.Input("x", {"n"});
  graph.Output("y", graph.Node("NoSuchOperator", {x}), {"n"});

  const absl::Status status = graph.Serialize().status();

  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("graph wrong"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("NoSuchOperator"));
}

}  // namespace
}  // namespace ladder::model_store
