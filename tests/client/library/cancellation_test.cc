// Calls that are not waited for: stopped, cancelled, or late.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/predict_group.h"
#include "tests/client/library/fake_server.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

grpc::Status HangAlways(int, grpc::ServerContext& context,
                        FakeServer::PredictStream*) {
  return Hang(context);
}

class CancellationTest : public ::testing::Test {
 protected:
  // Stops once the server is at work.
  std::jthread StopOnceCalled() {
    return std::jthread([this] {
      server::Eventually([this] { return server_.num_calls() > 0; });
      stop_.request_stop();
    });
  }

  const FakeServer server_{HangAlways};
  const Client client_ = server_.NewClient();
  std::stop_source stop_;
  ChunkReader reader_{ChunksOf(server::RandomSamples(10), 4)};
  CollectingSink sink_;
};

TEST_F(CancellationTest, AStopEndsAGroup) {
  const std::jthread stopper = StopOnceCalled();

  const absl::Status status = PredictGroup(client_, {.group = "g"}, reader_,
                                           sink_, {.stop = stop_.get_token()});

  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(server_.num_calls(), 1);
}

TEST_F(CancellationTest, AStopEndsRoutingAndSimpleCalls) {
  const CallOptions call = {.stop = stop_.get_token()};
  const std::jthread stopper = StopOnceCalled();

  EXPECT_TRUE(absl::IsCancelled(client_.ListModels(call).status()));
  EXPECT_TRUE(absl::IsCancelled(client_.Route({}, reader_, call).status()));
}

TEST_F(CancellationTest, WhatWasStoppedBeforeDoesNotBegin) {
  stop_.request_stop();

  const absl::Status status = PredictGroup(client_, {.group = "g"}, reader_,
                                           sink_, {.stop = stop_.get_token()});

  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

// Takes connections and says nothing.
class SilentServer {
 public:
  SilentServer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    bind(listener_, generic, size);
    listen(listener_, 1);
    getsockname(listener_, generic, &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(listener_); }

  int port() const { return port_; }
  void WaitForConnection() const {
    pollfd waiting = {.fd = listener_, .events = POLLIN, .revents = 0};
    poll(&waiting, 1, /*timeout=*/-1);
  }

 private:
  const int listener_;
  int port_ = 0;
};

TEST_F(CancellationTest, AStopEndsTheWaitForAConnection) {
  const SilentServer silent;
  const Client client =
      Client::Open({.address = absl::StrCat("127.0.0.1:", silent.port())})
          .value();
  const std::jthread stopper([&] {
    silent.WaitForConnection();
    stop_.request_stop();
  });

  const absl::Status status = PredictGroup(client, {.group = "g"}, reader_,
                                           sink_, {.stop = stop_.get_token()});

  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(sink_.restarts.size(), 0);
}

TEST_F(CancellationTest, CancelFromAnotherThreadEndsAStream) {
  PredictionStream stream = client_.Predict();
  ASSERT_TRUE(stream.Begin("g", {}).ok());
  const std::jthread canceller([&] {
    server::Eventually([this] { return server_.num_calls() > 0; });
    stream.Cancel();
  });

  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(absl::IsCancelled(stream.Finish()));
}

// Sends to a server that reads nothing, so that the wire fills up.
absl::Status SendUntilRefused(PredictionStream& stream) {
  const v1::Samples large =
      ImageSamples({std::string(size_t{1} << 20, 'x')}).value();
  absl::Status status = stream.Begin("g", {});
  while (status.ok()) status = stream.Send("g", large);
  return status;
}

TEST_F(CancellationTest, CancelEndsAWriteThatWaitsForRoom) {
  PredictionStream stream = client_.Predict();
  std::jthread sender([&] {
    const absl::Status status = SendUntilRefused(stream);
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  });
  server::Eventually([this] { return server_.num_calls() > 0; });

  stream.Cancel();
  sender.join();

  EXPECT_TRUE(absl::IsCancelled(stream.Finish()));
}

TEST_F(CancellationTest, ClosingTheInputEndsAWriteThatWaitsForRoom) {
  PredictionStream stream = client_.Predict();
  std::jthread sender([&] {
    const absl::Status status = SendUntilRefused(stream);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  });
  server::Eventually([this] { return server_.num_calls() > 0; });

  stream.CloseInput();
  sender.join();

  stream.Cancel();
  EXPECT_TRUE(absl::IsCancelled(stream.Finish()));
}

TEST(CancelAfterTheEndTest, AStatusThatTheServerHasSentIsKept) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream*) {
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such model");
      });
  PredictionStream stream = server.NewClient().Predict();
  while (stream.Begin("g", {}).ok() && stream.End("g").ok()) {
  }

  stream.Cancel();

  EXPECT_EQ(stream.Finish(), absl::NotFoundError("no such model"));
}

TEST_F(CancellationTest, AStreamThatIsDroppedIsCancelled) {
  {
    PredictionStream stream = client_.Predict();
    ASSERT_TRUE(stream.Begin("g", {}).ok());
    server::Eventually([this] { return server_.num_calls() > 0; });
  }
  EXPECT_TRUE(
      server::Eventually([this] { return server_.num_open_calls() == 0; }));
}

TEST_F(CancellationTest, AStreamMayOutliveItsClient) {
  std::optional<Client> client = server_.NewClient();
  PredictionStream stream = client->Predict();
  client.reset();

  EXPECT_TRUE(stream.Begin("g", {}).ok());
  stream.Cancel();
  EXPECT_TRUE(absl::IsCancelled(stream.Finish()));
}

TEST_F(CancellationTest, AServerThatAnswersTooSlowlyIsNotWaitedFor) {
  const CallOptions call = {.timeout = absl::Milliseconds(200)};

  EXPECT_TRUE(absl::IsDeadlineExceeded(
      PredictGroup(client_, {.group = "g"}, reader_, sink_, call)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(client_.ListModels(call).status()));
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(client_.Route({}, reader_, call).status()));
  EXPECT_EQ(sink_.restarts.size(), 0);
}

}  // namespace
}  // namespace ladder::client
