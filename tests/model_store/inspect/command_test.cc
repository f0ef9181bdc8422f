#include "model_store/inspect/command.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/bundle.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome LadderStore(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = RunLadderStore(arguments, out, err);
  return {exit_code, out.str(), err.str()};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class CommandTest : public testing::Test {
 protected:
  std::string Write(const TinyBundleOptions& options) {
    const auto path = WriteBundle(store_.path(), TinyBundle(options));
    EXPECT_TRUE(path.ok()) << path.status();
    return path.ok() ? path->string() : "";
  }

  static void Spoil(const fs::path& file) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(100);
    stream.put('\x7f');
  }

  std::string Store() const { return store_.path().string(); }

  TemporaryDirectory store_;
};

TEST_F(CommandTest, VerifyPassesABundleAModelAndAStore) {
  const std::string bundle = Write({.version = 1});
  Write({.version = 10});
  Write({.version = 9});

  const Outcome one = LadderStore({"verify", bundle});
  const Outcome model = LadderStore({"verify", Store() + "/tiny/"});
  const Outcome store = LadderStore({"verify", Store()});

  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, "ok      " + bundle + "\n");
  EXPECT_EQ(model.exit_code, 0);
  EXPECT_EQ(store.exit_code, 0);
  const std::vector<std::string> lines = Lines(store.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], HasSubstr("tiny/9")) << "in the order of numbers";
  EXPECT_EQ(Lines(model.out).size(), 3u);
  EXPECT_THAT(store.err, IsEmpty());
}

TEST_F(CommandTest, VerifyNamesTheBundleThatFailedAndWhy) {
  Write({.version = 1});
  const std::string spoilt = Write({.version = 2});
  Spoil(fs::path(spoilt) / kEncoderFile);

  const Outcome outcome = LadderStore({"verify", Store()});

  EXPECT_EQ(outcome.exit_code, 1);
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], StartsWith("ok "));
  EXPECT_THAT(lines[1], AllOf(StartsWith("FAILED  " + spoilt + ": "),
                              HasSubstr("encoder.onnx"), HasSubstr("sha256")));
}

TEST_F(CommandTest, VerifyFailsAVersionWithoutManifest) {
  const std::string bundle = Write({.version = 1});
  fs::remove(fs::path(bundle) / kManifestFile);

  const Outcome outcome = LadderStore({"verify", Store()});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(StartsWith("FAILED"), HasSubstr("manifest")));
}

TEST_F(CommandTest, VerifyFailsABundleInAnotherVersionsFolder) {
  const std::string bundle = Write({.version = 1});
  fs::rename(bundle, Store() + "/tiny/4");

  const Outcome outcome = LadderStore({"verify", Store()});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"tiny\" and version 4"),
                                 HasSubstr("\"tiny\" and version 1")));
}

TEST_F(CommandTest, VerifyFindsTroubleWhereThereIsNoBundle) {
  const Outcome empty = LadderStore({"verify", Store()});
  const Outcome absent = LadderStore({"verify", Store() + "/absent"});

  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, AllOf(HasSubstr(Store()), HasSubstr("no bundle")));
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("absent"));
}

TEST_F(CommandTest, ListPrintsATable) {
  Write({.model = "other", .version = 3});
  const std::string spoilt = Write({.version = 1});
  std::ofstream(fs::path(spoilt) / kManifestFile) << "{";

  const Outcome outcome = LadderStore({"list", Store()});

  EXPECT_EQ(outcome.exit_code, 0);
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], MatchesRegex("MODEL +VERSION +CREATED +CLASSES "
                                     "+SOURCES +SIZE +SHA256 +STATUS"));
  EXPECT_THAT(lines[1], MatchesRegex("other +3 +[0-9TZ:-]+ +4 +3 +[0-9.]+ KB "
                                     "+[0-9a-f]+ +ok"));
  EXPECT_THAT(lines[2],
              MatchesRegex("tiny +1 +- +- +- +- +- +FAILED: manifest.json.*"));
}

TEST_F(CommandTest, ListSpeaksJson) {
  const std::string bundle = Write({.version = 3});
  Write({.version = 4});
  std::ofstream(Store() + "/tiny/4/manifest.json") << "{";

  const Outcome outcome = LadderStore({"list", "--json", Store()});

  EXPECT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["path"], bundle);
  EXPECT_EQ(json[0]["model"], "tiny");
  EXPECT_EQ(json[0]["version"], 3);
  EXPECT_EQ(json[0]["classes"], 4);
  EXPECT_EQ(json[0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_FALSE(json[0].contains("error"));
  EXPECT_THAT(json[1]["error"].get<std::string>(), HasSubstr("manifest.json"));
}

TEST_F(CommandTest, ListTakesPathsThatAreNotUtf8) {
  const std::string bundle = Write({.version = 3});
  const std::string odd = Store() + "/\xff";
  fs::rename(bundle, odd);

  const Outcome outcome = LadderStore({"list", "--json", odd});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)[0]["version"], 3);
}

