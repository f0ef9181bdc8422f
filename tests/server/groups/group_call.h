#ifndef LADDER_TESTS_SERVER_GROUPS_GROUP_CALL_H_
#define LADDER_TESTS_SERVER_GROUPS_GROUP_CALL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "routing/thread_pool.h"
#include "server/groups/group.h"
#include "tests/server/groups/recording_sink.h"
#include "tests/server/scheduling/recording_observer.h"

namespace ladder::server {

// What groups share, in tests. Outlives its GroupCalls.
struct TestServer {
  explicit TestServer(const EncodeSchedulerOptions& options = {},
                      uint64_t memory_limit = uint64_t{1} << 30,
                      uint64_t pictures_limit = uint64_t{1} << 30)
      : memory(memory_limit),
        pictures(pictures_limit),
        scheduler(options, observer) {}

  GroupServices services() {
    return {.scheduler = scheduler,
            .workers = workers,
            .loops = loops,
            .memory = memory,
            .pictures = pictures,
            .observer = observer};
  }

  RecordingObserver observer;
  MemoryBudget memory;
  MemoryBudget pictures;
  routing::ThreadPool loops{2};
  EncodeScheduler scheduler;
  WorkerPool workers{2};
};

// A group that is being served, and what became of it. In the end waits until
// nothing of it is left.
class GroupCall {
 public:
  GroupCall(TestServer& server, GroupSetup setup)
      : group_(Group::Start(server.services(), std::move(setup),
                            RecordingSink::Lend(sink_))) {}
  ~GroupCall() {
    if (group_ != nullptr) group_->Fail(absl::CancelledError("left"));
    Drop();
  }

  GroupCall(const GroupCall&) = delete;
  GroupCall& operator=(const GroupCall&) = delete;

  Group& group() { return *group_; }
  RecordingSink& sink() { return *sink_; }

  // Adds copies of the samples, which `x` has one after the other.
  absl::Status Add(const std::vector<float>& x, size_t num_samples,
                   std::vector<std::string> ids = {}) {
    const auto owner = std::make_shared<const std::vector<float>>(x);
    return group_->Add({.owner = owner,
                        .num_samples = num_samples,
                        .x = *owner,
                        .ids = std::move(ids)});
  }
  absl::Status AddImages(const std::vector<std::vector<std::byte>>& images,
                         std::vector<std::string> ids = {}) {
    const auto owner =
        std::make_shared<const std::vector<std::vector<std::byte>>>(images);
    SampleChunk chunk = {
        .owner = owner, .num_samples = images.size(), .ids = std::move(ids)};
    chunk.images.assign(owner->begin(), owner->end());
    return group_->Add(std::move(chunk));
  }
  // Adds the samples in chunks of these sizes, again from the first.
  void AddInChunks(const std::vector<float>& x, size_t num_samples,
                   const std::vector<size_t>& sizes) {
    const size_t row = x.size() / num_samples;
    size_t begin = 0;
    for (size_t i = 0; begin < num_samples; ++i) {
      const size_t end = std::min(num_samples, begin + sizes[i % sizes.size()]);
      const auto at = [&](size_t r) {
        return x.begin() + static_cast<std::ptrdiff_t>(r * row);
      };
      EXPECT_TRUE(Add({at(begin), at(end)}, end - begin).ok());
      begin = end;
    }
  }

  GroupRecord End() {
    group_->End();
    return sink_->WaitForEnd();
  }
  GroupRecord Fail(absl::Status status) {
    group_->Fail(std::move(status));
    return sink_->WaitForEnd();
  }
  // Lets go of the group and waits until nobody else holds it either.
  void Drop() {
    group_.reset();
    sink_->WaitForRelease();
  }

 private:
  const std::shared_ptr<RecordingSink> sink_ =
      std::make_shared<RecordingSink>();
  std::shared_ptr<Group> group_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_GROUPS_GROUP_CALL_H_
