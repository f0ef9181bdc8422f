#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/engine/engine.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

constexpr size_t kNumThreads = 6;
constexpr size_t kRounds = 25;

// All that a group goes through, as one list of numbers.
std::vector<float> Serve(const Model& model, size_t thread) {
  std::vector<float> results;
  const auto append = [&](const Tensor& tensor) {
    const auto values = tensor.view().Values();
    results.insert(results.end(), values.begin(), values.end());
  };
  for (size_t round = 0; round < kRounds; ++round) {
    const size_t n = 1 + (thread + round) % model.max_batch();
    const std::vector<float> x =
        RandomValues(n * kTinySample, static_cast<unsigned>(thread));
    const Encoding encoding = model.Encode(x, n, {}).value();
    const auto last = static_cast<int64_t>(n) - 1;
    const int64_t rows[] = {last, 0};
    const Tensor style = model.SelectRows({}, encoding.z_s, rows, {}).value();
    const std::vector<double> distances =
        model.StyleDistances(style, {}).value().distances;
    const std::vector<float> weights(distances.begin(), distances.end());
    append(encoding.z_c);
    append(encoding.gate);
    append(style);
    append(model.Logits(encoding.z_c, {weights.data(), 1, weights.size()}, {})
               .value());
  }
  return results;
}

class ConcurrencyTest : public ::testing::TestWithParam<size_t> {};

TEST_P(ConcurrencyTest, GivesEveryCallerWhatItWouldGetAlone) {
  TestStore store;
  EngineOptions options = TestOptions();
  options.instances = GetParam();
  options.threads = 3;
  auto engine = Engine::Create(options).value();
  const auto model = store.Load(*engine, TinyBundle());
  std::vector<std::vector<float>> expected;
  for (size_t t = 0; t < kNumThreads; ++t) {
    expected.push_back(Serve(*model, t));
  }

  std::vector<std::vector<float>> found(kNumThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kNumThreads; ++t) {
    threads.emplace_back([&, t] { found[t] = Serve(*model, t); });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Instances, ConcurrencyTest,
                         ::testing::Values(1, 2, 3, 5));

TEST(ConcurrentLoadTest, LoadsSeveralModelsAtOnceWhileOneServes) {
  TestStore store;
  auto engine = Engine::Create(TestOptions()).value();
  const auto serving = store.Load(*engine, TinyBundle());
  const std::vector<float> expected = Serve(*serving, 0);
  std::vector<std::filesystem::path> folders;
  for (const char* name : {"a", "b", "c"}) {
    folders.push_back(store.Write(TinyBundle({.model = name})));
  }

  std::vector<std::thread> threads;
  for (const std::filesystem::path& folder : folders) {
    threads.emplace_back([&engine, folder] {
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(engine->Load(folder, {}).ok());
      }
    });
  }
  const std::vector<float> found = Serve(*serving, 0);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ladder::model_store
