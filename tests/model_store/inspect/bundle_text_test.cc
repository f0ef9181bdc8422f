#include <cstdint>

#include "gtest/gtest.h"
#include "model_store/inspect/bundle_report.h"

namespace ladder::model_store {
namespace {

TEST(SizeTextTest, ChoosesAReadableUnit) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(999), "999 B");
  EXPECT_EQ(SizeText(1500), "1.5 KB");
  EXPECT_EQ(SizeText(2'000'000'000), "2.0 GB");
  EXPECT_EQ(SizeText(UINT64_MAX), "18.4 EB");
}

TEST(PrintableTest, EscapesWhatCouldSteerATerminal) {
  EXPECT_EQ(Printable("a\x1b[2J\n"), "a\\033[2J\\n");
  EXPECT_EQ(Printable("Köln"), "Köln");
}

}  // namespace
}  // namespace ladder::model_store
