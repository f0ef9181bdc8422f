#ifndef LADDER_TESTS_SIMD_TARGETS_H_
#define LADDER_TESTS_SIMD_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace ladder {

// A test that runs once for every instruction set that was compiled in and that
// this machine has, down to the one that every machine has.
class EveryTargetTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

inline std::vector<int64_t> CompiledTargets() {
  std::vector<int64_t> targets;
  for (int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0;
       rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

inline std::string TargetTestName(
    const ::testing::TestParamInfo<int64_t>& info) {
  return hwy::TargetName(info.param);
}

}  // namespace ladder

#define LADDER_INSTANTIATE_FOR_EVERY_TARGET(suite)                          \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(CompiledTargets()), \
                           TargetTestName)

#endif  // LADDER_TESTS_SIMD_TARGETS_H_
