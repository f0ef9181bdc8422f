#include "model_store/engine/engine.h"

#include <fstream>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(EngineTest, RunsOnTheCpuWhenAsked) {
  const auto engine = Engine::Create({.device = "cpu"});

  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->device().Name(), "cpu");
  EXPECT_TRUE((*engine)->fallback_reason().empty());
}

// The library that tests are linked with has no CUDA.
TEST(EngineTest, FallsBackToTheCpuAndSaysWhy) {
  const auto engine = Engine::Create({.device = "auto"});

  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->device().Name(), "cpu");
  EXPECT_THAT(std::string((*engine)->fallback_reason()),
              AllOf(HasSubstr("CUDA"), Not(HasSubstr("\n"))));
}

TEST(EngineTest, RefusesToStartWithoutTheDeviceThatWasAskedFor) {
  for (const char* device : {"cuda", "cuda:1"}) {
    const auto engine = Engine::Create({.device = device});

    EXPECT_EQ(engine.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(engine.status().message()), HasSubstr("CUDA"));
  }
}

struct BadOption {
  EngineOptions options;
  std::string option;
  std::string found;
};

TEST(EngineTest, RejectsOptionsOutOfRange) {
  const BadOption cases[] = {
      {{.device = "tpu"}, "device", "tpu"},
      {{.device = "auto", .cuda_options = {{"device_id", "0"}}},
       "cuda_options",
       "device_id"},
      {{.instances = 0}, "instances", "got 0"},
      {{.instances = 1'000'000}, "instances", "got 1000000"},
      {{.threads = 1'000'000}, "threads", "got 1000000"},
      {{.batch_sizes = {}}, "batch_sizes", "none"},
      {{.batch_sizes = {0, 4}}, "batch_sizes", "got 0"},
      {{.batch_sizes = {4, 4}}, "batch_sizes", "got 4 after 4"},
      {{.batch_sizes = {8, 4}}, "batch_sizes", "got 4 after 8"},
      {{.batch_sizes = {1, 1'000'000'000}}, "batch_sizes", "1000000000"},
      {{.session_config = {{"", "1"}}}, "session_config", ""},
  };
  for (const BadOption& bad : cases) {
    const auto engine = Engine::Create(bad.options);

    EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument)
        << bad.option << ": " << engine.status();
    EXPECT_THAT(std::string(engine.status().message()),
                AllOf(HasSubstr(bad.option), HasSubstr(bad.found)));
  }
}

TEST(EngineTest, RejectsSessionConfigThatNoSessionTakes) {
  const auto engine = Engine::Create(
      {.session_config = {{"session.intra_op_thread_affinities", "first"}}});

  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(engine.status().message()),
              AllOf(HasSubstr("session_config"), HasSubstr("first")));
}

TEST(EngineTest, SharesTheProcessWithOtherEngines) {
  TestStore store;
  auto first = Engine::Create(TestOptions()).value();
  auto second = Engine::Create(TestOptions()).value();
  const auto model = store.Load(*first, TinyBundle());
  const auto other = store.Load(*second, TinyBundle({.model = "other"}));

  first.reset();

  const std::vector<float> x = RandomValues(kTinySample, 1);
  EXPECT_TRUE(model->Encode(x, 1, {}).ok());
  EXPECT_TRUE(other->Encode(x, 1, {}).ok());
}

TEST(EngineTest, StartsAgainAfterTheLastOneEnded) {
  Engine::Create(TestOptions()).value().reset();

  EngineOptions options = TestOptions();
  options.host_arena_limit = 1 << 20;
  EXPECT_TRUE(Engine::Create(options).ok());
}

TEST(EngineTest, RefusesAnotherArenaLimitThanTheEnginesBeside) {
  EngineOptions options = TestOptions();
  options.host_arena_limit = 1'000'000;
  const auto first = Engine::Create(options).value();

  options.host_arena_limit = 2'000'000;
  const auto second = Engine::Create(options);

  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()),
              AllOf(HasSubstr("host_arena_limit"), HasSubstr("1000000"),
                    HasSubstr("2000000")));
}

TEST(EngineLoadTest, LoadsWhatTheBundleHolds) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();

  const auto model = store.Load(*engine, TinyBundle({.model = "lynx"}));

  EXPECT_EQ(model->manifest().model, "lynx");
  EXPECT_EQ(model->sha256().size(), 64);
  EXPECT_EQ(model->max_batch(), 8);
  EXPECT_EQ(model->normalizer().dimension(), kTinyStyle);
  EXPECT_EQ(model->router().num_sources(), kTinySources);
}

TEST(EngineLoadTest, LoadsPictures) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();

  const auto model = store.Load(
      *engine, TinyBundle({.input = TinyBundleOptions::Input::kImage}));

  const std::vector<float> x = RandomValues(2 * 3 * 8 * 8, 1);
  const auto encoding = model->Encode(x, 2, {});
  ASSERT_TRUE(encoding.ok()) << encoding.status();
  EXPECT_EQ(encoding->z_c.rows(), 2);
}

