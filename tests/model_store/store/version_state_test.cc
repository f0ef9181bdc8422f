#include "model_store/store/version_state.h"

#include <map>
#include <set>

#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using enum VersionState;

constexpr VersionState kStates[] = {kDiscovered, kLoading,  kServing,
                                    kDraining,   kUnloaded, kFailed};

TEST(VersionStateTest, AllowsTheArrowsOfTheDiagramAndNoOthers) {
  const std::map<VersionState, std::set<VersionState>> arrows = {
      {kDiscovered, {kLoading}}, {kLoading, {kServing, kFailed, kUnloaded}},
      {kServing, {kDraining}},   {kDraining, {kServing, kUnloaded}},
      {kUnloaded, {kLoading}},   {kFailed, {kLoading}}};

  for (const VersionState from : kStates) {
    for (const VersionState to : kStates) {
      EXPECT_EQ(MayFollow(from, to), arrows.at(from).contains(to))
          << VersionStateName(from) << " to " << VersionStateName(to);
    }
  }
}

TEST(VersionStateTest, HasANameForEveryState) {
  std::set<absl::string_view> names;
  for (const VersionState state : kStates) {
    names.insert(VersionStateName(state));
  }
  EXPECT_EQ(names.size(), std::size(kStates));
  EXPECT_FALSE(names.contains("UNKNOWN"));
}

TEST(VersionLifeTest, MeasuresHowLongAStateLasted) {
  const absl::Time start = absl::UnixEpoch();
  VersionLife life(start);

  const absl::Duration lasted =
      life.MoveTo(kLoading, start + absl::Seconds(3), absl::OkStatus());

  EXPECT_EQ(lasted, absl::Seconds(3));
  EXPECT_EQ(life.state(), kLoading);
  EXPECT_EQ(life.since(), start + absl::Seconds(3));
}

TEST(VersionLifeTest, TellsWhetherTheStatusIsNews) {
  VersionLife life(absl::UnixEpoch());

  EXPECT_TRUE(life.SetStatus(absl::NotFoundError("gone")));
  EXPECT_FALSE(life.SetStatus(absl::NotFoundError("gone")));
  EXPECT_TRUE(life.SetStatus(absl::OkStatus()));
}

TEST(VersionLifeDeathTest, CrashesOnAStepThatTheDiagramDoesNotHave) {
  VersionLife life(absl::UnixEpoch());

  EXPECT_DEATH(life.MoveTo(kServing, absl::UnixEpoch(), absl::OkStatus()),
               "from DISCOVERED to SERVING");
}

}  // namespace
}  // namespace ladder::model_store
