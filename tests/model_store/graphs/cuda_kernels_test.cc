#include "tests/model_store/cuda_kernels.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"
#include "onnx/defs/attr_proto_util.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(CudaKernelsTest, AreThereForPlainArithmetic) {
  GraphBuilder graph("plain");
  const GraphValue x = graph.Input("x", {"n", 4});
  graph.Output("y", Exp(x) + 1, {"n", 4});

  EXPECT_THAT(FindNodesOffDevice(graph.Serialize().value()), IsEmpty());
}

TEST(CudaKernelsTest, AreMissedWhereAnOperatorHasNone) {
  GraphBuilder graph("determinant");
  const GraphValue x = graph.Input("x", {"n", 4, 4});
  graph.Output("y", graph.Node("Det", {x}), {"n"});

  const auto nodes = FindNodesOffDevice(graph.Serialize().value());

  ASSERT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes[0].op, "Det");
  EXPECT_EQ(nodes[0].version, 11);
  EXPECT_EQ(nodes[0].node, "Det");
  EXPECT_EQ(nodes[0].reason, "no kernel at this version");
}

TEST(CudaKernelsTest, AreMissedInSubgraphs) {
  GraphBuilder graph("nested");
  const GraphValue x = graph.Input("x", {"n", 4});
  const GraphValue is_short =
      Squeeze(graph.Node("Less", {SizeOf(x, 0), graph.IntList({9})}), {0});
  const auto y = If(
      is_short, [&] { return std::vector{graph.Node("Hardmax", {x})}; },
      [&] { return std::vector{Exp(x)}; });
  graph.Output("y", y[0], {"n", 4});

  EXPECT_THAT(FindNodesOffDevice(graph.Serialize().value()),
              ElementsAre(Field(&NodeOffDevice::op, "Hardmax")));
}

TEST(CudaKernelsTest, AreMissedWhereTheyExistForOtherTypesOnly) {
  GraphBuilder graph("dequantised");
  const GraphValue x = graph.Input("x", {"n"}, onnx::TensorProto::INT8);
  graph.Output("y", graph.Node("DequantizeLinear", {x, graph.Float(2)}), {"n"});

  EXPECT_THAT(
      FindNodesOffDevice(graph.Serialize().value()),
      ElementsAre(Field(&NodeOffDevice::reason, "no kernel for float32")));
}

TEST(CudaKernelsTest, NeedNoFloatsForShapesAndConditions) {
  GraphBuilder graph("conditions");
  const GraphValue x = graph.Input("x", {"n", 4});
  const GraphValue none = Squeeze(Equal(SizeOf(x, 0), graph.IntList({0})), {0});
  const auto y = If(
      graph.Node("Not", {none}), [&] { return std::vector{Exp(x)}; },
      [&] { return std::vector{x}; });
  graph.Output("y", y[0], {"n", 4});

  EXPECT_THAT(FindNodesOffDevice(graph.Serialize().value()), IsEmpty());
}

}  // namespace
}  // namespace ladder::model_store
