// Servers that go away in the middle of a group and come back at the same port.

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/predict_group.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

class RestartTest : public ::testing::Test {
 protected:
  RestartTest() {
    Start();
    port_ = server_->server().ports().grpc;
    request_.options.mutable_outputs()->set_probabilities(true);
    CollectingSink sink;
    ChunkReader reader(chunks_);
    const absl::Status status =
        PredictGroup(NewClient(), request_, reader, sink);
    EXPECT_TRUE(status.ok()) << status;
    undisturbed_ = sink.result;
  }

  Client NewClient() const {
    return Client::Open({.address = absl::StrCat("127.0.0.1:", port_)}).value();
  }
  void Start() {
    server_ = std::make_unique<server::TestServer>(
        [this](server::ServerConfig& config) {
          config.listen.grpc_port = port_;
          config.life_cycle.exit_timeout = absl::ZeroDuration();
        });
  }
  void Stop() { server_.reset(); }

  void ExpectUndisturbed(const server::GroupResult& result) const {
    EXPECT_EQ(result.order, "rpe");
    EXPECT_EQ(result.weights(), undisturbed_.weights());
    EXPECT_EQ(result.indices, undisturbed_.indices);
    EXPECT_THAT(result.probabilities,
                Pointwise(FloatNear(1e-5F), undisturbed_.probabilities));
  }

  const std::vector<v1::Samples> chunks_ =
      ChunksOf(server::RandomSamples(40), 8);
  GroupRequest request_ = {.group = "g"};
  int port_ = 0;
  std::unique_ptr<server::TestServer> server_;
  server::GroupResult undisturbed_;
};

TEST_F(RestartTest, EverySampleIsAnsweredOnceAfterAQuickRestart) {
  bool restarted = false;
  ChunkReader reader(chunks_, [&](size_t chunk) {
    if (chunk == 3 && !std::exchange(restarted, true)) {
      Stop();
      Start();
    }
    return absl::OkStatus();
  });
  CollectingSink sink;

  const absl::Status status = PredictGroup(NewClient(), request_, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GE(sink.restarts.size(), 1);
  ExpectUndisturbed(sink.result);
}

TEST_F(RestartTest, AServerIsFoundAgainAfterConnectionsWereRefused) {
  bool stopped = false;
  ChunkReader reader(chunks_, [&](size_t chunk) {
    if (chunk == 3 && !std::exchange(stopped, true)) Stop();
    return absl::OkStatus();
  });
  // The second restart comes after a refused connection.
  CollectingSink sink([&](size_t num_restarts) {
    if (num_restarts == 3) Start();
  });

  const absl::Status status = PredictGroup(NewClient(), request_, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GE(sink.restarts.size(), 3);
  ExpectUndisturbed(sink.result);
}

TEST_F(RestartTest, SegmentsOfALargeGroupAreRetriedOneByOne) {
  bool is_routed = false;
  bool restarted = false;
  ChunkReader reader(chunks_, [&](size_t chunk) {
    // The second time that samples are read.
    if (chunk == 3 && is_routed && !std::exchange(restarted, true)) {
      Stop();
      Start();
    }
    is_routed |= chunk == chunks_.size();
    return absl::OkStatus();
  });
  CollectingSink sink;

  const absl::Status status =
      PredictLargeGroup(NewClient(), request_, reader, sink,
                        {.num_streams = 2, .segment_samples = 8});

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(restarted);
  EXPECT_EQ(sink.restarts.size(), 0);
  ExpectUndisturbed(sink.result);
}

}  // namespace
}  // namespace ladder::client
