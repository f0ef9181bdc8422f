#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/group_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Labels = ScrapedMetrics::Labels;

const std::vector<SourceWeight> kSouth = {{.source = "south", .weight = 1}};

class RecentGroupsTest : public ::testing::Test {
 protected:
  RecentGroups Make(size_t max_groups) {
    return RecentGroups({.max_groups = max_groups,
                         .expiry = absl::Minutes(10),
                         .now = [this] { return now_; }});
  }

  static std::map<Labels, double> Samples(const RecentGroups& groups) {
    ScrapedMetrics exposition = Scrape(groups.Collect());
    return exposition.families["ladder_group_weight"]
        .samples["ladder_group_weight"];
  }

  static std::vector<std::string> Names(const RecentGroups& groups) {
    std::vector<std::string> names;
    for (const auto& [labels, weight] : Samples(groups)) {
      names.push_back(labels.at("group"));
    }
    return names;
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
};

TEST_F(RecentGroupsTest, ShowsWeightsThatAreNotZero) {
  RecentGroups groups = Make(3);

  groups.Record("cameras", "lake",
                std::vector<SourceWeight>{{.source = "north", .weight = 0.25},
                                          {.source = "east", .weight = 0},
                                          {.source = "south", .weight = 0.75}});

  EXPECT_THAT(Samples(groups), ElementsAre(Pair(Labels{{"model", "cameras"},
                                                       {"group", "lake"},
                                                       {"source", "north"}},
                                                0.25),
                                           Pair(Labels{{"model", "cameras"},
                                                       {"group", "lake"},
                                                       {"source", "south"}},
                                                0.75)));
}

TEST_F(RecentGroupsTest, ShowsTheLastWeightsOfAGroup) {
  RecentGroups groups = Make(3);

  groups.Record("m", "lake", kSouth);
  groups.Record("m", "lake",
                std::vector<SourceWeight>{{.source = "north", .weight = 1}});

  EXPECT_THAT(
      Samples(groups),
      ElementsAre(Pair(
          Labels{{"model", "m"}, {"group", "lake"}, {"source", "north"}}, 1)));
}

TEST_F(RecentGroupsTest, DropsTheLeastRecentlySeen) {
  RecentGroups groups = Make(2);

  groups.Record("m", "a", kSouth);
  groups.Record("m", "b", kSouth);
  groups.Record("m", "a", kSouth);
  groups.Record("m", "c", kSouth);

  EXPECT_THAT(Names(groups), UnorderedElementsAre("a", "c"));
}

TEST_F(RecentGroupsTest, TellsEqualNamesOfTwoModelsApart) {
  RecentGroups groups = Make(2);

  groups.Record("m1", "a", kSouth);
  groups.Record("m2", "a", kSouth);

  EXPECT_THAT(Names(groups), UnorderedElementsAre("a", "a"));
}

TEST_F(RecentGroupsTest, ForgetsGroupsAfterAWhile) {
  RecentGroups groups = Make(5);
  groups.Record("m", "a", kSouth);
  now_ += absl::Minutes(6);
  groups.Record("m", "b", kSouth);
  EXPECT_THAT(Names(groups), UnorderedElementsAre("a", "b"));

  now_ += absl::Minutes(4);
  EXPECT_THAT(Names(groups), ElementsAre("b"));

  now_ += absl::Minutes(6);
  EXPECT_THAT(groups.Collect(), IsEmpty());
}

TEST_F(RecentGroupsTest, NamesThatLookAlikeShareOnePlace) {
  RecentGroups groups = Make(5);

  groups.Record("m", "a\n", kSouth);
  groups.Record("m", "a\r", kSouth);
  groups.Record("m", std::string(200, 'x'), kSouth);
  groups.Record("m", std::string(300, 'x'), kSouth);

  EXPECT_THAT(Names(groups),
              UnorderedElementsAre("a\xEF\xBF\xBD", std::string(128, 'x')));
}

TEST_F(RecentGroupsTest, KeepsNoneIfNoneIsAskedFor) {
  RecentGroups groups = Make(0);

  groups.Record("m", "a", kSouth);

  EXPECT_THAT(groups.Collect(), IsEmpty());
}

}  // namespace
}  // namespace ladder::server
