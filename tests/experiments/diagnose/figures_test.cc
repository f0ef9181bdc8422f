#include <vector>

#include "experiments/diagnose/diagnosis_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"

namespace ladder::experiments {
namespace {

using base::ParseSvg;
using base::TickRuler;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

SourceGeometry ThreePairs() {
  SourceGeometry geometry{.sources = {"a", "b", "c"},
                          .num_samples = {1, 1, 1},
                          .pairs = {{0, 1, 0.1}, {0, 2, 0.4}, {1, 2, 0.2}}};
  double loss = 1;
  for (SourcePair& pair : geometry.pairs) {
    pair.measures[PairMeasure::kTransferLoss] = loss++;
  }
  geometry.pairs[1].measures[PairMeasure::kPrototypeDistance] = 7;
  geometry.rho[PairMeasure::kTransferLoss] = 0.5;
  return geometry;
}

TEST(FiguresTest, GeometryHasAMarkForEveryPairAndRhoInTheTitle) {
  const auto elements =
      ParseSvg(GeometryFigure(ThreePairs(), PairMeasure::kTransferLoss));

  const TickRuler ruler(elements);
  const auto circles = Select(elements, "circle", "");
  ASSERT_THAT(circles, SizeIs(3));
  EXPECT_NEAR(circles[1].Number("cx"), ruler.At(0.4, 2).x, 0.05);
  EXPECT_NEAR(circles[1].Number("cy"), ruler.At(0.4, 2).y, 0.05);
  EXPECT_THAT(Texts(Select(elements, "text", "")),
              Contains(HasSubstr("ρ = 0.50")));
}

TEST(FiguresTest, GeometryLeavesOutWhatHasNoValue) {
  const auto elements =
      ParseSvg(GeometryFigure(ThreePairs(), PairMeasure::kPrototypeDistance));

  EXPECT_THAT(Select(elements, "circle", ""), SizeIs(1));
  EXPECT_THAT(Texts(Select(elements, "text", "")),
              Not(Contains(HasSubstr("ρ"))));
}

TEST(FiguresTest, EmbeddingIsColouredByTheGroupOfTheEmbeddedRow) {
  const Embedding embedding = {.rows = {1, 3, 4},
                               .places = {{0, 0}, {1, 1}, {2, 2}}};
  const std::vector<int64_t> groups = {9, 2, 9, 0, -1};

  const auto elements = ParseSvg(
      EmbeddingFigure(embedding, groups, {"a", "nobody's", "c"}, "z_s"));

  EXPECT_THAT(Texts(Select(elements, "text", "legend")), ElementsAre("a", "c"));
  EXPECT_THAT(Texts(Select(elements, "text", "")), Contains("z_s"));
  const TickRuler ruler(elements);
  const auto circles = Select(elements, "circle", "");
  ASSERT_THAT(circles, SizeIs(4));  // Two of them in the legend.
  EXPECT_EQ(circles[2].attributes.at("fill"), "#0072b2");
  EXPECT_NEAR(circles[2].Number("cx"), ruler.At(1, 1).x, 0.05);
  EXPECT_NEAR(circles[3].Number("cx"), ruler.At(0, 0).x, 0.05);
}

}  // namespace
}  // namespace ladder::experiments
