// The configurations in trainer/configs are the paper's table of settings.

#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testdata.h"
#include "trainer/command/config_file.h"
#include "trainer/fit/fit_options.h"

namespace ladder::trainer {
namespace {

using Json = nlohmann::ordered_json;

absl::StatusOr<Json> ReadShipped(const std::string& name) {
  return ReadConfigFile(TestdataFolder().parent_path().parent_path() /
                        "trainer" / "configs" / name);
}

// What both data sets share.
Json PaperSettings() {
  return {{"backbone", "resnet50"},
          {"encoder-lr", 1e-4},
          {"head-lr", 1e-3},
          {"weight-decay", 1e-4},
          {"batch-size", 32},
          {"domains-per-step", 4},
          {"content-dimension", 512},
          {"style-dimension", 128},
          {"lambda-style", 0.15},
          {"lambda-adversarial", 0.03},
          {"lambda-orthogonality", 5e-4},
          {"lambda-regularization", 1e-5},
          {"min-source-samples", 512},
          {"blur", 0.05},
          {"scaling", 0.8},
          {"max-style-samples", 1024}};
}

// The file itself must say it: a default may change.
void ExpectStated(const std::string& name, const Json& expected) {
  const auto config = ReadShipped(name);
  ASSERT_TRUE(config.ok()) << config.status();
  for (const auto& [option, value] : expected.items()) {
    ASSERT_TRUE(config->contains(option)) << name << ": " << option;
    EXPECT_EQ((*config)[option], value) << name << ": " << option;
  }
}

TEST(ShippedConfigsTest, FmowStatesThePapersSettings) {
  Json expected = PaperSettings();
  expected.update({{"layout", "fmow"},
                   {"max-sources", 0},
                   {"epochs", 25},
                   {"head-epochs", 8},
                   {"steps-per-epoch", 800},
                   {"head-loss", "ce"},
                   {"k", 5},
                   {"tau", 0.5}});

  ExpectStated("fmow.toml", expected);
}

TEST(ShippedConfigsTest, IWildCamStatesThePapersSettings) {
  Json expected = PaperSettings();
  expected.update({{"layout", "iwildcam"},
                   {"max-sources", 64},
                   {"epochs", 20},
                   {"head-epochs", 6},
                   {"steps-per-epoch", 700},
                   {"head-loss", "class-balanced"},
                   {"class-balance-beta", 0.999},
                   {"k", 6},
                   {"tau", 1.0}});

  ExpectStated("iwildcam.toml", expected);
}

TEST(ShippedConfigsTest, AreValidOptionsOfFit) {
  for (const char* const name :
       {"example.toml", "fmow.toml", "iwildcam.toml"}) {
    const auto config = ReadShipped(name);
    ASSERT_TRUE(config.ok()) << config.status();
    FitOptions options;

    EXPECT_TRUE(FromJson(*config, options).ok()) << name;
    options.data = "data";
    options.out = "store/model";
    EXPECT_TRUE(options.Validate().ok()) << name;
  }
}

}  // namespace
}  // namespace ladder::trainer
