#include <string>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/data/dataset_builder.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NamesTest, NumbersNamesAsTheyCome) {
  Names names;

  EXPECT_EQ(names.Number("b"), 0);
  EXPECT_EQ(names.Number("a"), 1);
  EXPECT_EQ(names.Number("b"), 0);
  EXPECT_EQ(names.size(), 2u);
}

TEST(NamesTest, SortsIntegersByValue) {
  Names names;
  for (const char* name : {"10", "9", "-1", "09"}) names.Number(name);

  const Names::Sorted sorted = names.Sort();

  EXPECT_THAT(sorted.names, ElementsAre("-1", "09", "9", "10"));
  EXPECT_THAT(sorted.rank, ElementsAre(3, 2, 0, 1));
}

TEST(NamesTest, SortsOtherNamesByTheirBytes) {
  Names names;
  for (const char* name : {"10", "9", "b", "B"}) names.Number(name);

  EXPECT_THAT(names.Sort().names, ElementsAre("10", "9", "B", "b"));
}

TEST(CheckNameTest, AcceptsWhatAManifestAccepts) {
  EXPECT_TRUE(CheckName("label", "panthera onca").ok());
  EXPECT_TRUE(CheckName("label", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x86").ok());
  EXPECT_TRUE(CheckName("label", std::string(256, 'x')).ok());
}

TEST(CheckNameTest, RejectsAnEmptyName) {
  const absl::Status status = CheckName("domain", "");

  EXPECT_EQ(base::FaultReason(status), "missing value");
  EXPECT_THAT(std::string(status.message()), HasSubstr("domain"));
}

TEST(CheckNameTest, RejectsWhatIsNoPlainText) {
  for (const std::string& name :
       {std::string(257, 'x'), std::string("a\nb"), std::string("a\0b", 3),
        std::string("caf\xE9"), std::string("\xC3"), std::string("\xC0\xAF"),
        std::string("\xE0\x80\x80"), std::string("\xED\xA0\x80"),
        std::string("\xF4\x90\x80\x80"), std::string("\xFF")}) {
    const absl::Status status = CheckName("label", name);

    EXPECT_EQ(base::FaultReason(status), "bad name") << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("label: expected"), HasSubstr("UTF-8")));
  }
}

}  // namespace
}  // namespace ladder::trainer
