#include <torch/cuda.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/fit/fit_context.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DeviceTest, TheProcessorIsAlwaysThere) {
  const auto device = ChooseTrainingDevice("cpu");

  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_TRUE(device->is_cpu());
}

TEST(DeviceTest, AutoTakesCudaWhereThereIsOne) {
  const auto device = ChooseTrainingDevice("auto");

  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->is_cuda(), torch::cuda::is_available());
}

TEST(DeviceTest, RefusesOtherNames) {
  for (const char* const name :
       {"", "gpu", "CPU", "cpu:0", "cuda0", "cuda:", "cuda:x", "cuda:-1"}) {
    const auto device = ChooseTrainingDevice(name);

    EXPECT_EQ(device.status().code(), absl::StatusCode::kInvalidArgument)
        << name;
    EXPECT_EQ(std::string(device.status().message()),
              std::string("device: expected auto, cpu or cuda[:N], got \"") +
                  name + "\"");
  }
}

TEST(DeviceTest, SaysWhatIsMissingForCuda) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "CUDA is available";
  for (const char* const name : {"cuda", "cuda:1"}) {
    const auto device = ChooseTrainingDevice(name);

    EXPECT_EQ(device.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(device.status().message()),
                AllOf(HasSubstr(name), HasSubstr("built without CUDA"),
                      HasSubstr("no driver or device")));
  }
}

TEST(DeviceTest, SaysWhichCudaDevicesThereAre) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "CUDA is not available";

  const auto device = ChooseTrainingDevice("cuda:1000");

  EXPECT_EQ(device.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(device.status().message()),
              HasSubstr("expected cuda:0 to cuda:"));
}

}  // namespace
}  // namespace ladder::trainer
