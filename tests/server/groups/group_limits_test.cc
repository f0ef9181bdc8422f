#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/groups/group.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

GroupSetup NewGroup(GroupLimits limits = {}) {
  return {.model = TensorModel(),
          .options = {.questions = {DefaultQuestion(*TensorModel())}},
          .limits = limits};
}

// The samples that were accepted are answered.
void ExpectUsable(GroupCall& call, size_t num_samples) {
  const GroupRecord record = call.End();
  EXPECT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.rows.indices, SizeIs(num_samples));
}

TEST(GroupLimitsTest, TooManySamplesAreRefusedByName) {
  TestServer server;
  GroupCall call(server, NewGroup({.max_samples = 20}));
  ASSERT_TRUE(call.Add(RandomSamples(15), 15).ok());

  const absl::Status status = call.Add(RandomSamples(6), 6);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("--max-group-samples"),
                                      HasSubstr("20"), HasSubstr("21")));
  EXPECT_TRUE(call.Add(RandomSamples(5), 5).ok());
  ExpectUsable(call, 20);
  EXPECT_EQ(server.memory.used(), 0);
}

TEST(GroupLimitsTest, TooManyBytesAreRefusedByName) {
  TestServer server;
  GroupCall call(server, NewGroup({.max_bytes = 8000}));
  ASSERT_TRUE(call.Add(RandomSamples(5), 5).ok());

  const absl::Status status = call.Add(RandomSamples(100), 100);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("--max-group-bytes"), HasSubstr("8000")));
  EXPECT_TRUE(call.Add(RandomSamples(5), 5).ok());
  ExpectUsable(call, 10);
}

TEST(GroupLimitsTest, GroupsShareTheServersMemory) {
  TestServer server({}, /*memory_limit=*/28'000);
  GroupCall first(server, NewGroup());
  GroupCall second(server, NewGroup());
  ASSERT_TRUE(first.Add(RandomSamples(20), 20).ok());

  const absl::Status status = second.Add(RandomSamples(20), 20);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("--max-inflight-bytes"), HasSubstr("28000")));
  ExpectUsable(first, 20);
  EXPECT_EQ(server.memory.used(), GroupIntake::kEmptyGroupBytes);
  EXPECT_TRUE(second.Add(RandomSamples(20), 20).ok());
  ExpectUsable(second, 20);
  EXPECT_EQ(server.memory.used(), 0);
}

TEST(GroupLimitsTest, IdsCountUntilTheirSamplesAreAnswered) {
  TestServer server;
  GroupCall call(server, NewGroup());
  const std::string id(10'000, 'x');
  ASSERT_TRUE(call.Add(RandomSamples(5), 5, {id, id, id, id, id}).ok());

  call.sink().WaitForBytesTaken(1);

  EXPECT_GE(server.memory.used(), 50'000);
  ExpectUsable(call, 5);
}

TEST(GroupLimitsTest, InputIsGivenBackOnceItIsEncoded) {
  TestServer server;
  GroupCall call(server, NewGroup());
  uint64_t added = 0;
  uint64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(call.Add(RandomSamples(10), 10).ok());
    added += 10 * 6 * sizeof(float);
    EXPECT_EQ(call.sink().WaitForBytesTaken(added).bytes_taken, added);
    EXPECT_GT(server.memory.used(), before);  // Codes wait to be routed.
    before = server.memory.used();
  }
  ExpectUsable(call, 100);
}

TEST(GroupLimitsTest, AnswersGiveMemoryBackBeforeTheEnd) {
  TestServer server;
  GroupSetup setup = NewGroup();
  setup.options.route_after = 10;
  GroupCall call(server, std::move(setup));
  ASSERT_TRUE(call.Add(RandomSamples(1030), 1030).ok());
  call.sink().WaitForRows(1030);
  const uint64_t used = server.memory.used();

  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(call.Add(RandomSamples(100), 100).ok());
    call.sink().WaitForRows(1030 + i * 100);
  }

  // The style sample is full, and nothing else stays.
  EXPECT_EQ(server.memory.used(), used);
  ExpectUsable(call, 1530);
}

TEST(GroupLimitsTest, ManyGroupsNeverExceedTheMemory) {
  TestServer server({.num_workers = 2}, /*memory_limit=*/60'000);
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&server] {
      for (int i = 0; i < 25; ++i) {
        GroupCall call(server, NewGroup());
        size_t num_added = 0;
        while (num_added < 200 && call.Add(RandomSamples(10), 10).ok()) {
          num_added += 10;
          // Groups of which nothing has come yet count as well.
          EXPECT_LE(server.memory.used(),
                    60'000 + 4 * GroupIntake::kEmptyGroupBytes);
        }
        if (num_added > 0) {
          ExpectUsable(call, num_added);
        } else {
          call.Fail(absl::ResourceExhaustedError("full"));
        }
      }
    });
  }
  callers.clear();

  EXPECT_EQ(server.memory.used(), 0);
}

}  // namespace
}  // namespace ladder::server
