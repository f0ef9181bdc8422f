#include "model_store/engine/device.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;

TEST(DeviceTest, NamesDevices) {
  EXPECT_EQ(Device{}.Name(), "cpu");
  EXPECT_EQ((Device{.kind = Device::Kind::kCuda, .index = 3}).Name(), "cuda:3");
}

TEST(DeviceTest, AutoAsksForTheFirstCudaDevice) {
  const DeviceRequest request = ParseDevice("auto").value();

  EXPECT_TRUE(request.automatic);
  EXPECT_EQ(request.device.Name(), "cuda:0");
}

TEST(DeviceTest, ParsesWhatWasAskedFor) {
  for (const char* text : {"cpu", "cuda:0", "cuda:12"}) {
    const DeviceRequest request = ParseDevice(text).value();
    EXPECT_FALSE(request.automatic) << text;
    EXPECT_EQ(request.device.Name(), text);
  }
  EXPECT_EQ(ParseDevice("cuda").value().device.Name(), "cuda:0");
}

TEST(DeviceTest, RejectsOtherTexts) {
  for (const char* text : {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1",
                           "cuda:+1", "cuda: 1", "cuda:99999999999", "cpu:0"}) {
    const auto request = ParseDevice(text);
    EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_THAT(std::string(request.status().message()),
                HasSubstr("expected auto, cpu, cuda or cuda:N"));
  }
}

}  // namespace
}  // namespace ladder::model_store
