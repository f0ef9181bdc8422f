#include "experiments/diagnose/embedding.h"

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using base::Point;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr size_t kDimension = 20;
constexpr size_t kClusters = 4;

// Points of cluster 0, 1, 2, 3, 0, ..., of which each has a direction of its
// own.
std::vector<float> ClusteredPoints(size_t count) {
  std::vector<float> points = RandomValues(count * kDimension, 1);
  for (size_t i = 0; i < count; ++i) {
    points[i * kDimension + i % kClusters] += 25;
  }
  return points;
}

double Distance(const Point& a, const Point& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

bool SameBits(const Embedding& a, const Embedding& b) {
  return a.rows == b.rows &&
         std::equal(a.places.begin(), a.places.end(), b.places.begin(),
                    b.places.end(), [](const Point& p, const Point& q) {
                      return p.x == q.x && p.y == q.y;
                    });
}

TEST(EmbeddingTest, KeepsClustersThatAreFarApartApart) {
  constexpr size_t kCount = 200;
  const std::vector<float> points = ClusteredPoints(kCount);

  const auto embedding =
      EmbedInPlane({points.data(), kCount, kDimension}, {}, {});

  ASSERT_TRUE(embedding.ok()) << embedding.status();
  ASSERT_THAT(embedding->places, SizeIs(kCount));
  double widest = 0;
  double nearest = INFINITY;
  for (size_t i = 0; i < kCount; ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double distance =
          Distance(embedding->places[i], embedding->places[j]);
      if (i % kClusters == j % kClusters) {
        widest = std::max(widest, distance);
      } else {
        nearest = std::min(nearest, distance);
      }
    }
  }
  EXPECT_GT(nearest, 0.5 * widest);
}

TEST(EmbeddingTest, SpreadsAClusterInsteadOfCollapsingIt) {
  const std::vector<float> points = ClusteredPoints(200);

  const auto embedding = EmbedInPlane({points.data(), 200, kDimension}, {}, {});

  ASSERT_TRUE(embedding.ok()) << embedding.status();
  for (size_t i = 0; i < 200; ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_GT(Distance(embedding->places[i], embedding->places[j]), 1e-3);
    }
  }
}

TEST(EmbeddingTest, IsTheSameOnAnyNumberOfThreads) {
  const std::vector<float> points = ClusteredPoints(100);
  const routing::MatrixView view = {points.data(), 100, kDimension};
  const EmbeddingOptions options = {.tsne = {.num_iterations = 300}};
  routing::ThreadPool pool(3);

  const auto first = EmbedInPlane(view, options, {});
  const auto again = EmbedInPlane(view, options, {});
  const auto pooled = EmbedInPlane(view, options, {.pool = &pool});

  ASSERT_TRUE(first.ok() && again.ok() && pooled.ok());
  EXPECT_TRUE(SameBits(*first, *again));
  EXPECT_TRUE(SameBits(*first, *pooled));
}

TEST(EmbeddingTest, DrawsNoMorePointsThanAskedFor) {
  const std::vector<float> points = ClusteredPoints(300);
  const routing::MatrixView view = {points.data(), 300, kDimension};
  const EmbeddingOptions options = {.max_points = 50,
                                    .tsne = {.num_iterations = 20}};

  const auto embedding = EmbedInPlane(view, options, {});

  ASSERT_TRUE(embedding.ok()) << embedding.status();
  EXPECT_THAT(embedding->rows, SizeIs(50));
  EXPECT_THAT(embedding->places, SizeIs(50));
  EXPECT_TRUE(std::is_sorted(embedding->rows.begin(), embedding->rows.end()));
  EXPECT_LT(embedding->rows.back(), 300u);
}

TEST(EmbeddingTest, PlacesFewOrEqualPointsToo) {
  const std::vector<float> points(10, 1.0f);
  for (const size_t count : {1u, 2u, 3u, 4u, 10u}) {
    const auto embedding = EmbedInPlane({points.data(), count, 1}, {}, {});

    ASSERT_TRUE(embedding.ok()) << embedding.status();
    ASSERT_THAT(embedding->places, SizeIs(count));
    for (const Point& place : embedding->places) {
      EXPECT_TRUE(std::isfinite(place.x) && std::isfinite(place.y));
    }
  }
}

TEST(EmbeddingTest, StopsWhenAsked) {
  const std::vector<float> points = ClusteredPoints(50);
  std::stop_source stop;
  stop.request_stop();

  const auto embedding = EmbedInPlane({points.data(), 50, kDimension}, {},
                                      {.stop = stop.get_token()});

  EXPECT_EQ(embedding.status().code(), absl::StatusCode::kCancelled);
}

TEST(EmbeddingTest, RejectsWhatCannotBePlaced) {
  const std::vector<float> points = {1, NAN};

  const auto not_finite = EmbedInPlane({points.data(), 2, 1}, {}, {});
  const auto no_points =
      EmbedInPlane({points.data(), 1, 1}, {.max_points = 0}, {});

  EXPECT_EQ(not_finite.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(no_points.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_points.status().message()),
              HasSubstr("expected at least 1, got 0"));
}

}  // namespace
}  // namespace ladder::experiments
