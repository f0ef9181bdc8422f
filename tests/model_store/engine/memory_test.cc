// How much memory models take and give back. A binary of its own, because it
// looks at its process.

#include <unistd.h>

#include <fstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/engine/engine.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/tiny_bundle.h"

// GCC's names and Clang's.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LADDER_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LADDER_TEST_SANITIZED
#endif

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMegabyte = 1 << 20;

size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(MemoryTest, UnloadingGivesMemoryBack) {
#ifdef LADDER_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  constexpr size_t kWeights = 64 * kMegabyte;
  TestStore store;
  EngineOptions options = TestOptions();
  options.batch_sizes = {1, 64};
  auto engine = Engine::Create(options).value();
  BundleContents contents = TinyBundle();
  contents.encoder = HeavyEncoder(kWeights);
  const std::filesystem::path folder = store.Write(std::move(contents));
  // The first model brings what the library keeps for good.
  engine->Load(folder, {}).value().reset();
  const size_t before = ResidentBytes();

  for (int i = 0; i < 4; ++i) {
    auto model = engine->Load(folder, {}).value();
    EXPECT_TRUE(model->Encode(RandomValues(40 * kTinySample, 1), 40, {}).ok());
    EXPECT_GT(ResidentBytes(), before + kWeights);
    model.reset();
    // The allocator keeps some of its own, but not the more the longer it runs.
    EXPECT_LT(ResidentBytes(), before + kWeights / 2) << "after load " << i;
  }
}

TEST(MemoryTest, TakesTheWeightsOnceForAllInstances) {
#ifdef LADDER_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  constexpr size_t kWeights = 64 * kMegabyte;
  TestStore store;
  EngineOptions options = TestOptions();
  options.threads = 4;
  options.instances = 4;
  auto engine = Engine::Create(options).value();
  BundleContents contents = TinyBundle();
  contents.encoder = HeavyEncoder(kWeights);
  const std::filesystem::path folder = store.Write(std::move(contents));
  engine->Load(folder, {}).value().reset();
  const size_t before = ResidentBytes();

  const auto model = engine->Load(folder, {}).value();

  EXPECT_LT(ResidentBytes(), before + 2 * kWeights);
}

TEST(MemoryTest, EndsARunThatExceedsTheLimitAndGoesOn) {
  TestStore store;
  EngineOptions options = TestOptions();
  // Enough for four rows, which are warmed; not for eight.
  options.host_arena_limit = 6 * kMegabyte;
  options.batch_sizes = {1, 4};
  auto engine = Engine::Create(options).value();
  BundleContents contents = TinyBundle();
  contents.encoder = HungryEncoder(kMegabyte);
  const std::filesystem::path folder = store.Write(std::move(contents));
  const auto model = engine->Load(folder, {}).value();

  options.batch_sizes = {1, 8};
  auto greedy = Engine::Create(options).value();
  const auto refused = greedy->Load(folder, {});

  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted)
      << refused.status();
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("host_arena_limit"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(model->Encode(RandomValues(4 * kTinySample, 1), 4, {}).ok());
  }
}

TEST(MemoryTest, CountsNoWeightsAgainstTheLimit) {
  TestStore store;
  EngineOptions options = TestOptions();
  options.host_arena_limit = 4 * kMegabyte;
  auto engine = Engine::Create(options).value();
  BundleContents contents = TinyBundle();
  contents.encoder = HeavyEncoder(32 * kMegabyte);

  const auto model = engine->Load(store.Write(std::move(contents)), {});

  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE((*model)->Encode(RandomValues(kTinySample, 1), 1, {}).ok());
}

}  // namespace
}  // namespace ladder::model_store
