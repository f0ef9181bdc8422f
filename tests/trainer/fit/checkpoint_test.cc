#include "trainer/fit/checkpoint.h"

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"
#include "tests/trainer/fit/small_run.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Has buffers, and a layer that no gradient reaches.
class SmallNetwork : public torch::nn::Module {
 public:
  explicit SmallNetwork(int64_t width = 4)
      : first_(register_module("first", torch::nn::Linear(3, width))),
        norm_(register_module("norm", torch::nn::BatchNorm1d(width))),
        last_(register_module("last", torch::nn::Linear(width, 2))) {
    register_module("unused", torch::nn::Linear(2, 2));
  }

  torch::Tensor Loss(const torch::Tensor& x) {
    return last_->forward(norm_->forward(first_->forward(x))).square().sum();
  }

 private:
  torch::nn::Linear first_;
  torch::nn::BatchNorm1d norm_;
  torch::nn::Linear last_;
};

struct Training {
  explicit Training(uint64_t seed, int64_t width = 4)
      : network(Seeded(seed, width)),
        optimizer(network.parameters(), torch::optim::AdamWOptions(0.01)) {}

  void Step(uint64_t number) { StepWith(optimizer, number); }
  void StepWith(torch::optim::AdamW& other, uint64_t number) {
    torch::manual_seed(number);
    other.zero_grad();
    network.Loss(torch::randn({5, 3})).backward();
    other.step();
  }

  SmallNetwork network;
  torch::optim::AdamW optimizer;

 private:
  static SmallNetwork Seeded(uint64_t seed, int64_t width) {
    torch::manual_seed(seed);
    return SmallNetwork(width);
  }
};

class CheckpointTest : public ::testing::Test {
 protected:
  // Saves the network after two steps.
  void Save(Training& training) const {
    training.Step(1);
    training.Step(2);
    const absl::Status status =
        SaveCheckpoint(path_, training.network, training.optimizer, 2);
    ASSERT_TRUE(status.ok()) << status;
  }

  // Loads the file, from which `name` was taken out, and returns the error.
  std::string ErrorWithout(const std::string& name) const {
    NamedTensors tensors = ReadTensors(path_).value();
    EXPECT_EQ(tensors.erase(name), 1) << name;
    EXPECT_TRUE(WriteTensors(tensors, path_).ok());
    Training other(/*seed=*/9);
    const auto step = LoadCheckpoint(path_, other.network, other.optimizer);
    EXPECT_EQ(step.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(step.status().message());
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ =
      directory_.path() / "checkpoint.safetensors";
};

TEST_F(CheckpointTest, TheNextStepIsTheSameAsWithoutTheRoundTrip) {
  Training training(/*seed=*/5);
  Save(training);
  Training restored(/*seed=*/6);
  ASSERT_THAT(Differences(CopyOfWeights(training.network),
                          CopyOfWeights(restored.network)),
              Not(IsEmpty()));

  const auto step = LoadCheckpoint(path_, restored.network, restored.optimizer);
  training.Step(3);
  restored.Step(3);

  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(*step, 2);
  EXPECT_THAT(Differences(CopyOfWeights(training.network),
                          CopyOfWeights(restored.network)),
              IsEmpty());
}

TEST_F(CheckpointTest, WithoutTheMomentsTheNextStepWouldBeAnother) {
  Training training(/*seed=*/5);
  Save(training);
  Training restored(/*seed=*/6);
  ASSERT_TRUE(LoadCheckpoint(path_, restored.network, restored.optimizer).ok());
  torch::optim::AdamW fresh(restored.network.parameters(),
                            torch::optim::AdamWOptions(0.01));

  training.Step(3);
  restored.StepWith(fresh, 3);

  EXPECT_THAT(Differences(CopyOfWeights(training.network),
                          CopyOfWeights(restored.network)),
              Not(IsEmpty()));
}

TEST_F(CheckpointTest, CanBeOfNoStepsAtAll) {
  Training training(/*seed=*/5);
  ASSERT_TRUE(
      SaveCheckpoint(path_, training.network, training.optimizer, 0).ok());
  Training restored(/*seed=*/6);

  const auto step = LoadCheckpoint(path_, restored.network, restored.optimizer);

  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(*step, 0);
  EXPECT_THAT(Differences(CopyOfWeights(training.network),
                          CopyOfWeights(restored.network)),
              IsEmpty());
}

TEST_F(CheckpointTest, RefusesAnotherNetworks) {
  Training training(/*seed=*/5);
  Save(training);
  Training wider(/*seed=*/5, /*width=*/6);
  const NamedTensors before = CopyOfWeights(wider.network);

  const auto step = LoadCheckpoint(path_, wider.network, wider.optimizer);

  EXPECT_EQ(step.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(step.status().message()),
              AllOf(HasSubstr(path_.string()), HasSubstr("first.weight"),
                    HasSubstr("[6, 3]"), HasSubstr("[4, 3]")));
  EXPECT_THAT(Differences(before, CopyOfWeights(wider.network)), IsEmpty());
}

TEST_F(CheckpointTest, RefusesAFileWithoutAStep) {
  Training training(/*seed=*/5);
  Save(training);

  EXPECT_THAT(ErrorWithout("step"), HasSubstr("step: expected one integer"));
}

TEST_F(CheckpointTest, RefusesAFileWithoutAMoment) {
  Training training(/*seed=*/5);
  Save(training);

  EXPECT_THAT(ErrorWithout("moment2.last.bias"), HasSubstr("last.bias"));
}

TEST_F(CheckpointTest, IsNotFoundWhereThereIsNone) {
  Training training(/*seed=*/5);

  const auto step = LoadCheckpoint(path_, training.network, training.optimizer);

  EXPECT_EQ(step.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace ladder::trainer
