// What is tried again, and what is not.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/library/call_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/predict_group.h"
#include "tests/client/library/fake_server.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<v1::Samples> TenSamples() {
  return ChunksOf(server::RandomSamples(10), 4);
}

grpc::Status Unavailable() { return {grpc::StatusCode::UNAVAILABLE, "away"}; }

TEST(RetriedCallsTest, AGroupIsSentAgainFromItsBeginning) {
  const FakeServer server(
      [](int call, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        // An answer that does not count.
        v1::PredictDomainResponse response;
        response.set_group("g");
        response.mutable_routing();
        if (call == 1) stream->Write(response);
        return call < 3 ? Unavailable() : AnswerGroup(*stream);
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(sink.restarts, ElementsAre(absl::UnavailableError("away"),
                                         absl::UnavailableError("away")));
  EXPECT_EQ(reader.num_rewinds(), 2);
  EXPECT_EQ(sink.result.order, "rpe");
  EXPECT_THAT(sink.result.labels, SizeIs(10));
}

TEST(RetriedCallsTest, TheLastErrorOfAServerThatStaysAwayIsReturned) {
  const FakeServer server([](int call, grpc::ServerContext&,
                             FakeServer::PredictStream*) {
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, std::to_string(call));
  });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  EXPECT_EQ(status, absl::UnavailableError("3"));
  EXPECT_EQ(server.num_calls(), 3);
}

TEST(RetriedCallsTest, AFullServersHintIsTaken) {
  const FakeServer server([](int call, grpc::ServerContext& context,
                             FakeServer::PredictStream* stream) {
    if (call == 2) return AnswerGroup(*stream);
    context.AddTrailingMetadata("grpc-retry-pushback-ms", "7");
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "full");
  });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  ASSERT_THAT(sink.restarts, SizeIs(1));
  EXPECT_TRUE(absl::IsResourceExhausted(sink.restarts[0]));
  EXPECT_EQ(RetryHint(sink.restarts[0]), absl::Milliseconds(7));
}

TEST(RetriedCallsTest, AServerThatAsksNotToComeAgainIsLeftAlone) {
  for (const std::string hint : {"-1", "never"}) {
    const FakeServer server(
        [&](int, grpc::ServerContext& context, FakeServer::PredictStream*) {
          context.AddTrailingMetadata("grpc-retry-pushback-ms", hint);
          return Unavailable();
        });

    EXPECT_FALSE(server.NewClient().ListModels().ok());

    EXPECT_EQ(server.num_calls(), 1) << hint;
  }
}

TEST(RetriedCallsTest, ACallThatTheServerCancelsIsMadeAgain) {
  const FakeServer server(
      [](int call, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        return call == 1 ? grpc::Status::CANCELLED : AnswerGroup(*stream);
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  ASSERT_THAT(sink.restarts, SizeIs(1));
  EXPECT_TRUE(absl::IsUnavailable(sink.restarts[0])) << sink.restarts[0];
}

TEST(RetriedCallsTest, ACallThatWasCutOffIsMadeAgain) {
  const FakeServer server(
      [](int call, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        return call == 1 ? grpc::Status(grpc::StatusCode::INTERNAL,
                                        "Received RST_STREAM with error code 2")
                         : AnswerGroup(*stream);
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(sink.restarts,
              ElementsAre(absl::UnavailableError(
                  "the call was cut off: Received RST_STREAM with error code "
                  "2")));
}

TEST(RetriedCallsTest, AServersOwnFaultIsFinal) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream*) {
        return grpc::Status(grpc::StatusCode::INTERNAL, "a bug");
      });

  EXPECT_EQ(server.NewClient().ListModels().status(),
            absl::InternalError("a bug"));

  EXPECT_EQ(server.num_calls(), 1);
}

TEST(RetriedCallsTest, AnInvalidArgumentIsFinal) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream*) {
        return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "k: wrong");
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  EXPECT_EQ(status, absl::InvalidArgumentError("k: wrong"));
  EXPECT_EQ(server.num_calls(), 1);
  EXPECT_THAT(sink.restarts, SizeIs(0));
}

