#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/server_config.h"
#include "tests/server/config/parse.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::VersionPolicy;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MakeStoreOptionsTest, HasPoliciesAndLabelsByModel) {
  const auto options = MakeStoreOptions(
      ParsedConfig({"--model-control-mode=none", "--repository-poll-secs=2",
                    "--version-policy=latest:3",
                    "--model-version-policy=birds=all;fish=specific:7",
                    "--model-labels=fish:stable=7,frogs:old=1"})
          .models);

  EXPECT_EQ(options.mode, StoreMode::kNone);
  EXPECT_EQ(options.poll_interval, absl::Seconds(2));
  EXPECT_EQ(options.policy.count, 3);
  EXPECT_EQ(options.models.size(), 3);
  EXPECT_EQ(options.models.at("birds").policy.kind, VersionPolicy::Kind::kAll);
  EXPECT_THAT(options.models.at("birds").labels, IsEmpty());
  EXPECT_THAT(options.models.at("fish").policy.versions, ElementsAre(7));
  EXPECT_THAT(options.models.at("fish").labels, ElementsAre(Pair("stable", 7)));
  EXPECT_TRUE(options.Validate().ok());
}

TEST(MakeStoreOptionsTest, LeavesAModelWithLabelsAloneToThePolicyForAll) {
  const auto options = MakeStoreOptions(
      ParsedConfig({"--version-policy=latest:3", "--model-labels=frogs:old=1"})
          .models);

  EXPECT_EQ(options.models.at("frogs").policy.count, 3);
  EXPECT_THAT(options.models.at("frogs").labels, ElementsAre(Pair("old", 1)));
}

TEST(MakeStoreOptionsTest, TakesEveryIntervalThatIsValid) {
  for (const char* seconds : {"0.001", "86400"}) {
    const auto options = MakeStoreOptions(
        ParsedConfig({"--repository-poll-secs", seconds}).models);

    EXPECT_TRUE(options.Validate().ok()) << options.Validate();
  }
}

TEST(MakeEngineOptionsTest, CarriesEverythingOver) {
  const auto options = MakeEngineOptions(
      ParsedConfig({"--device=cuda:1", "--threads=5", "--instances=2",
                    "--batch-sizes=2,4", "--host-memory-limit=1KiB",
                    "--cuda-option=a=b"})
          .engine);

  EXPECT_EQ(options.device, "cuda:1");
  EXPECT_EQ(options.threads, 5);
  EXPECT_EQ(options.instances, 2);
  EXPECT_THAT(options.batch_sizes, ElementsAre(2, 4));
  EXPECT_EQ(options.host_arena_limit, 1024);
  EXPECT_THAT(options.cuda_options, ElementsAre(Pair("a", "b")));
}

TEST(MakeEngineOptionsTest, HasTheLargestBatchSizeAloneIfDeterministic) {
  const auto options = MakeEngineOptions(
      ParsedConfig({"--deterministic", "--batch-sizes=2,4,16"}).engine);

  EXPECT_THAT(options.batch_sizes, ElementsAre(16));
}

TEST(MaxBatchSizeTest, IsTheLargestWarmedSizeUnlessSet) {
  EXPECT_EQ(MaxBatchSize(ParsedConfig({"--batch-sizes=2,48"})), 48);
  EXPECT_EQ(MaxBatchSize(ParsedConfig({"--max-batch-size=5"})), 5);
}

TEST(MaxInflightBytesTest, IsHalfOfTheMemoryUnlessSet) {
  EXPECT_EQ(MaxInflightBytes({}, /*granted_memory=*/1000), 500);
  EXPECT_EQ(MaxInflightBytes({.max_inflight_bytes = 7}, 1000), 7);
  EXPECT_GT(MaxInflightBytes({}, /*granted_memory=*/0), 0);
}

}  // namespace
}  // namespace ladder::server
