#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"
#include "tests/fakes/fake_model.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/scheduling/batch_model.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

GroupSetup NewGroup(model_store::ModelHandle model) {
  return {.model = std::move(model),
          .options = {.questions = {{.routing = {.k = 2}}}}};
}

std::vector<float> Zeros(size_t num_samples) {
  return std::vector<float>(num_samples * 6);
}

// How groups end, and what is left of them then. BatchModel's samples are
// single numbers.
class GroupLifecycleTest : public ::testing::Test {
 protected:
  ~GroupLifecycleTest() override { EXPECT_EQ(server_.memory.used(), 0); }

  // Ends the group with an error and expects nothing of it to be left.
  void ExpectFails(GroupCall& call) {
    call.group().Fail(absl::DeadlineExceededError("too late"));
    call.group().Fail(absl::AbortedError("and another reason"));
    const GroupRecord record = call.sink().WaitForEnd();
    EXPECT_EQ(record.status, absl::DeadlineExceededError("too late"));
    call.Drop();
    EXPECT_EQ(server_.memory.used(), 0);
    EXPECT_EQ(std::count(record.events.begin(), record.events.end(), "end"), 1);
    ASSERT_THAT(server_.observer.reports(), SizeIs(1));
    EXPECT_EQ(server_.observer.reports().front().status, record.status);
  }

  // Would never return if somebody kept the model.
  void ExpectLetGo(std::shared_ptr<BatchModel> model) {
    const std::weak_ptr<BatchModel> watched = std::exchange(model, nullptr);
    EXPECT_EQ(model, nullptr);
    while (!watched.expired()) std::this_thread::yield();
  }

  TestServer server_;
  std::shared_ptr<BatchModel> model_ = std::make_shared<BatchModel>();
};

TEST_F(GroupLifecycleTest, FailsBeforeTheFirstSample) {
  GroupCall call(server_, NewGroup(model_));

  ExpectFails(call);

  ExpectLetGo(std::move(model_));
}

TEST_F(GroupLifecycleTest, FailsInTheEncoderAndWhileWaitingForIt) {
  model_->Hold();
  GroupCall call(server_, NewGroup(model_));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  ASSERT_TRUE(call.Add(std::vector<float>(5), 5).ok());
  model_->WaitForBatches(1);
  EXPECT_GT(server_.memory.used(), 0);

  ExpectFails(call);

  EXPECT_THAT(model_->batches(), SizeIs(1));
  model_->Release();
  ExpectLetGo(std::move(model_));
}

TEST_F(GroupLifecycleTest, FailsBetweenChunks) {
  GroupCall call(server_, NewGroup(model_));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  call.sink().WaitForBytesTaken(20 * sizeof(float));
  EXPECT_GT(server_.memory.used(), 0);

  ExpectFails(call);

  ExpectLetGo(std::move(model_));
}

TEST_F(GroupLifecycleTest, FailsAfterItWasRouted) {
  GroupSetup setup = NewGroup(model_);
  setup.options.route_after = 5;
  GroupCall call(server_, std::move(setup));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  call.sink().WaitForRows(20);

  ExpectFails(call);

  EXPECT_TRUE(server_.observer.reports().front().routed);
  ExpectLetGo(std::move(model_));
}

TEST_F(GroupLifecycleTest, FailsWhileThereIsNoRoom) {
  GroupCall call(server_, NewGroup(model_));
  call.sink().SetRoom(false);
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  call.group().End();
  call.sink().WaitForRefusal();

  ExpectFails(call);

  EXPECT_THAT(call.sink().record().events, ElementsAre("routing", "end"));
}

TEST_F(GroupLifecycleTest, AFailureAfterTheEndChangesNothing) {
  GroupCall call(server_, NewGroup(model_));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  ASSERT_TRUE(call.End().status.ok());

  call.group().Fail(absl::AbortedError("too late"));
  call.group().End();
  call.group().Resume();
  call.Drop();

  EXPECT_TRUE(call.sink().record().status.ok());
  EXPECT_THAT(server_.observer.reports(), SizeIs(1));
}

TEST_F(GroupLifecycleTest, SamplesAfterTheEndTakeNothing) {
  GroupCall call(server_, NewGroup(model_));
  call.Fail(absl::AbortedError("over"));

  EXPECT_TRUE(call.Add(std::vector<float>(20), 20).ok());

  EXPECT_EQ(server_.memory.used(), 0);
  EXPECT_THAT(model_->batches(), IsEmpty());
}

// Measures distances until it is stopped.
class SlowModel final : public model_store::FakeModel {
 public:
  explicit SlowModel(model_store::Manifest manifest)
      : FakeModel(std::move(manifest), "sha") {}

  absl::StatusOr<model_store::MeasuredStyle> StyleDistances(
      const model_store::Tensor& /*z_s*/,
      const routing::Execution& execution) const override {
    std::unique_lock lock(mutex_);
    entered_ = true;
    changed_.notify_all();
    changed_.wait(lock, execution.stop, [] { return false; });
    return absl::CancelledError("stopped");
  }

  void WaitUntilEntered() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  mutable bool entered_ = false;
};

TEST_F(GroupLifecycleTest, FailsInTheMiddleOfRoutingWithItsOwnStatus) {
  const auto slow = std::make_shared<SlowModel>(model_->manifest());
  GroupCall call(server_, NewGroup(slow));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  call.group().End();
  slow->WaitUntilEntered();

  ExpectFails(call);
}

TEST_F(GroupLifecycleTest, AnErrorOfTheEncoderEndsTheGroup) {
  model_->Hold();
  GroupCall call(server_, NewGroup(model_));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  model_->FailNext(absl::InternalError("a broken graph"));
  model_->Release();

  const GroupRecord record = call.sink().WaitForEnd();

  EXPECT_EQ(record.status, absl::InternalError("a broken graph"));
  EXPECT_EQ(server_.memory.used(), 0);
  EXPECT_FALSE(server_.observer.reports().front().routed);
}

