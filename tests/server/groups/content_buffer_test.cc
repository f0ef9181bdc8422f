#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/predict_rows.h"
#include "tests/fakes/device_model.h"

namespace ladder::server {
namespace {

using model_store::MakeTensor;
using model_store::Tensor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<float> ValuesOf(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.rows() * tensor.cols()};
}

class ContentBufferTest : public ::testing::TestWithParam<Tensor::Place> {
 protected:
  // Rows of two numbers: first, first + 0.5, first + 1, ...
  Tensor Rows(size_t num_rows, float first) const {
    std::vector<float> values(2 * num_rows);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = first + 0.5F * static_cast<float>(i);
    }
    return MakeTensor(values, num_rows, GetParam());
  }

  // Samples from `first` on.
  ContentRows Samples(size_t num_rows, size_t first) const {
    ContentRows rows = {.z_c = Rows(num_rows, static_cast<float>(first)),
                        .gate = MakeTensor(std::vector<float>(num_rows, 7),
                                           num_rows, Tensor::Place::kHost)};
    for (size_t i = first; i < first + num_rows; ++i) {
      rows.indices.push_back(i);
      rows.ids.push_back(absl::StrCat("id", i));
    }
    return rows;
  }

  const model_store::DeviceModel model_;
};

TEST_P(ContentBufferTest, GivesRowsInOrderInPiecesOfAnySize) {
  for (const size_t size : {1, 2, 3, 5, 9, 100}) {
    ContentBuffer buffer;
    buffer.Push(Samples(4, 0));
    buffer.Push(Samples(1, 4));
    buffer.Push(Samples(4, 5));
    size_t next = 0;
    while (buffer.num_rows() > 0) {
      const size_t before = buffer.num_rows();
      const ContentRows rows = buffer.Take(model_, size, {}).value();

      ASSERT_EQ(rows.z_c.rows(), std::min(size, before));
      EXPECT_EQ(buffer.num_rows(), before - rows.z_c.rows());
      ASSERT_EQ(rows.gate.rows(), rows.z_c.rows());
      ASSERT_EQ(rows.ids.size(), rows.indices.size());
      const std::vector<float> values = ValuesOf(rows.z_c);
      for (size_t i = 0; i < rows.indices.size(); ++i, ++next) {
        EXPECT_EQ(rows.indices[i], next);
        EXPECT_EQ(rows.ids[i], absl::StrCat("id", next));
        EXPECT_EQ(values[2 * i], static_cast<float>(next));
      }
    }
    EXPECT_EQ(next, 9);
  }
}

TEST_P(ContentBufferTest, RowsMayHaveNeitherIdsNorGates) {
  ContentBuffer buffer;
  buffer.Push({.z_c = Rows(3, 0), .indices = {0, 1, 2}});

  const ContentRows rows = buffer.Take(model_, 2, {}).value();

  EXPECT_THAT(rows.ids, IsEmpty());
  EXPECT_EQ(rows.gate.rows(), 0);
  EXPECT_THAT(rows.indices, ElementsAre(0, 1));
}

TEST_P(ContentBufferTest, OnePieceThatIsLargeEnoughIsNotCopied) {
  const Tensor piece = Rows(3, 0);
  ContentBuffer buffer;
  buffer.Push({.z_c = piece, .indices = {0, 1, 2}});

  EXPECT_EQ(buffer.Take(model_, 3, {})->z_c.data(), piece.data());
}

INSTANTIATE_TEST_SUITE_P(Places, ContentBufferTest,
                         ::testing::Values(Tensor::Place::kHost,
                                           Tensor::Place::kDevice),
                         model_store::PlaceName);

}  // namespace
}  // namespace ladder::server
