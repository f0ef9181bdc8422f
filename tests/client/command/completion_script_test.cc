#include <cstdio>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/command/completion.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A command of its own, so that only what it says can be in the scripts.
class CompletionScriptTest : public ::testing::Test {
 protected:
  CompletionScriptTest() : app_("Bakes.", "oven") {
    CLI::App& bake = *app_.add_subcommand("bake", "bake it");
    bake.add_option("DOUGH", text_, "the baker's dough");
    bake.add_option("-m,--mode", text_, "how")
        ->check(CLI::IsMember({"slow", "fast", "fan"}));
    bake.add_flag("--dry", flag_, "without fire");
    CLI::App& print = *app_.add_subcommand("print", "print it");
    print.add_option("KIND", text_, "what")->check(CLI::IsMember({"a", "b"}));
  }

  // What bash offers for the last of `words`.
  std::vector<std::string> BashReplies(
      const std::vector<std::string>& words) const {
    const std::string script =
        folder_.Write("oven.bash", BashCompletion(app_)).string();
    const std::string program = absl::StrCat(
        "source ", script, "; COMP_WORDS=('", absl::StrJoin(words, "' '"),
        "'); COMP_CWORD=", words.size() - 1,
        "; _oven; printf \"%s\\n\" \"${COMPREPLY[@]}\"");
    const std::string file = folder_.Write("program.bash", program).string();
    FILE* pipe = popen(absl::StrCat("bash ", file, " 2>&1").c_str(), "r");
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) {
      text.push_back(static_cast<char>(c));
    }
    EXPECT_EQ(pclose(pipe), 0) << text;
    return absl::StrSplit(text, '\n', absl::SkipEmpty());
  }

  CLI::App app_;
  std::string text_;
  bool flag_ = false;
  DataFolder folder_;
};

TEST_F(CompletionScriptTest, BashCompletesSubcommands) {
  EXPECT_THAT(BashReplies({"oven", ""}),
              UnorderedElementsAre("bake", "print", "--help", "-h"));
  EXPECT_THAT(BashReplies({"oven", "b"}), UnorderedElementsAre("bake"));
}

TEST_F(CompletionScriptTest, BashCompletesOptionsOfTheSubcommand) {
  EXPECT_THAT(BashReplies({"oven", "bake", "-"}),
              UnorderedElementsAre("--mode", "-m", "--dry", "--help", "-h"));
  EXPECT_THAT(BashReplies({"oven", "print", "--d"}), IsEmpty());
}

TEST_F(CompletionScriptTest, BashCompletesKnownValues) {
  EXPECT_THAT(BashReplies({"oven", "bake", "--mode", "fa"}),
              UnorderedElementsAre("fast", "fan"));
  EXPECT_THAT(BashReplies({"oven", "bake", "x", "-m", "s"}),
              UnorderedElementsAre("slow"));
  EXPECT_THAT(BashReplies({"oven", "print", ""}),
              UnorderedElementsAre("a", "b"));
}

TEST_F(CompletionScriptTest, BashIsLeftToCompleteFiles) {
  EXPECT_THAT(BashReplies({"oven", "bake", "d"}), IsEmpty());
  EXPECT_THAT(BashCompletion(app_), HasSubstr("complete -o default -F"));
}

TEST_F(CompletionScriptTest, ZshTakesBashsScript) {
  EXPECT_THAT(ZshCompletion(app_), HasSubstr(BashCompletion(app_)));
  EXPECT_THAT(ZshCompletion(app_), HasSubstr("bashcompinit"));
}

TEST_F(CompletionScriptTest, FishIsToldOfEveryOption) {
  const std::string script = FishCompletion(app_);

  EXPECT_THAT(script, HasSubstr("-f -a bake -d 'bake it'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from bake' -l mode "
                                "-s m -x -a 'slow fast fan' -d 'how'\n"));
  EXPECT_THAT(script, HasSubstr("-l dry -d 'without fire'\n"));
  EXPECT_THAT(script, HasSubstr("-f -a 'a b'\n"));
}

}  // namespace
}  // namespace ladder::client
