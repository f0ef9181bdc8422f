#include "model_store/engine/model.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/device_model.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;

std::vector<float> ValuesOf(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.rows() * tensor.cols()};
}

class ConcatenateTest : public ::testing::TestWithParam<Tensor::Place> {
 protected:
  const DeviceModel model_;
};

TEST_P(ConcatenateTest, ConcatenatesAndPadsWithTheLastRow) {
  const Tensor pieces[] = {MakeTensor({0, 0.5, 1, 1.5}, 2, GetParam()),
                           MakeTensor({10, 10.5}, 1, GetParam())};

  const Tensor all = model_.Concatenate(pieces, 5, {}).value();

  EXPECT_EQ(all.place(), GetParam());
  EXPECT_THAT(ValuesOf(all),
              ElementsAre(0, 0.5, 1, 1.5, 10, 10.5, 10, 10.5, 10, 10.5));
}

TEST_P(ConcatenateTest, CopiesOnePieceToo) {
  const Tensor piece = MakeTensor({1, 2, 3, 4}, 2, GetParam());

  const Tensor copy = model_.Concatenate({&piece, 1}, 0, {}).value();

  EXPECT_NE(copy.data(), piece.data());
  EXPECT_THAT(ValuesOf(copy), ElementsAre(1, 2, 3, 4));
}

INSTANTIATE_TEST_SUITE_P(Places, ConcatenateTest,
                         ::testing::Values(Tensor::Place::kHost,
                                           Tensor::Place::kDevice),
                         PlaceName);

}  // namespace
}  // namespace ladder::model_store
