#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "onnx/onnx_pb.h"
#include "routing/weights.h"
#include "tests/model_store/graphs/router_comparison.h"
#include "tests/routing/golden.h"
#include "tests/routing/reference_sinkhorn.h"

namespace ladder::model_store {
namespace {

using routing::Cloud;
using routing::GoldenCase;
using routing::LoadGoldenCases;
using routing::ReferenceSinkhorn;

// If two of all points coincide, up to a thousandth of the clouds' size.
bool HaveCoincidingPoints(const Cloud& a, const Cloud& b) {
  Cloud both = a;
  both.rows += b.rows;
  both.values.insert(both.values.end(), b.values.begin(), b.values.end());
  const double gap =
      1e-3 * ReferenceSinkhorn::Diameter(both.View(), both.View());
  for (size_t i = 0; i < both.rows; ++i) {
    for (size_t j = 0; j < i; ++j) {
      double squared = 0;
      for (size_t k = 0; k < both.cols; ++k) {
        const double step = both.View().Row(i)[k] - both.View().Row(j)[k];
        squared += step * step;
      }
      if (squared < gap * gap) return true;
    }
  }
  return false;
}

// Where points coincide a distance is a small difference of costs that ought to
// be the smallest, and `where_coinciding` is the absolute error allowed.
void ExpectGolden(const GoldenCase& golden, const std::vector<float>& distances,
                  double where_coinciding) {
  ASSERT_EQ(distances.size(), golden.sources.size()) << golden.name;
  for (size_t e = 0; e < distances.size(); ++e) {
    const double expected = golden.distances[e].value_or(0);
    double tolerance = 1e-5 * std::abs(expected);
    if (HaveCoincidingPoints(golden.target, golden.sources[e])) {
      tolerance = std::max(tolerance, where_coinciding);
    }
    EXPECT_NEAR(distances[e], expected, tolerance)
        << golden.name << ", source " << e;
  }
}

TEST(RouterGoldenTest, EveryDistanceIsWithinAHundredThousandth) {
  const std::vector<GoldenCase> cases = LoadGoldenCases();
  ASSERT_EQ(cases.size(), 16);

  for (const GoldenCase& golden : cases) {
    ExpectGolden(golden,
                 GraphDistances(RouterFor(golden.sources), golden.target),
                 /*where_coinciding=*/1e-6);
  }
}

TEST(RouterGoldenTest, TheNearestComeInTheOrderOfTheNativeSolver) {
  for (const GoldenCase& golden : LoadGoldenCases()) {
    const std::vector<float> floats =
        GraphDistances(RouterFor(golden.sources), golden.target);
    const std::vector<double> distances(floats.begin(), floats.end());
    const std::vector<double> native =
        NativeDistances(golden.sources, golden.target);

    const auto nearest =
        routing::NearestSources(distances, routing::kAllSources);
    const auto expected = routing::NearestSources(native, routing::kAllSources);

    // Sources that are equally far, up to the tolerance, may swap.
    for (size_t i = 0; i < nearest.size(); ++i) {
      EXPECT_NEAR(native[nearest[i]], native[expected[i]],
                  1e-6 + 2e-6 * native[expected[i]])
          << golden.name << ", rank " << i;
    }
  }
}

// Rounds both factors of every matrix product to the 11 bits that
// TensorFloat-32 keeps: c = (2^13 + 1) x; c - (c - x).
std::string WithShortMatrixProducts(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  onnx::TensorProto& factor = *model.mutable_graph()->add_initializer();
  factor.set_name("splitter");
  factor.set_data_type(onnx::TensorProto::FLOAT);
  factor.add_float_data(8193);
  size_t num_products = 0;
  const std::function<void(onnx::GraphProto&)> rewrite =
      [&](onnx::GraphProto& graph) {
        const onnx::GraphProto original = graph;
        graph.clear_node();
        const auto add = [&](const std::string& op, const std::string& a,
                             const std::string& b, const std::string& result) {
          onnx::NodeProto& node = *graph.add_node();
          node.set_op_type(op);
          node.add_input(a);
          node.add_input(b);
          node.add_output(result);
        };
        for (onnx::NodeProto node : original.node()) {
          for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) rewrite(*attribute.mutable_g());
          }
          for (std::string& input : *node.mutable_input()) {
            if (node.op_type() != "MatMul") break;
            const std::string name =
                "short" + std::to_string(num_products++) + ":";
            add("Mul", input, "splitter", name + "scaled");
            add("Sub", name + "scaled", input, name + "rest");
            add("Sub", name + "scaled", name + "rest", name + "rounded");
            input = name + "rounded";
          }
          *graph.add_node() = node;
        }
      };
  rewrite(*model.mutable_graph());
  EXPECT_GT(num_products, 0);
  return model.SerializeAsString();
}

TEST(RouterGoldenTest, HoldsOnMatrixUnitsThatDropDigits) {
  for (const GoldenCase& golden : LoadGoldenCases()) {
    const std::string model =
        WithShortMatrixProducts(RouterFor(golden.sources));

    ExpectGolden(golden, GraphDistances(model, golden.target),
                 /*where_coinciding=*/1e-3);
  }
}

}  // namespace
}  // namespace ladder::model_store
