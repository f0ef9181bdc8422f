#include "experiments/command/ladder_train.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/command/run_command.h"

namespace ladder::experiments {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using trainer::CommandResult;
using trainer::RunCommand;

constexpr const char* kNames[] = {"fit", "evaluate", "diagnose", "simulate",
                                  "make-example"};

MATCHER(IsOneLine, "") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

TEST(LadderTrainTest, SaysHowItIsUsedIfItGetsNoArguments) {
  const CommandResult result = RunCommand(RunLadderTrain, {});

  EXPECT_EQ(result.exit_code, base::kExitUsage);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith("Usage: ladder-train COMMAND"));
}

TEST(LadderTrainTest, ListsItsCommandsWhenAskedForHelp) {
  for (const char* ask : {"--help", "-h", "help"}) {
    const CommandResult result = RunCommand(RunLadderTrain, {ask});

    EXPECT_EQ(result.exit_code, base::kExitOk);
    EXPECT_THAT(result.err, IsEmpty());
    for (const char* name : kNames) EXPECT_THAT(result.out, HasSubstr(name));
  }
}

TEST(LadderTrainTest, NamesACommandThatIsNotThere) {
  const CommandResult result =
      RunCommand(RunLadderTrain, {"train", "--seed", "1"});

  EXPECT_EQ(result.exit_code, base::kExitUsage);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(
      result.err,
      AllOf(StartsWith("ladder-train: expected a command, got \"train\"\n"),
            HasSubstr("Usage: ")));
}

TEST(LadderTrainTest, ExplainsEveryCommand) {
  for (const char* name : kNames) {
    const CommandResult result = RunCommand(RunLadderTrain, {name, "--help"});

    EXPECT_EQ(result.exit_code, base::kExitOk) << name;
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out,
                AllOf(HasSubstr(std::string("ladder-train ") + name),
                      HasSubstr("--help")));
  }
}

TEST(LadderTrainTest, RefusesAnUnknownOptionInOneLine) {
  for (const char* name : kNames) {
    const CommandResult result =
        RunCommand(RunLadderTrain,
                   {name, "bundle", "--data", "x", "--out", "y", "--wrong"});

    EXPECT_EQ(result.exit_code, base::kExitUsage) << name;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, IsOneLine());
    EXPECT_THAT(
        result.err,
        AllOf(StartsWith(std::string("ladder-train ") + name + ": "),
              HasSubstr("--wrong"), EndsWith(" --help lists the options)\n")));
  }
}

TEST(LadderTrainTest, NamesAnOptionThatIsMissing) {
  const CommandResult result =
      RunCommand(RunLadderTrain, {"evaluate", "bundle"});

  EXPECT_EQ(result.exit_code, base::kExitUsage);
  EXPECT_THAT(result.err, AllOf(IsOneLine(), HasSubstr("--data")));
}

TEST(LadderTrainTest, RefusesWrongValuesInOneLine) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"fit", "--epochs", "many"}, "--epochs"},
      {{"fit", "--data", "x", "--out", "s/m", "--method", "magic"},
       "method: expected ladder, erm, irm, eqrm, rdm, dsnr, got \"magic\""},
      {{"fit", "--data", "x"}, "out: expected"},
      {{"evaluate", "b", "--data", "x", "--split", "best"},
       "split: expected train, id_val, id_test, val or test, got \"best\""},
      {{"evaluate", "b", "--data", "x", "--source-split", "all"},
       "source-split: expected"},
      {{"evaluate", "b", "--data", "x", "--group-by", "hour"},
       "group-by: expected domain or split, got \"hour\""},
      {{"evaluate", "b", "--data", "x", "--k-sweep", "1,0"},
       "k-sweep: expected positive numbers or all, got \"0\""},
      {{"evaluate", "b", "--data", "x", "--layout", "zip"}, "layout: expected"},
      {{"diagnose", "b", "--data", "x", "--split", "best"}, "split: expected"},
      {{"diagnose", "b", "--data", "x", "--layout", "zip"}, "layout: expected"},
      {{"simulate", "--reps", "1"}, "reps: expected at least 2, got 1"},
  };
  for (const auto& [arguments, expected] : cases) {
    const CommandResult result = RunCommand(RunLadderTrain, arguments);

    EXPECT_EQ(result.exit_code, base::kExitUsage) << expected;
    EXPECT_THAT(result.err, AllOf(IsOneLine(), HasSubstr(expected)));
  }
}

TEST(LadderTrainTest, FailsIfThereIsNoBundle) {
  for (const char* name : {"evaluate", "diagnose"}) {
    const CommandResult result =
        RunCommand(RunLadderTrain,
                   {name, "no-such-store", "--data", "x", "--threads", "1"});

    EXPECT_EQ(result.exit_code, base::kExitFailed);
    EXPECT_THAT(result.err, AllOf(IsOneLine(), HasSubstr("no-such-store")));
  }
}

}  // namespace
}  // namespace ladder::experiments
