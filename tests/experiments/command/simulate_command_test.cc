#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/command/ladder_train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"
#include "tests/trainer/command/run_command.h"

namespace ladder::experiments {
namespace {

using trainer::CommandResult;
using trainer::RunCommand;
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SimulateCommandTest, PrintsTheTablesAndWritesAllFiles) {
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "simulation";

  const CommandResult result = RunCommand(
      RunLadderTrain, {"simulate", "--reps", "2", "--seed", "3", "--out", out});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out, StartsWith("2 replications"));
  EXPECT_THAT(result.out, HasSubstr("Target B (extrapolation, c = 6)"));
  EXPECT_THAT(result.err, HasSubstr("replications"));
  EXPECT_THAT(result.err, HasSubstr("2/2"));
  EXPECT_THAT(Contents(out / "simulation.csv"),
              StartsWith("study,setting,target,metric,"));
  EXPECT_EQ(
      nlohmann::json::parse(Contents(out / "simulation.json"))["replications"],
      2);
  for (const char* const figure :
       {"k_accuracy.svg", "tau_brier.svg", "n0_a_accuracy.svg",
        "n0_b_parameter_error.svg"}) {
    EXPECT_THAT(Contents(out / figure), StartsWith("<svg")) << figure;
  }
}

TEST(SimulateCommandTest, WritesNothingIfNoFolderIsNamed) {
  const CommandResult result =
      RunCommand(RunLadderTrain, {"simulate", "--reps", "2", "--out", ""});

  EXPECT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out, StartsWith("2 replications"));
}

TEST(SimulateCommandTest, FailsIfAFileCannotBeWritten) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "no folder";

  const CommandResult result = RunCommand(
      RunLadderTrain, {"simulate", "--reps", "2", "--out", file / "below"});

  EXPECT_EQ(result.exit_code, base::kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("below"));
}

}  // namespace
}  // namespace ladder::experiments
