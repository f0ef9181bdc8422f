#include "trainer/fit/fit.h"

#include <filesystem>
#include <functional>
#include <ostream>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/bundle.h"
#include "tests/data_folder.h"
#include "tests/trainer/fit/small_run.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A data set with ten held-out samples per source, a store and a place for run
// folders.
class FitTest : public ::testing::Test {
 protected:
  FitTest() { folder_.Write("data/samples.csv", AsTable(SmallDataset(10))); }

  // The options of a run named `run`.
  FitOptions Options(const std::string& run) const {
    FitOptions options = SmallOptions();
    options.data = folder_ / "data";
    options.out = folder_ / "store/small";
    options.run = folder_ / run;
    return options;
  }

  // The bundle's folder; empty, and a failed test, if there is none.
  fs::path MustFit(const FitOptions& options, bool resume = false) {
    const auto bundle = Fit(options, resume, observer_, {});
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    return bundle.ok() ? *bundle : fs::path();
  }

  model_store::Manifest ManifestOf(const fs::path& bundle) const {
    auto read = model_store::ReadBundle(bundle, {});
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) return {};
    return read->files.manifest;
  }

  // Expects that Fit stops when `stage` reports that `done` are done.
  void FitUntil(const FitOptions& options, const std::string& stage,
                uint64_t done) {
    std::stop_source stop;
    observer_.on_progress = StopAt(stop, stage, done);
    const auto bundle =
        Fit(options, /*resume=*/false, observer_, stop.get_token());
    EXPECT_EQ(bundle.status().code(), absl::StatusCode::kCancelled);
    observer_.on_progress = nullptr;
  }

  absl::Status ErrorOf(const FitOptions& options) {
    return Fit(options, /*resume=*/false, observer_, {}).status();
  }

  const DataFolder folder_;
  RecordingObserver observer_;
};

// Those of a bundle's files that hold what was learned and differ between two.
std::vector<std::string> DifferentFiles(const fs::path& a, const fs::path& b) {
  std::vector<std::string> different;
  for (const char* const file :
       {model_store::kEncoderFile, model_store::kHeadsFile,
        model_store::kRouterFile, model_store::kFingerprintsFile}) {
    const std::string contents = Contents(a / file);
    EXPECT_FALSE(contents.empty()) << a / file;
    if (contents != Contents(b / file)) different.emplace_back(file);
  }
  return different;
}

struct MethodCase {
  const char* name;
  routing::Method routing;
};

void PrintTo(const MethodCase& method, std::ostream* out) {
  *out << method.name;
}

class FitMethodTest : public FitTest,
                      public ::testing::WithParamInterface<MethodCase> {};

TEST_P(FitMethodTest, EndsInABundle) {
  FitOptions options = Options("run");
  options.method = GetParam().name;
  options.seed = 3;

  const fs::path bundle = MustFit(options);

  const model_store::Manifest manifest = ManifestOf(bundle);
  EXPECT_EQ(manifest.model, "small");
  EXPECT_EQ(manifest.version, 1);
  const auto config = nlohmann::json::parse(manifest.trainer_config);
  EXPECT_EQ(config, nlohmann::json(ToJson(options)));
  EXPECT_EQ(config.at("method"), GetParam().name);
  EXPECT_EQ(config.at("seed"), 3);
  EXPECT_THAT(manifest.classes, ElementsAre("c0", "c1"));
  ASSERT_EQ(manifest.num_sources(), kNumSources);
  EXPECT_EQ(manifest.sources[3].name, "s3");
  EXPECT_EQ(manifest.sources[3].training_samples, kSamplesPerSource);
  EXPECT_EQ(manifest.sources[3].fingerprint_samples, 16);
  EXPECT_EQ(manifest.content_dimension, 6);
  EXPECT_EQ(manifest.style_dimension, 3);
  EXPECT_EQ(model_store::SampleShape(manifest.input),
            std::vector<int64_t>{kNumColumns});
  EXPECT_EQ(manifest.routing.method, GetParam().routing);
  EXPECT_EQ(manifest.routing.k, kNumSources);
  EXPECT_EQ(manifest.routing.seed, 3);
  ASSERT_EQ(manifest.coverage.levels.size(), 1);
  EXPECT_EQ(manifest.coverage.levels[0].sample_size, 8);
  EXPECT_EQ(manifest.source_distances.size(), kNumSources * kNumSources);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, FitMethodTest,
    ::testing::Values(MethodCase{"ladder", routing::Method::kLadder},
                      MethodCase{"erm", routing::Method::kUniform},
                      MethodCase{"irm", routing::Method::kUniform},
                      MethodCase{"eqrm", routing::Method::kUniform},
                      MethodCase{"rdm", routing::Method::kUniform},
                      MethodCase{"dsnr", routing::Method::kSampleGateGroup}),
    [](const auto& test) { return test.param.name; });

