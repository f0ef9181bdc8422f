#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/command_line.h"
#include "server/config/server_flags.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

// `text` without line breaks and margins.
std::string Unwrapped(const std::string& text) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return absl::StrJoin(words, " ");
}

TEST(HelpTest, ListsEveryFlagWithItsMeaningAndDefault) {
  const std::string help = Unwrapped(HelpText());
  ServerConfig defaults;
  for (const Flag& flag : ServerFlags(defaults)) {
    const std::string value = flag.value.Get();

    EXPECT_THAT(help, HasSubstr(absl::StrCat(" ", flag.name, "=")));
    EXPECT_THAT(help, HasSubstr(absl::StrCat(
                          flag.meaning,
                          " Default: ", value.empty() ? "none" : value, ".")));
  }
}

TEST(HelpTest, ShowsAliasesAndWhatCanBeRepeated) {
  const std::string help = HelpText();

  EXPECT_THAT(help, HasSubstr("  --model-repository=DIRECTORY, "
                              "--model-store=DIRECTORY\n"));
  EXPECT_THAT(help, HasSubstr("  --load-model=MODEL,... (repeatable)\n"));
}

TEST(HelpTest, SaysHowVariablesAreNamed) {
  EXPECT_THAT(HelpText(), HasSubstr("LADDER_GRPC_PORT for --grpc-port"));
}

TEST(HelpTest, FitsATerminal) {
  for (const absl::string_view line : absl::StrSplit(HelpText(), '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
}  // namespace ladder::server
