#include "trainer/data/source_filter.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Domains a to e with 2, 3, 0, 3 and 1 training samples, and others beside.
Dataset FiveDomains() {
  Dataset dataset;
  dataset.domains = {"a", "b", "c", "d", "e"};
  for (const int64_t domain : {3, 1, 0, 3, 1, 4, 1, 0, 3}) {
    dataset.samples.push_back({.domain = domain});
    dataset.samples.push_back({.domain = domain, .split = Split::kIdVal});
    dataset.samples.push_back({.domain = 2, .split = Split::kTest});
  }
  return dataset;
}

TEST(SourceFilterTest, KeepsEveryDomainWithTrainingSamplesByDefault) {
  const auto selection = SelectSources(FiveDomains(), {});

  ASSERT_TRUE(selection.ok()) << selection.status();
  EXPECT_THAT(selection->domain_of_source, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(selection->source_of_domain, ElementsAre(0, 1, -1, 2, 3));
  EXPECT_THAT(selection->samples,
              ElementsAre(ElementsAre(6, 21), ElementsAre(3, 12, 18),
                          ElementsAre(0, 9, 24), ElementsAre(15)));
  EXPECT_EQ(selection->num_domains_left_out, 0);
  EXPECT_EQ(selection->num_samples_left_out, 0);
}

TEST(SourceFilterTest, LeavesOutSmallDomains) {
  const auto selection = SelectSources(FiveDomains(), {.min_samples = 3});

  ASSERT_TRUE(selection.ok()) << selection.status();
  EXPECT_THAT(selection->domain_of_source, ElementsAre(1, 3));
  EXPECT_THAT(selection->source_of_domain, ElementsAre(-1, 0, -1, 1, -1));
  EXPECT_EQ(selection->num_domains_left_out, 2);
  EXPECT_EQ(selection->num_samples_left_out, 3);
}

TEST(SourceFilterTest, KeepsTheLargestInTheOrderOfDomains) {
  const auto selection = SelectSources(FiveDomains(), {.max_sources = 3});

  ASSERT_TRUE(selection.ok()) << selection.status();
  EXPECT_THAT(selection->domain_of_source, ElementsAre(0, 1, 3));
}

TEST(SourceFilterTest, KeepsTheFirstOfDomainsEquallyLarge) {
  const auto selection = SelectSources(FiveDomains(), {.max_sources = 1});

  ASSERT_TRUE(selection.ok()) << selection.status();
  EXPECT_THAT(selection->domain_of_source, ElementsAre(1));
}

TEST(SourceFilterTest, TellsHowLargeTheLargestIsIfNoneIsLargeEnough) {
  const auto selection = SelectSources(FiveDomains(), {.min_samples = 4});

  EXPECT_EQ(selection.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(selection.status().message()),
              HasSubstr("at least 4 training samples, found at most 3"));
}

TEST(SourceFilterTest, RejectsOptionsOutOfRange) {
  const auto no_samples = SelectSources(FiveDomains(), {.min_samples = 0});
  EXPECT_EQ(no_samples.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_samples.status().message()),
              HasSubstr("min_samples must be at least 1, got 0"));

  const auto negative = SelectSources(FiveDomains(), {.max_sources = -1});
  EXPECT_EQ(negative.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(negative.status().message()),
              HasSubstr("max_sources must not be negative, got -1"));
}

}  // namespace
}  // namespace ladder::trainer