TEST_F(FitTest, TakesPictures) {
  std::string csv = "path,label,domain,split\n";
  for (uint32_t i = 0; i < 24; ++i) {
    const std::string name =
        absl::StrCat("frames/", i, i % 2 ? ".jpg" : ".png");
    if (i % 2 == 0) folder_.WritePng("pictures/" + name, i);
    if (i % 2 == 1) folder_.WriteJpeg("pictures/" + name, i);
    absl::StrAppend(&csv, name, ",c", i / 2 % 2, ",d", i % 3, ",train\n");
  }
  folder_.Write("pictures/frames/5.jpg", "no picture");
  folder_.Write("pictures/samples.csv", csv);
  FitOptions options = Options("run");
  options.data = folder_ / "pictures";
  options.layout = "auto";
  options.backbone = "small-cnn";
  options.image_size = 16;
  options.steps_per_epoch = 6;

  const fs::path bundle = MustFit(options);

  const model_store::Manifest manifest = ManifestOf(bundle);
  const auto* const input =
      std::get_if<model_store::ImageInput>(&manifest.input);
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(input->height, 16);
  EXPECT_EQ(manifest.num_sources(), 3);
  EXPECT_EQ(manifest.sources[2].fingerprint_samples, 7);
  EXPECT_EQ(observer_.CountMessages("1 samples skipped"), 1);
  EXPECT_THAT(manifest.coverage.levels, IsEmpty());
  EXPECT_EQ(observer_.CountMessages("no coverage calibration"), 1);
}

TEST_F(FitTest, EveryRunIsANewVersion) {
  EXPECT_EQ(MustFit(Options("one")), folder_ / "store/small/1");
  EXPECT_EQ(MustFit(Options("two")), folder_ / "store/small/2");
  EXPECT_EQ(ManifestOf(folder_ / "store/small/2").version, 2);
}

TEST_F(FitTest, AFinishedRunCanWriteItsBundleAgain) {
  const fs::path first = MustFit(Options("run"));
  observer_.progress.clear();

  const fs::path second = MustFit(Options("run"), /*resume=*/true);

  EXPECT_NE(first, second);
  EXPECT_THAT(DifferentFiles(first, second), IsEmpty());
  for (const FitProgress& report : observer_.progress) {
    EXPECT_EQ(report.samples, 0) << report.stage << " was done again";
  }
}

TEST_F(FitTest, TheSeedDecidesEverything) {
  FitOptions other = Options("other");
  other.seed = 1;

  const fs::path one = MustFit(Options("one"));
  const fs::path same = MustFit(Options("same"));
  const fs::path another = MustFit(other);

  EXPECT_THAT(DifferentFiles(one, same), IsEmpty());
  EXPECT_THAT(
      DifferentFiles(one, another),
      ElementsAre(model_store::kEncoderFile, model_store::kHeadsFile,
                  model_store::kRouterFile, model_store::kFingerprintsFile));
}

TEST_F(FitTest, GoesOnWithStageOneAsIfItHadNeverStopped) {
  const fs::path whole = MustFit(Options("whole"));

  FitUntil(Options("stopped"), "representation", 20);
  EXPECT_FALSE(fs::exists(folder_ / "store/small/2"));
  const fs::path resumed = MustFit(Options("stopped"), /*resume=*/true);

  EXPECT_EQ(observer_.CountMessages("going on after step 20 of 50"), 1);
  EXPECT_EQ(resumed, folder_ / "store/small/2");
  EXPECT_THAT(DifferentFiles(whole, resumed), IsEmpty());
}

TEST_F(FitTest, GoesOnWithStageTwoAsIfItHadNeverStopped) {
  const fs::path whole = MustFit(Options("whole"));

  FitUntil(Options("stopped"), "sources", 2);
  EXPECT_FALSE(fs::exists(folder_ / "store/small/2"));
  const fs::path resumed = MustFit(Options("stopped"), /*resume=*/true);

  EXPECT_THAT(DifferentFiles(whole, resumed), IsEmpty());
}

TEST_F(FitTest, TheDistancesBetweenSourcesCanBeStopped) {
  FitUntil(Options("run"), "sources", kNumSources);

  EXPECT_FALSE(fs::exists(folder_ / "store"));
}

TEST_F(FitTest, ReadingAheadChangesNothing) {
  FitOptions options = Options("threads");
  options.loader_threads = 3;
  options.cache_gib = 0;

  EXPECT_THAT(DifferentFiles(MustFit(Options("one")), MustFit(options)),
              IsEmpty());
}

TEST_F(FitTest, TellsWhatItReads) {
  const std::string table = AsTable(SmallDataset(10));
  folder_.Write("data/samples.csv", table + "c0,s0,nowhere,1,2,3,4\n");
  FitOptions options = Options("run");
  options.max_sources = 3;

  MustFit(options);

  EXPECT_EQ(observer_.CountMessages("skipped: "), 1);
  EXPECT_EQ(observer_.CountMessages("nowhere"), 1);
  EXPECT_EQ(observer_.CountMessages("3 sources with 120 samples; 1 domains "
                                    "with 40 samples left out"),
            1);
}

