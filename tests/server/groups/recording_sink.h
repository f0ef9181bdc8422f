#ifndef LADDER_TESTS_SERVER_GROUPS_RECORDING_SINK_H_
#define LADDER_TESTS_SERVER_GROUPS_RECORDING_SINK_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"

namespace ladder::server {

// What a sink has received.
struct GroupRecord {
  std::vector<std::string> events = {};  // "routing", "predictions", "end".
  std::vector<RoutingAnswer> answers = {};
  GroupPredictions rows = {};  // Of all messages together.
  std::vector<size_t> message_rows = {};
  uint64_t bytes_taken = 0;
  absl::Status status = {};
  GroupSummary summary = {};
};

// Remembers what becomes of a group, and fails the test if calls come at the
// same time or after the end. Thread-safe.
class RecordingSink final : public GroupSink {
 public:
  // `sink` as a group should hold it: WaitForRelease returns when it does no
  // more.
  static std::shared_ptr<GroupSink> Lend(std::shared_ptr<RecordingSink> sink) {
    GroupSink* const lent = sink.get();
    return {lent, [sink = std::move(sink)](GroupSink*) {
              const std::lock_guard lock(sink->mutex_);
              sink->released_ = true;
              sink->changed_.notify_all();
            }};
  }

  void OnRouting(const RoutingAnswer& answer) override {
    Note("routing", [&](GroupRecord& record) {
      EXPECT_EQ(record.rows.labels.size(), 0) << "routing after predictions";
      record.answers.push_back(answer);
    });
  }
  void OnPredictions(GroupPredictions rows) override {
    Note("predictions", [&](GroupRecord& record) {
      record.message_rows.push_back(rows.indices.size());
      GroupPredictions& all = record.rows;
      all.top_n = rows.top_n;
      Append(rows.indices, all.indices);
      Append(rows.ids, all.ids);
      Append(rows.labels, all.labels);
      Append(rows.probabilities, all.probabilities);
      Append(rows.logits, all.logits);
      Append(rows.top_classes, all.top_classes);
      Append(rows.top_probabilities, all.top_probabilities);
      Append(rows.expert_probabilities, all.expert_probabilities);
      Append(rows.sample_weights, all.sample_weights);
      Append(rows.rejected, all.rejected);
    });
  }
  void OnSamplesTaken(uint64_t bytes) override {
    Note("taken", [&](GroupRecord& record) { record.bytes_taken += bytes; });
  }
  void OnEnd(const absl::Status& status, const GroupSummary& summary) override {
    Note("end", [&](GroupRecord& record) {
      record.status = status;
      record.summary = summary;
    });
  }
  bool HasRoom() override {
    bool room = false;
    Note("", [&](GroupRecord&) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      room = has_room_;
      refused_ = refused_ || !room;
    });
    return room;
  }

  // Has room unless told otherwise.
  void SetRoom(bool has_room) {
    const std::lock_guard lock(mutex_);
    has_room_ = has_room;
  }

  GroupRecord WaitForEnd() {
    return Wait([](const GroupRecord& record) {
      return !record.events.empty() && record.events.back() == "end";
    });
  }
  GroupRecord WaitForRows(size_t num_rows) {
    return Wait([&](const GroupRecord& record) {
      return record.rows.indices.size() >= num_rows;
    });
  }
  GroupRecord WaitForRouting() {
    return Wait([](const GroupRecord& r) { return !r.answers.empty(); });
  }
  GroupRecord WaitForBytesTaken(uint64_t bytes) {
    return Wait(
        [&](const GroupRecord& record) { return record.bytes_taken >= bytes; });
  }
  // Returns once HasRoom has said no.
  void WaitForRefusal() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return refused_; });
  }
  // Returns once the group is no more.
  void WaitForRelease() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return released_; });
  }

  GroupRecord record() const {
    const std::lock_guard lock(mutex_);
    return record_;
  }

 private:
  template <typename Values>
  static void Append(Values& values, Values& all) {
    all.insert(all.end(), std::make_move_iterator(values.begin()),
               std::make_move_iterator(values.end()));
  }

  template <typename Action>
  void Note(const std::string& event, Action action) {
    EXPECT_EQ(num_inside_.fetch_add(1), 0) << "two calls at the same time";
    std::this_thread::yield();  // A chance for a second call to be seen.
    {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(ended_) << event << " after the end";
      action(record_);
      if (!event.empty() && event != "taken") record_.events.push_back(event);
      ended_ = event == "end";
      changed_.notify_all();
    }
    num_inside_.fetch_sub(1);
  }

  template <typename Condition>
  GroupRecord Wait(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return condition(record_) || ended_;
    });
    return record_;
  }

  std::atomic<int> num_inside_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  GroupRecord record_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_room_ ABSL_GUARDED_BY(mutex_) = true;
  bool refused_ ABSL_GUARDED_BY(mutex_) = false;
  bool released_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_GROUPS_RECORDING_SINK_H_