TEST_F(GroupLifecycleTest, AFailureStopsAnEncoderThatWouldNeverEnd) {
  GroupCall endless(server_, NewGroup(EndlessModel()));
  ASSERT_TRUE(endless.Add(std::vector<float>(6, 1), 1).ok());
  while (server_.scheduler.num_waiting() > 0) std::this_thread::yield();

  ExpectFails(endless);

  // The encoder is free again.
  GroupCall next(server_, NewGroup(EndlessModel()));
  ASSERT_TRUE(next.Add(Zeros(10), 10).ok());
  EXPECT_TRUE(next.End().status.ok());
}

TEST_F(GroupLifecycleTest, OneGroupsFailureLeavesTheOthersAlone) {
  model_->Hold();
  GroupCall plug(server_, NewGroup(model_));
  ASSERT_TRUE(plug.Add(std::vector<float>(1), 1).ok());
  model_->WaitForBatches(1);
  GroupCall failing(server_, NewGroup(model_));
  GroupCall other(server_, NewGroup(model_));
  ASSERT_TRUE(failing.Add(std::vector<float>(4), 4).ok());
  ASSERT_TRUE(other.Add(std::vector<float>(4), 4).ok());
  plug.Fail(absl::AbortedError("next"));
  while (model_->batches().size() < 2) std::this_thread::yield();

  failing.Fail(absl::AbortedError("out"));
  model_->Release();

  const GroupRecord record = other.End();
  EXPECT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.rows.indices, SizeIs(4));
}

TEST_F(GroupLifecycleTest, PredictionsWaitForRoom) {
  GroupCall call(server_, NewGroup(model_));
  call.sink().SetRoom(false);
  ASSERT_TRUE(call.Add(std::vector<float>(600), 600).ok());
  call.group().End();
  call.sink().WaitForRefusal();

  EXPECT_THAT(call.sink().record().events, ElementsAre("routing"));
  EXPECT_GT(server_.memory.used(), 0);

  call.sink().SetRoom(true);
  call.group().Resume();
  const GroupRecord record = call.sink().WaitForEnd();
  EXPECT_TRUE(record.status.ok());
  EXPECT_THAT(record.rows.indices, SizeIs(600));
  EXPECT_THAT(record.events, ElementsAre("routing", "predictions",
                                         "predictions", "predictions", "end"));
}

TEST_F(GroupLifecycleTest, FreesSamplesOnceTheyAreEncoded) {
  GroupCall call(server_, NewGroup(model_));
  auto samples = std::make_shared<std::vector<float>>(20);
  const std::weak_ptr<std::vector<float>> watched = samples;
  ASSERT_TRUE(call.group()
                  .Add({.owner = samples, .num_samples = 20, .x = *samples})
                  .ok());
  samples.reset();

  EXPECT_EQ(call.sink().WaitForBytesTaken(80).bytes_taken, 80);

  EXPECT_TRUE(watched.expired());
}

TEST_F(GroupLifecycleTest, AGroupThatIsLetGoFinishesItsWork) {
  model_->Hold();
  GroupCall call(server_, NewGroup(model_));
  ASSERT_TRUE(call.Add(std::vector<float>(20), 20).ok());
  call.group().End();
  std::jthread release([this] {
    model_->WaitForBatches(1);
    model_->Release();
  });

  call.Drop();

  EXPECT_TRUE(call.sink().record().status.ok());
  EXPECT_THAT(call.sink().record().rows.indices, SizeIs(20));
}

TEST_F(GroupLifecycleTest, ChunksOfManyThreadsKeepIndexAndId) {
  GroupCall call(server_, NewGroup(model_));
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&call, thread] {
        for (int i = 0; i < 50; ++i) {
          const std::string name = absl::StrCat(thread, "-", i, "-");
          EXPECT_TRUE(
              call.Add(std::vector<float>(2), 2, {name + "a", name + "b"})
                  .ok());
        }
      });
    }
  }
  const GroupRecord record = call.End();

  ASSERT_THAT(record.rows.ids, SizeIs(400));
  for (size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(record.rows.indices[i], i);
    // Both samples of a chunk stay together.
    EXPECT_EQ(record.rows.ids[i].back(), i % 2 == 0 ? 'a' : 'b');
  }
  std::vector<std::string> ids = record.rows.ids;
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST_F(GroupLifecycleTest, GroupsThatFailAtAnyTimeEndOnceAndLeaveNothing) {
  std::atomic<int> num_ended = 0;
  {
    std::vector<std::jthread> callers;
    for (unsigned caller = 0; caller < 3; ++caller) {
      callers.emplace_back([&, caller] {
        for (unsigned i = 0; i < 40; ++i) {
          GroupSetup setup = NewGroup(model_);
          setup.options.route_after = i % 3 == 0 ? 10 : 0;
          GroupCall call(server_, std::move(setup));
          std::jthread failing([&call, i] {
            for (unsigned wait = 0; wait < i; ++wait) {
              std::this_thread::yield();
            }
            call.group().Fail(absl::AbortedError("at some time"));
          });
          for (int chunk = 0; chunk < 5; ++chunk) {
            EXPECT_TRUE(call.Add(std::vector<float>(9), 9).ok());
          }
          const absl::Status status = call.End().status;
          EXPECT_TRUE(status.ok() || absl::IsAborted(status)) << status;
          ++num_ended;
        }
      });
    }
  }
  EXPECT_EQ(num_ended, 120);
  EXPECT_THAT(server_.observer.reports(), SizeIs(120));
}

}  // namespace
}  // namespace ladder::server
