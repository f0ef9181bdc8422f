// One call for many groups, with a real server.

#include "ladder/client/prediction_stream.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/client.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class PredictionStreamTest : public ::testing::Test {
 protected:
  std::map<std::string, server::GroupResult> ReadAll() {
    std::map<std::string, server::GroupResult> groups;
    while (const auto answer = stream_.Read()) {
      groups[answer->group()].Take(*answer);
    }
    return groups;
  }

  server::TestServer server_;
  const Client client_ =
      Client::Open({.address = absl::StrCat("127.0.0.1:",
                                            server_.server().ports().grpc)})
          .value();
  PredictionStream stream_ = client_.Predict();
};

TEST_F(PredictionStreamTest, GroupsMayBeInterleaved) {
  const std::vector<v1::Samples> a = ChunksOf(server::RandomSamples(9, 1), 3);
  const std::vector<v1::Samples> b = ChunksOf(server::RandomSamples(6, 2), 2);
  ASSERT_TRUE(stream_.Begin("a", {}).ok());
  ASSERT_TRUE(stream_.Begin("b", {}).ok());
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream_.Send("a", a[i]).ok());
    ASSERT_TRUE(stream_.Send("b", b[i]).ok());
  }
  ASSERT_TRUE(stream_.End("b").ok());
  stream_.CloseInput();

  const auto groups = ReadAll();

  EXPECT_TRUE(stream_.Finish().ok());
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups.at("a").order, "rpe");
  EXPECT_EQ(groups.at("b").order, "rpe");
  EXPECT_EQ(groups.at("a").end.num_predicted(), 9);
  EXPECT_EQ(groups.at("b").end.num_predicted(), 6);
  EXPECT_NE(groups.at("a").weights(), groups.at("b").weights());
}

TEST_F(PredictionStreamTest, ManyThreadsMaySend) {
  {
    std::vector<std::jthread> senders;
    for (const std::string name : {"a", "b", "c", "d"}) {
      senders.emplace_back([this, name] {
        absl::Status status = stream_.Begin(name, {});
        for (const v1::Samples& chunk :
             ChunksOf(server::RandomSamples(50), 1)) {
          status.Update(stream_.Send(name, chunk));
        }
        status.Update(stream_.End(name));
        EXPECT_TRUE(status.ok()) << status;
      });
    }
  }
  stream_.CloseInput();

  const auto groups = ReadAll();

  EXPECT_TRUE(stream_.Finish().ok());
  ASSERT_THAT(groups, SizeIs(4));
  for (const auto& [name, group] : groups) {
    EXPECT_EQ(group.end.num_predicted(), 50) << name;
  }
}

TEST_F(PredictionStreamTest, AGroupThatFailsEndsTheCall) {
  v1::GroupOptions options;
  options.mutable_model()->set_name("unknown");
  ASSERT_TRUE(stream_.Begin("a", options).ok());
  stream_.CloseInput();

  EXPECT_FALSE(stream_.Read().has_value());
  const absl::Status status = stream_.Finish();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("group \"a\""));
}

TEST_F(PredictionStreamTest, OthersGoOnAfterAGroupThatFailsIfAskedTo) {
  stream_.ContinueOnGroupError();
  v1::GroupOptions options;
  options.mutable_model()->set_name("unknown");
  ASSERT_TRUE(stream_.Begin("a", options).ok());
  ASSERT_TRUE(stream_.Begin("b", {}).ok());
  ASSERT_TRUE(stream_.Send("b", ChunksOf(server::RandomSamples(5), 5)[0]).ok());
  stream_.CloseInput();

  const auto groups = ReadAll();

  EXPECT_TRUE(stream_.Finish().ok());
  EXPECT_EQ(groups.at("a").order, "x");
  EXPECT_EQ(groups.at("a").error.code(),
            static_cast<int>(absl::StatusCode::kNotFound));
  EXPECT_EQ(groups.at("b").order, "rpe");
}

TEST_F(PredictionStreamTest, ClosingTwiceAndFinishingTwiceDoNoHarm) {
  stream_.CloseInput();
  stream_.CloseInput();

  EXPECT_TRUE(stream_.Finish().ok());
  EXPECT_TRUE(stream_.Finish().ok());
  EXPECT_FALSE(stream_.Read().has_value());
  stream_.Cancel();
}

TEST_F(PredictionStreamTest, NothingIsSentAfterTheInputWasClosed) {
  stream_.CloseInput();

  EXPECT_EQ(stream_.Begin("a", {}).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(stream_.End("a").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(stream_.Finish().ok());
}

TEST_F(PredictionStreamTest, FinishDoesNotNeedWhatWasNotRead) {
  ASSERT_TRUE(stream_.Begin("a", {}).ok());
  ASSERT_TRUE(stream_.Send("a", ChunksOf(server::RandomSamples(5), 5)[0]).ok());

  EXPECT_TRUE(stream_.Finish().ok());
}

TEST_F(PredictionStreamTest, AStreamMayBeMoved) {
  PredictionStream moved = std::move(stream_);
  stream_ = client_.Predict();

  EXPECT_TRUE(moved.Finish().ok());
  EXPECT_TRUE(stream_.Finish().ok());
}

}  // namespace
}  // namespace ladder::client