TEST_F(FitTest, OutNeedsAStoreAndAName) {
  const auto error = [&](const std::string& out) {
    FitOptions options = Options("run");
    options.out = out;
    const absl::Status status = ErrorOf(options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << out;
    return std::string(status.message());
  };

  EXPECT_EQ(error("small"), "out: expected STORE/NAME, got \"small\"");
  EXPECT_EQ(error("store/"), "out: expected STORE/NAME, got \"store/\"");
  EXPECT_THAT(error("store/a b"), AllOf(HasSubstr("out: "), HasSubstr("a b")));
}

// Mistakes of options and data, and what the error has to name.
struct MistakeCase {
  const char* name;
  std::function<void(FitOptions&)> make;
  const char* error;
};

void PrintTo(const MistakeCase& mistake, std::ostream* out) {
  *out << mistake.name;
}

class FitMistakeTest : public FitTest,
                       public ::testing::WithParamInterface<MistakeCase> {};

TEST_P(FitMistakeTest, IsFoundBeforeThereIsARunFolder) {
  FitOptions options = Options("run");
  GetParam().make(options);

  const absl::Status status = ErrorOf(options);

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().error));
  EXPECT_FALSE(fs::exists(options.run));
  EXPECT_FALSE(fs::exists(folder_ / "store"));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, FitMistakeTest,
    ::testing::Values(
        MistakeCase{"MissingData", [](auto& o) { o.data = "/missing"; },
                    "/missing"},
        MistakeCase{"UnknownLayout", [](auto& o) { o.layout = "xml"; },
                    "layout: expected auto, iwildcam, fmow, csv, table"},
        MistakeCase{"FewerSourcesThanDomainsPerStep",
                    [](auto& o) {
                      o.domains_per_step = 5;
                      o.batch_size = 10;
                    },
                    "domains-per-step: expected at most the number of "
                    "sources, 4, got 5"},
        MistakeCase{"NoSourceLargeEnough",
                    [](auto& o) { o.min_source_samples = 41; }, "41"},
        MistakeCase{"UnknownBackbone", [](auto& o) { o.backbone = "vit"; },
                    "vit"},
        MistakeCase{"BackboneForPictures",
                    [](auto& o) { o.backbone = "resnet18"; }, "resnet18"},
        MistakeCase{"MissingInit", [](auto& o) { o.init = "none.st"; },
                    "none.st"},
        MistakeCase{"NoDimension", [](auto& o) { o.content_dimension = 0; },
                    "content dimension"},
        MistakeCase{"UnknownDevice", [](auto& o) { o.device = "tpu"; }, "tpu"},
        MistakeCase{"BadBlur", [](auto& o) { o.blur = 0; }, "blur"}),
    [](const auto& test) { return test.param.name; });

TEST_F(FitTest, DoesNotOverwriteARun) {
  MustFit(Options("run"));

  EXPECT_EQ(ErrorOf(Options("run")).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(FitTest, DoesNotGoOnWithAnotherSeed) {
  MustFit(Options("run"));
  FitOptions other = Options("run");
  other.seed = 1;

  const auto bundle = Fit(other, /*resume=*/true, observer_, {});

  EXPECT_EQ(bundle.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(bundle.status().message()),
              HasSubstr("seed was 0, now is 1"));
}

TEST_F(FitTest, DoesNotGoOnWithOtherData) {
  FitUntil(Options("run"), "representation", 20);
  const fs::path moved = folder_ / "elsewhere";
  fs::rename(folder_ / "data", moved);
  FitOptions options = Options("run");
  options.data = moved;
  std::string table = Contents(moved / "samples.csv");
  const std::string same = table;
  // A digit of the last sample's last number, all else as it was.
  char& digit = table[table.size() - 2];
  digit = digit == '1' ? '2' : '1';
  folder_.Write("elsewhere/samples.csv", table);

  const auto other = Fit(options, /*resume=*/true, observer_, {});
  folder_.Write("elsewhere/samples.csv", same);
  const auto resumed = Fit(options, /*resume=*/true, observer_, {});

  EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr("expected the data set that the run began with"));
  EXPECT_TRUE(resumed.ok()) << resumed.status();
}

TEST(SetDefaultRunTest, NamesModelMethodAndSeed) {
  FitOptions options = SmallOptions();
  options.out = "store/garments";
  options.method = "rdm";
  options.seed = 12;
  options.run = "";

  SetDefaultRun(options);
  EXPECT_EQ(options.run, "runs/garments-rdm-s12");

  options.run = "elsewhere";
  SetDefaultRun(options);
  EXPECT_EQ(options.run, "elsewhere");
}

}  // namespace
}  // namespace ladder::trainer
