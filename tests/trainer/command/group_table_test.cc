#include "trainer/command/group_table.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"
#include "tests/trainer/evaluate/small_world.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kHeader[] =
    "bundle,group,samples,coverage,nearest_distance,effective_experts,source,"
    "distance,weight\n";

TrainedStack StackOfSources(const std::vector<std::string>& names) {
  TrainedStack stack = SmallStack();
  for (size_t e = 0; e < names.size(); ++e) stack.sources[e].name = names[e];
  return stack;
}

RoutedGroup Group(int64_t domain, std::vector<double> weights) {
  RoutedGroup group = {.domain = domain};
  group.routing.weights = std::move(weights);
  group.routing.distances = {0.5, 1, 1.5, 2};
  group.routing.effective_experts = 1.75;
  group.routing.coverage = {.verdict = routing::CoverageVerdict::kEdge,
                            .nearest_distance = 0.5};
  group.routing.num_seen = 60;
  return group;
}

TEST(GroupTableTest, HasALineForEveryWeightThatIsNotZero) {
  const TrainedStack stack = StackOfSources({"a", "b", "c", "d"});
  const Dataset dataset = {.domains = {"hill", "lake"}};
  GroupTable table;

  table.Add("store/m/1", stack, dataset, {Group(1, {0.25, 0, 0.75, 0})});
  table.Add("store/m/2", stack, dataset, {Group(-1, {0, 1, 0, 0})});

  EXPECT_EQ(table.Csv(), std::string(kHeader) +
                             "store/m/1,lake,60,EDGE,0.5,1.75,a,0.5,0.25\n"
                             "store/m/1,lake,60,EDGE,0.5,1.75,c,1.5,0.75\n"
                             "store/m/2,all,60,EDGE,0.5,1.75,b,1,1\n");
}

TEST(GroupTableTest, QuotesNamesAsRfc4180Wants) {
  const TrainedStack stack = StackOfSources({"a \"new\" one", "b", "c", "d"});
  const Dataset dataset = {.domains = {"hill,\nnorth"}};
  GroupTable table;

  table.Add("a,b/1", stack, dataset, {Group(0, {1, 0, 0, 0})});

  EXPECT_EQ(table.Csv(), std::string(kHeader) +
                             "\"a,b/1\",\"hill,\nnorth\",60,EDGE,0.5,1.75,"
                             "\"a \"\"new\"\" one\",0.5,1\n");
}

TEST(GroupTableTest, ShowsTheFirstBundleThatHasGroups) {
  const Dataset dataset = {.domains = {"hill", "lake"}};
  GroupTable table;

  table.Add("baseline", StackOfSources({"w", "x", "y", "z"}), dataset, {});
  table.Add("first", StackOfSources({"a", "b", "c", "d"}), dataset,
            {Group(0, {0.25, 0, 0.75, 0})});
  table.Add("second", StackOfSources({"a", "b", "c", "d"}), dataset,
            {Group(1, {0.25, 0, 0.75, 0})});

  const auto texts = base::Texts(base::ParseSvg(table.Figure()));
  EXPECT_THAT(texts, AllOf(Contains("hill"), Contains("a"), Contains("c")));
  EXPECT_THAT(texts, AllOf(Not(Contains("lake")), Not(Contains("w"))));
}

TEST(GroupTableTest, DrawsABarForEveryGroup) {
  const Dataset dataset = {.domains = {"Asia & Oceania", "Europe"}};
  GroupTable table;

  table.Add("bundle", StackOfSources({"2002", "2003", "2004", "2005"}), dataset,
            {Group(0, {0.5, 0.5, 0, 0}), Group(1, {1, 0, 0, 0})});

  const auto elements = base::ParseSvg(table.Figure());
  EXPECT_THAT(Select(elements, "rect", "bar"), SizeIs(3));
  EXPECT_THAT(Texts(Select(elements, "text", "x-tick")),
              ElementsAre("Asia & Oceania", "Europe"));
  EXPECT_THAT(Texts(Select(elements, "text", "legend")),
              ElementsAre("2002", "2003", "2004", "2005"));
}

TEST(GroupTableTest, DrawsAFigureWithoutGroups) {
  EXPECT_FALSE(base::ParseSvg(GroupTable().Figure()).empty());
}

}  // namespace
}  // namespace ladder::trainer