TEST(EngineLoadTest, ServesOnAfterTheFolderIsGone) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  const std::filesystem::path folder = store.Write(TinyBundle());
  const auto model = engine->Load(folder, {}).value();

  std::filesystem::remove_all(folder);

  EXPECT_TRUE(model->Encode(RandomValues(kTinySample, 1), 1, {}).ok());
}

TEST(EngineLoadTest, ReportsAFolderThatIsNotThere) {
  auto engine = Engine::Create(TestOptions()).value();

  const auto model = engine->Load("/no/such/folder", {});

  EXPECT_EQ(model.status().code(), absl::StatusCode::kNotFound);
}

TEST(EngineLoadTest, ReportsAFileThatWasChanged) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  const std::filesystem::path folder = store.Write(TinyBundle());
  std::ofstream(folder / kEncoderFile, std::ios::app) << "x";

  const auto model = engine->Load(folder, {});

  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(model.status().message()), HasSubstr(kEncoderFile));
}

TEST(EngineLoadTest, SurvivesFilesThatAreOverwrittenMeanwhile) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  const BundleContents contents = TinyBundle();
  const std::filesystem::path folder = store.Write(TinyBundle());
  const std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::ofstream(folder / kEncoderFile, std::ios::binary)
          << contents.encoder;
      std::ofstream(folder / kRouterFile, std::ios::binary) << contents.router;
    }
  });

  for (int i = 0; i < 50; ++i) {
    const auto model = engine->Load(folder, {});
    EXPECT_TRUE(model.ok() || absl::IsInvalidArgument(model.status()))
        << model.status();
  }
}

TEST(EngineLoadTest, ReportsOutputsThatAreNotWhatTheyClaim) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  BundleContents contents = TinyBundle();
  contents.encoder = WrongShapeEncoder();

  const auto model = engine->Load(store.Write(std::move(contents)), {});

  EXPECT_EQ(model.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(
      std::string(model.status().message()),
      AllOf(HasSubstr(kEncoderFile), HasSubstr("z_c"),
            HasSubstr("expected shape [1, 5]"), HasSubstr("found [2, 5]")));
}

TEST(EngineLoadTest, RefusesARouterThatMeasuresSomethingElse) {
  for (const RouterKind router : {RouterKind::kNative, RouterKind::kGraph}) {
    TestStore store;
    EngineOptions options = TestOptions();
    options.router = router;
    auto engine = Engine::Create(options).value();
    BundleContents contents = TinyBundle();
    contents.router = ConstantRouter(42);

    const auto model = engine->Load(store.Write(std::move(contents)), {});

    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(model.status().message()),
                AllOf(HasSubstr("router.onnx: distances[0] of a sample: "
                                "expected "),
                      HasSubstr("found 42")));
  }
}

TEST(EngineLoadTest, StopsWhenAsked) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  const std::filesystem::path folder = store.Write(TinyBundle());
  std::stop_source source;
  source.request_stop();

  const auto model = engine->Load(folder, source.get_token());

  EXPECT_EQ(model.status().code(), absl::StatusCode::kCancelled);
}

TEST(EngineRunTest, CountsRunsThatFailInARow) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  BundleContents contents = TinyBundle();
  contents.encoder = FailingEncoder();
  const auto model = store.Load(*engine, std::move(contents));
  const std::vector<float> bad(kTinySample, 1);
  EXPECT_EQ(engine->num_failed_runs(), 0);

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(model->Encode(bad, 1, {}).status().code(),
              absl::StatusCode::kInternal);
  }
  // These are the caller's.
  EXPECT_FALSE(model->Encode(bad, 2, {}).ok());
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(model->Encode(bad, 1, source.get_token()).ok());
  EXPECT_EQ(engine->num_failed_runs(), 3);

  EXPECT_TRUE(model->TryOut({}).ok());
  EXPECT_EQ(engine->num_failed_runs(), 0);
}

// Loads a model that needs more memory than it gets, which ONNX Runtime has
// something to say about.
void FailToLoad(const EngineLog& log) {
  TestStore store;
  EngineOptions options = TestOptions();
  options.host_arena_limit = 1 << 20;
  auto engine = Engine::Create(options, log).value();
  BundleContents contents = TinyBundle();
  contents.encoder = HungryEncoder(1 << 20);

  EXPECT_EQ(engine->Load(store.Write(std::move(contents)), {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(EngineLogTest, PassesOnWhatOnnxRuntimeSays) {
  std::mutex mutex;
  std::vector<std::string> messages;

  FailToLoad([&](absl::string_view message) {
    const std::lock_guard lock(mutex);
    messages.emplace_back(message);
  });

  EXPECT_THAT(messages, Contains(HasSubstr("host_arena_limit")));
}

TEST(EngineLogTest, SurvivesALogThatThrows) {
  FailToLoad(
      [](absl::string_view) { throw std::runtime_error("the disk is full"); });
}

}  // namespace
}  // namespace ladder::model_store
