#include <ATen/Parallel.h>

#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

// LibTorch's threads wait for each other by spinning, which takes many times as
// long as the work where several tests share the processors.
class OneThread : public ::testing::Environment {
 public:
  void SetUp() override { at::set_num_threads(1); }
};

[[maybe_unused]] const ::testing::Environment* const kOneThread =
    ::testing::AddGlobalTestEnvironment(new OneThread);

}  // namespace
}  // namespace ladder::trainer