TEST(RetriedCallsTest, AReadersErrorComesBackAsItIs) {
  const FakeServer server(
      [](int, grpc::ServerContext& context, FakeServer::PredictStream*) {
        return Hang(context);
      });
  const absl::Status gone = absl::UnavailableError("the disk is gone");
  const auto fail = [&](size_t chunk) {
    return chunk == 1 ? gone : absl::OkStatus();
  };
  ChunkReader reader(TenSamples(), fail);
  CollectingSink sink;

  EXPECT_EQ(PredictGroup(server.NewClient(), {.group = "g"}, reader, sink),
            gone);

  EXPECT_EQ(reader.num_rewinds(), 0);
}

TEST(RetriedCallsTest, AReadersErrorEndsRoutingToo) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream*) {
        return grpc::Status::OK;
      });
  const absl::Status gone = absl::UnavailableError("the disk is gone");
  ChunkReader reader(TenSamples(), [&](size_t chunk) {
    return chunk == 1 ? gone : absl::OkStatus();
  });

  EXPECT_EQ(server.NewClient().Route({}, reader).status(), gone);

  EXPECT_EQ(reader.num_rewinds(), 0);
}

TEST(RetriedCallsTest, ASinksErrorCancelsTheCall) {
  const FakeServer server(
      [](int, grpc::ServerContext& context, FakeServer::PredictStream* stream) {
        v1::PredictDomainResponse response;
        response.set_group("g");
        stream->Write(response);
        return Hang(context);
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;
  sink.verdict = absl::ResourceExhaustedError("the disk is full");

  EXPECT_EQ(PredictGroup(server.NewClient(), {.group = "g"}, reader, sink),
            sink.verdict);

  EXPECT_EQ(server.num_calls(), 1);
}

TEST(RetriedCallsTest, AnswersForFewerSamplesThanWereSentAreDataLoss) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        return AnswerGroup(*stream, /*num_missing=*/1);
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("10 samples, got 9"));
}

TEST(RetriedCallsTest, AnswersThatCannotBeDoNotReachTheSink) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        return AnswerGroup(*stream, /*num_missing=*/0,
                           [](v1::PredictDomainResponse& answer) {
                             if (!answer.has_predictions()) return;
                             answer.mutable_predictions()->add_ids("foreign");
                           });
      });
  ChunkReader reader(TenSamples());
  CollectingSink sink;

  const absl::Status status =
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("ids: expected 10, got 1"));
  EXPECT_EQ(sink.result.order, "r");
  EXPECT_EQ(server.num_calls(), 1);
}

TEST(RetriedCallsTest, AGroupWithoutAnEndIsDataLoss) {
  const FakeServer server(
      [](int, grpc::ServerContext&, FakeServer::PredictStream*) {
        return grpc::Status::OK;
      });
  ChunkReader reader({});
  CollectingSink sink;

  EXPECT_EQ(
      PredictGroup(server.NewClient(), {.group = "g"}, reader, sink).code(),
      absl::StatusCode::kDataLoss);
}

TEST(RetriedCallsTest, RoutingIsRetriedWithAllSamples) {
  const FakeServer server(
      [](int call, grpc::ServerContext&, FakeServer::PredictStream*) {
        return call == 1 ? Unavailable() : grpc::Status::OK;
      });
  ChunkReader reader(TenSamples());

  const auto response = server.NewClient().Route({}, reader);

  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->routings(0).num_samples(), 10);
  EXPECT_EQ(reader.num_rewinds(), 1);
}

TEST(RetriedCallsTest, SimpleCallsAreRetried) {
  const FakeServer server(
      [](int call, grpc::ServerContext&, FakeServer::PredictStream*) {
        return call == 1 ? Unavailable() : grpc::Status::OK;
      });

  const auto models = server.NewClient().ListModels();

  ASSERT_TRUE(models.ok()) << models.status();
  EXPECT_EQ(models->models(0).name(), "tiny");
  EXPECT_EQ(server.num_calls(), 2);
}

}  // namespace
}  // namespace ladder::client
