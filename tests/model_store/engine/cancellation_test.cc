#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/environment.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

// Encodes zeros at once and anything positive forever.
class CancellationTest : public ::testing::Test {
 protected:
  CancellationTest() : engine_(Engine::Create(TestOptions()).value()) {
    BundleContents contents = TinyBundle();
    contents.encoder = EndlessEncoder();
    folder_ = store_.Write(std::move(contents));
    model_ = engine_->Load(folder_, {}).value();
  }

  absl::Status EncodeForever(std::stop_token stop) {
    const std::vector<float> x(kTinySample, 1);
    return model_->Encode(x, 1, std::move(stop)).status();
  }
  absl::Status EncodeAtOnce(std::stop_token stop) {
    const std::vector<float> x(kTinySample, 0);
    return model_->Encode(x, 1, std::move(stop)).status();
  }

  // Returns when a run is on its way, and so has memory in use.
  void WaitForARun() {
    const HostArena& arena = environment_->arena();
    while (arena.usage().in_use == 0) std::this_thread::yield();
  }

  const std::shared_ptr<Environment> environment_ =
      Environment::Get(/*host_arena_limit=*/0).value();
  TestStore store_;
  std::filesystem::path folder_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Model> model_;
};

TEST_F(CancellationTest, EndsARunInTheMiddle) {
  std::stop_source source;
  absl::Status status;
  std::thread run([&] { status = EncodeForever(source.get_token()); });
  WaitForARun();

  source.request_stop();
  run.join();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST_F(CancellationTest, LeavesTheInstanceInOrder) {
  for (int i = 0; i < 3; ++i) {
    std::stop_source source;
    std::thread run([&] {
      EXPECT_EQ(EncodeForever(source.get_token()).code(),
                absl::StatusCode::kCancelled);
    });
    WaitForARun();
    source.request_stop();
    run.join();

    EXPECT_TRUE(EncodeAtOnce({}).ok());
  }
}

TEST_F(CancellationTest, EndsOnlyTheRunThatItIsMeantFor) {
  EngineOptions options = TestOptions();
  options.instances = 2;
  auto engine = Engine::Create(options).value();
  model_ = engine->Load(folder_, {}).value();
  std::stop_source first;
  std::stop_source second;
  std::atomic<bool> first_ended = false;
  std::thread first_run([&] {
    EXPECT_FALSE(EncodeForever(first.get_token()).ok());
    first_ended = true;
  });
  std::thread second_run([&] {
    EXPECT_EQ(EncodeForever(second.get_token()).code(),
              absl::StatusCode::kCancelled);
  });
  WaitForARun();

  second.request_stop();
  second_run.join();
  EXPECT_FALSE(first_ended);

  first.request_stop();
  first_run.join();
}

TEST_F(CancellationTest, DoesNotStartWhatIsStoppedAlready) {
  std::stop_source source;
  source.request_stop();

  EXPECT_EQ(EncodeAtOnce(source.get_token()).code(),
            absl::StatusCode::kCancelled);
}

TEST_F(CancellationTest, EndsAWaitForAnInstance) {
  std::stop_source forever;
  std::thread busy([&] { EncodeForever(forever.get_token()).IgnoreError(); });
  WaitForARun();
  std::stop_source source;
  absl::Status status;
  std::thread waiting([&] { status = EncodeAtOnce(source.get_token()); });

  source.request_stop();
  waiting.join();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  forever.request_stop();
  busy.join();
}

TEST_F(CancellationTest, ReachesEveryCall) {
  std::stop_source source;
  source.request_stop();
  const std::stop_token stop = source.get_token();
  const std::vector<float> x(kTinySample);
  const Encoding encoding = model_->Encode(x, 1, {}).value();
  const std::vector<float> weights(kTinySources);
  const int64_t rows[] = {0};

  const absl::Status results[] = {
      model_->SelectRows({}, encoding.z_s, rows, stop).status(),
      model_->StyleDistances(encoding.z_s, {.stop = stop}).status(),
      model_->Logits(encoding.z_c, {weights.data(), 1, kTinySources}, stop)
          .status()};

  for (const absl::Status& status : results) {
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  }
}

}  // namespace
}  // namespace ladder::model_store
