#include "trainer/network/torch_status.h"

#include <torch/types.h>

#include <new>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TorchStatusTest, PassesOnWhatWasReturned) {
  EXPECT_EQ(CatchTorchErrors([] { return absl::OkStatus(); }),
            absl::OkStatus());
  EXPECT_EQ(CatchTorchErrors([] { return absl::NotFoundError("x"); }),
            absl::NotFoundError("x"));
}

TEST(TorchStatusTest, TranslatesLibTorchsErrorsWithoutTheirStack) {
  const absl::Status status = CatchTorchErrors([] {
    torch::zeros({2, 3}).matmul(torch::zeros({2, 3}));
    return absl::OkStatus();
  });

  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("LibTorch: mat1 and mat2 shapes cannot be multiplied"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("frame #")));
}

TEST(TorchStatusTest, TellsWhenMemoryRanOut) {
  // More than any address space; the allocator's words are what is tested.
  const absl::Status status = CatchTorchErrors([] {
    torch::empty({int64_t{1} << 58});
    return absl::OkStatus();
  });

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(TorchStatusTest, TranslatesOtherExceptions) {
  const auto thrown = [](const auto& error) {
    return CatchTorchErrors([&]() -> absl::Status { throw error; });
  };

  EXPECT_EQ(thrown(std::runtime_error("x")),
            absl::InternalError("LibTorch: x"));
  EXPECT_EQ(thrown(std::bad_alloc()).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace ladder::trainer
