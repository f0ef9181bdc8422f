#include "model_store/store/version_policy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr VersionFacts kOnDisk = {.on_disk = true};
constexpr VersionFacts kServed = {.on_disk = true, .served = true};
constexpr VersionFacts kServedButGone = {.served = true};
constexpr VersionFacts kFailed = {.on_disk = true, .failed = true};
constexpr VersionFacts kLabelled = {.on_disk = true, .labelled = true};

ServingPlan Plan(const VersionPolicy& policy, const FactsByVersion& facts) {
  return PlanServing(policy, facts, /*may_be_empty=*/false);
}

TEST(VersionPolicyTest, LatestWantsTheHighestOnDisk) {
  EXPECT_THAT(WantedVersions(VersionPolicy::Latest(2),
                             {{1, kOnDisk}, {5, kOnDisk}, {10, kOnDisk}}),
              ElementsAre(5, 10));
}

TEST(VersionPolicyTest, LatestPassesOverFailedAndMissingVersions) {
  EXPECT_THAT(
      WantedVersions(
          VersionPolicy::Latest(1),
          {{1, kOnDisk}, {2, kOnDisk}, {3, kFailed}, {4, kServedButGone}}),
      ElementsAre(2));
}

TEST(VersionPolicyTest, AllWantsWhatCanBeLoaded) {
  EXPECT_THAT(WantedVersions(VersionPolicy::All(),
                             {{1, kOnDisk}, {2, kFailed}, {3, kServed}}),
              ElementsAre(1, 3));
}

TEST(VersionPolicyTest, SpecificWantsItsOwnVersionsOnly) {
  EXPECT_THAT(WantedVersions(VersionPolicy::Specific({2, 7}),
                             {{1, kOnDisk}, {2, kOnDisk}, {3, kOnDisk}}),
              ElementsAre(2));
}

TEST(VersionPolicyTest, LabelledVersionsAreWantedBesideThePolicys) {
  EXPECT_THAT(WantedVersions(VersionPolicy::Latest(1),
                             {{1, kLabelled}, {2, kOnDisk}, {3, kOnDisk}}),
              ElementsAre(1, 3));
}

TEST(VersionPolicyTest, LabelledVersionsStayWantedWithoutTheirFiles) {
  EXPECT_THAT(
      WantedVersions(VersionPolicy::Latest(1),
                     {{1, {.served = true, .labelled = true}}, {2, kOnDisk}}),
      ElementsAre(1, 2));
}

TEST(PlanServingTest, LoadsTheNewBeforeItRetiresTheOld) {
  const ServingPlan before =
      Plan(VersionPolicy::Latest(1), {{1, kServed}, {2, kOnDisk}});
  const ServingPlan after =
      Plan(VersionPolicy::Latest(1), {{1, kServed}, {2, kServed}});

  EXPECT_THAT(before.load, ElementsAre(2));
  EXPECT_THAT(before.retire, IsEmpty());
  EXPECT_THAT(after.load, IsEmpty());
  EXPECT_THAT(after.retire, ElementsAre(1));
}

TEST(PlanServingTest, KeepsOneOldVersionForEachThatIsMissing) {
  const ServingPlan plan =
      Plan(VersionPolicy::Latest(2),
           {{1, kServed}, {2, kServed}, {3, kServed}, {4, kOnDisk}});

  EXPECT_THAT(plan.load, ElementsAre(4));
  EXPECT_THAT(plan.retire, ElementsAre(1));
}

TEST(PlanServingTest, KeepsTheOldIfTheNewFailed) {
  const ServingPlan plan =
      Plan(VersionPolicy::Latest(1), {{1, kServed}, {2, kFailed}});

  EXPECT_THAT(plan.load, IsEmpty());
  EXPECT_THAT(plan.retire, IsEmpty());
}

TEST(PlanServingTest, KeepsTheHighestIfAllFilesHaveGone) {
  const ServingPlan plan =
      Plan(VersionPolicy::All(), {{1, kServedButGone}, {2, kServedButGone}});

  EXPECT_THAT(plan.retire, ElementsAre(1));
}

TEST(PlanServingTest, RetiresAllIfThatIsMeant) {
  const ServingPlan plan =
      PlanServing(VersionPolicy::Latest(1), {{1, kServedButGone}},
                  /*may_be_empty=*/true);

  EXPECT_THAT(plan.retire, ElementsAre(1));
}

TEST(PlanServingTest, RetiresWhatSpecificDoesNotName) {
  const ServingPlan plan = Plan(VersionPolicy::Specific({}), {{1, kServed}});

  EXPECT_THAT(plan.retire, ElementsAre(1));
}

TEST(VersionPolicyTest, RejectsPoliciesThatChooseNothing) {
  const absl::Status latest = VersionPolicy::Latest(0).Validate();
  const absl::Status none = VersionPolicy::Specific({}).Validate();
  const absl::Status zero = VersionPolicy::Specific({0, 1}).Validate();

  EXPECT_EQ(latest.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(latest.message()), HasSubstr("got 0"));
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.message()), HasSubstr("at least one version"));
  EXPECT_EQ(zero.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(zero.message()), HasSubstr("must be positive"));
}

TEST(VersionPolicyTest, ReadsAsText) {
  EXPECT_EQ(VersionPolicy::Latest(2).ToString(), "latest 2");
  EXPECT_EQ(VersionPolicy::All().ToString(), "all");
  EXPECT_EQ(VersionPolicy::Specific({5, 3}).ToString(), "versions 3, 5");
  EXPECT_EQ(VersionPolicy::Specific({}).ToString(), "no versions");
}

}  // namespace
}  // namespace ladder::model_store
