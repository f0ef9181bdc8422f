#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/router_constants.h"
#include "routing/fingerprints.h"
#include "tests/routing/cloud.h"

namespace ladder::model_store {
namespace {

using routing::Cloud;
using ::testing::ElementsAre;

routing::Fingerprints MakeFingerprints(const std::vector<Cloud>& sources) {
  return routing::Fingerprints::Create(routing::Views(sources), {}, {}).value();
}

TEST(SourceTilesTest, FillSourcesWithPointsThatDoNotCount) {
  const auto fingerprints =
      MakeFingerprints({routing::Column({1, 5, 6}), routing::Column({7, -3})});

  const SourceTiles tiles = TileSources(fingerprints, 2);

  EXPECT_EQ(tiles.num_tiles, 1);
  EXPECT_EQ(tiles.tile_size, 2);
  EXPECT_EQ(tiles.num_points, 3);
  EXPECT_EQ(tiles.dimension, 1);
  EXPECT_THAT(tiles.points, ElementsAre(1, 5, 6, /**/ 7, -3, 7));
  EXPECT_THAT(tiles.is_true_point, ElementsAre(1, 1, 1, /**/ 1, 1, 0));
  EXPECT_THAT(tiles.inverse_counts, ElementsAre(1.0F / 3, 0.5F));
  EXPECT_THAT(tiles.lower, ElementsAre(1, -3));
  EXPECT_THAT(tiles.upper, ElementsAre(6, 7));
}

TEST(SourceTilesTest, FillTheLastTileWithTheLastSource) {
  const auto fingerprints = MakeFingerprints(
      {routing::Column({1}), routing::Column({2}), routing::Column({3})});

  const SourceTiles tiles = TileSources(fingerprints, 2);

  EXPECT_EQ(tiles.num_tiles, 2);
  EXPECT_EQ(tiles.tile_size, 2);
  EXPECT_EQ(tiles.num_places(), 4);
  EXPECT_EQ(tiles.source_at(3), 2);
  EXPECT_THAT(tiles.lower, ElementsAre(1, 2, 3, 3));
}

TEST(SourceTilesTest, MeasureFromAnOriginWhereThatIsExact) {
  const auto fingerprints =
      MakeFingerprints({routing::Column({100, 104}), routing::Column({-8, -5}),
                        routing::Column({1, 3}), routing::Column({-1, 3})});

  const SourceTiles tiles = TileSources(fingerprints, 4);

  EXPECT_THAT(tiles.origins, ElementsAre(100, -8, 0, 0));
  EXPECT_THAT(tiles.points, ElementsAre(0, 4, 0, 3, 1, 3, -1, 3));
  EXPECT_THAT(tiles.lower, ElementsAre(100, -8, 1, -1));
}

TEST(SourceTilesTest, AreNoLargerThanTheirNumberAsks) {
  const auto fingerprints =
      MakeFingerprints(std::vector<Cloud>(9, routing::Column({1})));

  const SourceTiles tiles = TileSources(fingerprints, 8);

  EXPECT_EQ(tiles.num_tiles, 2);
  EXPECT_EQ(tiles.tile_size, 5);  // Not 8, of which 7 would be filled up.
}

}  // namespace
}  // namespace ladder::model_store
