#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/data_folder.h"
#include "tests/trainer/command/run_command.h"
#include "tests/trainer/command/small_table.h"
#include "trainer/command/command.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FitCommandTest : public ::testing::Test {
 protected:
  FitCommandTest() { folder_.Write("data.csv", SmallTable()); }

  // `fit` of the small table, with further arguments.
  CommandResult Fit(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--data", Path("data.csv"),
                                          "--out",  Path("store/garments"),
                                          "--run",  Path("run")};
    const std::vector<std::string> small = SmallFitOptions();
    arguments.insert(arguments.end(), small.begin(), small.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(RunFit, arguments);
  }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }

  // The options that the run was made with.
  nlohmann::json RunOptions() const {
    std::ifstream file(folder_ / "run/options.json");
    return nlohmann::json::parse(file);
  }

  const DataFolder folder_;
};

TEST_F(FitCommandTest, PrintsTheBundleItHasWritten) {
  const CommandResult result = Fit({});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_EQ(result.out, Path("store/garments/1") + "\n");
  EXPECT_TRUE(
      std::filesystem::exists(folder_ / "store/garments/1" / "manifest.json"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("4 sources with 96 samples"),
                                HasSubstr("representation [")));
}

TEST_F(FitCommandTest, TakesOptionsFromTheFileUnlessAFlagSaysOtherwise) {
  const std::string config = Path("run.toml");
  folder_.Write("run.toml",
                "tau = 0.25\n[training]\nseed = 3\nepochs = 100000\n"
                "head-loss = \"class-balanced\"\n");

  const CommandResult result = Fit({"--config", config, "--seed", "4"});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  const nlohmann::json options = RunOptions();
  EXPECT_EQ(options["tau"], 0.25);
  EXPECT_EQ(options["head-loss"], "class-balanced");
  EXPECT_EQ(options["seed"], 4);
  EXPECT_EQ(options["epochs"], 2);
  EXPECT_EQ(options["weight-decay"], 1e-4);
}

TEST_F(FitCommandTest, LetsAFlagSayTheDefaultOverTheFile) {
  const std::string config = Path("run.json");
  folder_.Write("run.json", R"({"seed": 3})");

  const CommandResult result = Fit({"--config", config, "--seed", "0"});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_EQ(RunOptions()["seed"], 0);
}

TEST_F(FitCommandTest, NamesFileAndOptionOfAWrongValue) {
  const std::string config = Path("run.toml");
  folder_.Write("run.toml", "[training]\nepochs = \"four\"\n");

  const CommandResult result = Fit({"--config", config});

  EXPECT_EQ(result.exit_code, base::kExitUsage);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(result.err, "ladder-train fit: " + config +
                            ": epochs: expected an integer, got \"four\"\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(FitCommandTest, NamesFileAndOptionOfAnUnknownOne) {
  const std::string config = Path("run.toml");
  folder_.Write("run.toml", "epoch = 4\n");

  const CommandResult result = Fit({"--config", config});

  EXPECT_EQ(result.exit_code, base::kExitUsage);
  EXPECT_THAT(result.err, HasSubstr(config + ": epoch: expected an option"));
}

TEST_F(FitCommandTest, FailsIfTheFileIsMissing) {
  const CommandResult result = Fit({"--config", Path("missing.toml")});

  EXPECT_EQ(result.exit_code, base::kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("missing.toml: expected a file"));
}

TEST_F(FitCommandTest, AsksToResumeARunThatIsThere) {
  ASSERT_EQ(Fit({}).exit_code, base::kExitOk);

  const CommandResult again = Fit({});
  const CommandResult resumed = Fit({"--resume"});

  EXPECT_EQ(again.exit_code, base::kExitFailed);
  EXPECT_THAT(again.err, HasSubstr("--resume goes on with it"));
  EXPECT_EQ(resumed.exit_code, base::kExitOk) << resumed.err;
  EXPECT_EQ(resumed.out, Path("store/garments/2") + "\n");
}

TEST_F(FitCommandTest, RefusesToResumeWithOtherOptions) {
  ASSERT_EQ(Fit({}).exit_code, base::kExitOk);

  const CommandResult result = Fit({"--resume", "--tau", "0.125"});

  EXPECT_EQ(result.exit_code, base::kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("tau was 0.5, now is 0.125"));
}

}  // namespace
}  // namespace ladder::trainer