TEST_F(CommandTest, ShowSummarisesABundle) {
  const std::string bundle = Write({.version = 3});

  const Outcome outcome = LadderStore({"show", bundle});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("model tiny, version 3\n"));
  for (const char* part :
       {"tensor, 6", "5 dimensions", "4 dimensions", "method ", "sources (3)",
        "NEAREST OTHER", "coverage calibration", "SAMPLES", "encoder.onnx",
        "fingerprints.safetensors"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(CommandTest, ShowSetsTheFilesAgainstTheFloatsTheyMustHold) {
  const std::string bundle = Write({.version = 3});

  const std::vector<std::string> lines =
      Lines(LadderStore({"show", bundle}).out);

  // Three sources, four classes, content of 5 and style of 4 dimensions, at
  // most seven style vectors.
  const auto size = [&](const char* file) {
    return std::to_string(fs::file_size(fs::path(bundle) / file));
  };
  ASSERT_GE(lines.size(), 6u);
  const auto last = lines.end() - 1;
  EXPECT_EQ(*(last - 5), "storage beyond the encoder, in bytes");
  EXPECT_THAT(*(last - 3),
              MatchesRegex("  source classifiers +4 E C d_c +240 +" +
                           size(kHeadsFile) + " +heads.onnx"));
  EXPECT_THAT(
      *(last - 2),
      MatchesRegex("  style fingerprints +4 E m d_s +336 +" +
                   size(kFingerprintsFile) + " +fingerprints.safetensors"));
  EXPECT_THAT(*(last - 1), MatchesRegex("  distances as a graph +" +
                                        size(kRouterFile) + " +router.onnx"));
  EXPECT_THAT(*last, MatchesRegex("  together +576 +[0-9]+"));
}

TEST_F(CommandTest, ShowDescribesPictures) {
  const std::string bundle = Write({.input = TinyBundleOptions::Input::kImage});

  EXPECT_THAT(LadderStore({"show", bundle}).out,
              HasSubstr("image, 8 x 8 pixels, mean "));
}

TEST_F(CommandTest, ShowSpeaksJson) {
  const std::string bundle = Write({.version = 3});

  const auto json =
      nlohmann::json::parse(LadderStore({"show", bundle, "--json"}).out);

  EXPECT_EQ(json["path"], bundle);
  EXPECT_EQ(json["manifest"]["model"], "tiny");
  EXPECT_EQ(json["manifest"]["sources"].size(), 3u);
}

TEST_F(CommandTest, ShowNamesABundleItCannotRead) {
  const std::string bundle = Write({.version = 3});
  std::ofstream(fs::path(bundle) / kManifestFile) << "{}";

  const Outcome broken = LadderStore({"show", bundle});
  const Outcome absent = LadderStore({"show", Store() + "/absent"});

  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.out, IsEmpty());
  EXPECT_THAT(broken.err, AllOf(HasSubstr(bundle), HasSubstr("manifest.json")));
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("absent"));
}

TEST_F(CommandTest, DiffOfABundleWithItselfIsEmpty) {
  const std::string bundle = Write({.version = 1});

  const Outcome outcome = LadderStore({"diff", bundle, bundle});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(CommandTest, DiffPrintsWhatDiffers) {
  const std::string a = Write({.version = 1, .seed = 1});
  const std::string b = Write({.version = 2, .seed = 2});

  const Outcome outcome = LadderStore({"diff", a, b});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("version: 1 -> 2\n"),
                                 HasSubstr("files: encoder.onnx: "),
                                 Not(HasSubstr("classes"))));
}

TEST_F(CommandTest, DiffNamesTheBundleThatIsMissing) {
  const std::string bundle = Write({.version = 1});

  const Outcome outcome = LadderStore({"diff", bundle, Store() + "/absent"});

  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("absent"));
}

TEST_F(CommandTest, HelpExplainsEverySubcommand) {
  for (const char* option : {"--help", "-h", "help"}) {
    const Outcome outcome = LadderStore({option});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* command :
         {"verify", "list", "show", "diff", "exit code"}) {
      EXPECT_THAT(outcome.out, HasSubstr(command));
    }
  }
}

TEST_F(CommandTest, WrongUsageIsTroubleWithAHint) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no command given"},
      {{"frobnicate", "x"}, "unknown command frobnicate"},
      {{"verify"}, "verify takes 1 folder, got 0"},
      {{"list", "a", "b"}, "list takes 1 folder, got 2"},
      {{"diff", "a"}, "diff takes 2 folders, got 1"},
      {{"show", "--yaml", "a"}, "unknown option --yaml"},
      {{"verify", "--json", "a"}, "--json is for list and show"}};
  for (const auto& [arguments, complaint] : cases) {
    const Outcome outcome = LadderStore(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << complaint;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_EQ(outcome.err,
              "ladder-store: " + complaint + "; try ladder-store --help\n");
  }
}

TEST_F(CommandTest, TakesFoldersThatLookLikeOptions) {
  EXPECT_THAT(LadderStore({"verify", "--", "-x"}).err, HasSubstr("-x"));
}

}  // namespace
}  // namespace ladder::model_store
