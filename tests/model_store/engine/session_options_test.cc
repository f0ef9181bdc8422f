#include "model_store/engine/session_options.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(CudaOptionsTest, ChooseDeviceHeuristicSearchAndExactGrowth) {
  const auto options = CudaOptions(/*device_index=*/2, GraphRole::kEncoder, {});

  EXPECT_THAT(options.value(),
              AllOf(Contains(Pair("device_id", "2")),
                    Contains(Pair("cudnn_conv_algo_search", "HEURISTIC")),
                    Contains(Pair("arena_extend_strategy", "kSameAsRequested")),
                    Not(Contains(Key("do_copy_in_default_stream")))));
}

TEST(CudaOptionsTest, KeepFullPrecisionForTheRouterOnly) {
  EXPECT_THAT(CudaOptions(0, GraphRole::kRouter, {}).value(),
              Contains(Pair("use_tf32", "0")));
  EXPECT_THAT(CudaOptions(0, GraphRole::kEncoder, {}).value(),
              Not(Contains(Key("use_tf32"))));
}

TEST(CudaOptionsTest, PassTheUsersThroughAndLetThemWin) {
  const auto options = CudaOptions(0, GraphRole::kRouter,
                                   {{"gpu_mem_limit", "1000000"},
                                    {"use_tf32", "1"},
                                    {"cudnn_conv_algo_search", "EXHAUSTIVE"}});

  EXPECT_THAT(options.value(),
              AllOf(Contains(Pair("gpu_mem_limit", "1000000")),
                    Contains(Pair("use_tf32", "1")),
                    Contains(Pair("cudnn_conv_algo_search", "EXHAUSTIVE"))));
}

TEST(CudaOptionsTest, LeaveTheDeviceToItsOwnOption) {
  const auto options = CudaOptions(0, GraphRole::kHeads, {{"device_id", "1"}});

  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()),
              AllOf(HasSubstr("cuda_options"), HasSubstr("device_id")));
}

TEST(SessionOptionsTest, TakeConfigEntriesByOnnxRuntimesNames) {
  const auto options = MakeSessionOptions(
      {.session_config = {{"session.intra_op.allow_spinning", "0"}}}, Device{},
      GraphRole::kEncoder, /*num_threads=*/1);

  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->GetConfigEntry("session.intra_op.allow_spinning"), "0");
  EXPECT_EQ(options->GetConfigEntry("session.use_env_allocators"), "1");
}

TEST(SessionOptionsTest, LetTheUsersConfigWin) {
  const auto options = MakeSessionOptions(
      {.session_config = {{"session.use_env_allocators", "0"}}}, Device{},
      GraphRole::kEncoder, /*num_threads=*/1);

  EXPECT_EQ(options->GetConfigEntry("session.use_env_allocators"), "0");
}

TEST(SessionOptionsTest, RejectConfigThatOnnxRuntimeRefuses) {
  const auto options =
      MakeSessionOptions({.session_config = {{"", "1"}}}, Device{},
                         GraphRole::kEncoder, /*num_threads=*/1);

  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()),
              HasSubstr("session_config"));
}

}  // namespace
}  // namespace ladder::model_store
