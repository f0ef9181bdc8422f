// docs/serving.md says what the table of flags says.

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/server_flags.h"
#include "tests/testdata.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

// The flags by section, in Markdown.
std::string FlagTables() {
  std::string text;
  std::string section;
  ServerConfig defaults;
  for (const Flag& flag : ServerFlags(defaults)) {
    const std::string value = flag.value.Get();
    if (flag.section != section) {
      section = flag.section;
      absl::StrAppend(&text, text.empty() ? "" : "\n", "### ", section,
                      "\n| flag | default | meaning |\n|---|---|---|\n");
    }
    absl::StrAppend(
        &text, "| `", flag.name, "=", flag.value.placeholder, "`",
        flag.alias.empty() ? "" : absl::StrCat(", `", flag.alias, "`"),
        flag.value.is_repeatable() ? " (repeatable)" : "", " | ",
        value.empty() ? "none" : absl::StrCat("`", value, "`"), " | ",
        flag.meaning, " |\n");
  }
  return text;
}

TEST(ServingDocsTest, HaveTheTablesOfFlagsAsTheyAre) {
  const std::filesystem::path path = TestdataFolder() / "../../docs/serving.md";
  std::ostringstream docs;
  docs << std::ifstream(path).rdbuf();

  EXPECT_THAT(docs.str(), HasSubstr(FlagTables()));
}

}  // namespace
}  // namespace ladder::server
