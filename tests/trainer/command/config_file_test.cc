#include "trainer/command/config_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConfigFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<nlohmann::ordered_json> Read(const std::string& name,
                                              const std::string& text) const {
    return ReadConfigFile(folder_.Write(name, text));
  }

  // The message of the error that reading such a file ends with.
  std::string Refusal(const std::string& name, const std::string& text) const {
    const auto config = Read(name, text);
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(config.status().message()),
                StartsWith((folder_ / name).string() + ": "));
    return std::string(config.status().message());
  }

  const DataFolder folder_;
};

TEST_F(ConfigFileTest, ReadsToml) {
  const auto config = Read("run.toml",
                           "# A comment.\n"
                           "backbone = \"mlp\"\n"
                           "epochs = 4\n"
                           "encoder-lr = 1e-3\n");

  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dump(),
            R"({"backbone":"mlp","encoder-lr":0.001,"epochs":4})");
}

TEST_F(ConfigFileTest, ReadsJson) {
  const auto config =
      Read("run.json", R"({"seed": 18446744073709551615, "tau": 0.25})");

  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dump(), R"({"seed":18446744073709551615,"tau":0.25})");
}

TEST_F(ConfigFileTest, TakesAnEmptyFileForNoOptions) {
  const auto config = Read("run.toml", "");

  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dump(), "{}");
}

TEST_F(ConfigFileTest, TakesWhatIsInSectionsAsIfItWereOutside) {
  const auto toml = Read("run.toml",
                         "seed = 1\n[network]\nbackbone = \"mlp\"\n"
                         "[routing]\nk = 4\n");
  const auto json = Read("run.json",
                         R"({"seed": 1, "network": {"backbone": "mlp"},
                             "routing": {"k": 4}})");

  for (const auto& config : {toml, json}) {
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->size(), 3u);
    EXPECT_EQ(config->value("seed", 0), 1);
    EXPECT_EQ(config->value("backbone", ""), "mlp");
    EXPECT_EQ(config->value("k", 0), 4);
  }
}

TEST_F(ConfigFileTest, RefusesAnOptionInTwoSections) {
  const std::string expected =
      "tau: expected it once, found it in two sections";

  EXPECT_THAT(Refusal("run.toml", "[a]\ntau = 1\n[b]\ntau = 1\n"),
              EndsWith(expected));
  EXPECT_THAT(Refusal("out.toml", "tau = 1\n[b]\ntau = 2\n"),
              EndsWith(expected));
  EXPECT_THAT(Refusal("run.json", R"({"a": {"tau": 1}, "b": {"tau": 2}})"),
              EndsWith(expected));
}

TEST_F(ConfigFileTest, RefusesAnOptionTwiceInOneSection) {
  EXPECT_THAT(Refusal("run.toml", "tau = 1\ntau = 2\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("tau")));
  EXPECT_THAT(Refusal("run.json", R"({"a": {"tau": 1, "k": 1, "tau": 2}})"),
              EndsWith("tau: expected it once, found it twice"));
}

TEST_F(ConfigFileTest, SaysWhereTheFileCannotBeParsed) {
  EXPECT_THAT(Refusal("run.toml", "epochs = 4\nseed = = 1\n"),
              HasSubstr("line 2, column 8"));
  EXPECT_THAT(Refusal("run.json", "{\n  \"epochs\": 4,\n  \"seed\": ?\n}"),
              HasSubstr("line 3, column 11"));
}

TEST_F(ConfigFileTest, RefusesJsonThatIsNoObject) {
  EXPECT_THAT(Refusal("run.json", "[1, 2]"),
              EndsWith("expected an object, found array"));
}

TEST_F(ConfigFileTest, SaysThatThereIsNoFile) {
  for (const auto& path : {folder_ / "missing.toml", folder_.path()}) {
    const auto config = ReadConfigFile(path);

    EXPECT_EQ(config.status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(std::string(config.status().message()),
              path.string() + ": expected a file, found none");
  }
}

}  // namespace
}  // namespace ladder::trainer
