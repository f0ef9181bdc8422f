#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/temporary_directory.h"
#include "tests/trainer/command/run_command.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SimulateCommandTest, PrintsTheTablesAndWritesAllFiles) {
  const model_store::TemporaryDirectory folder;
  const fs::path csv = folder.path() / "s.csv";
  const fs::path json = folder.path() / "s.json";
  const fs::path figures = folder.path() / "figures";

  const CommandResult result =
      RunCommand({"simulate", "--reps", "2", "--seed", "3", "--csv", csv,
                  "--json", json, "--figures", figures});

  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_THAT(result.out, StartsWith("2 replications"));
  EXPECT_THAT(result.out, HasSubstr("Target B (extrapolation, c = 6)"));
  EXPECT_THAT(result.err, HasSubstr("replications"));
  EXPECT_THAT(result.err, HasSubstr("2/2"));
  EXPECT_THAT(Contents(csv), StartsWith("study,setting,target,metric,"));
  EXPECT_EQ(nlohmann::json::parse(Contents(json))["replications"], 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(figures), {}), 12);
}

TEST(SimulateCommandTest, FailsIfAFileCannotBeWritten) {
  const CommandResult result = RunCommand(
      {"simulate", "--reps", "2", "--csv", "no-such-folder/simulation.csv"});

  EXPECT_EQ(result.exit_code, kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("no-such-folder"));
}

}  // namespace
}  // namespace ladder::trainer
