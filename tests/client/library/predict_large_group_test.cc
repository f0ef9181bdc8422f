// A group that is spread over servers is answered as by one.

#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ladder/client/predict_group.h"
#include "tests/client/library/fake_server.h"
#include "tests/client/library/group_io.h"
#include "tests/imaging/test_images.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;
using ::testing::SizeIs;

model_store::BundleContents ImageBundle() {
  return model_store::TinyBundle(
      {.model = "images",
       .input = model_store::TinyBundleOptions::Input::kImage});
}

std::string Picture(uint32_t seed) {
  const imaging::Image image = imaging::Photograph(20, 16, seed);
  const imaging::Bytes bytes = imaging::WriteJpeg({}, image.View());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PredictLargeGroupTest : public ::testing::Test {
 protected:
  PredictLargeGroupTest() {
    v1::OutputOptions& outputs = *request_.options.mutable_outputs();
    outputs.set_probabilities(true);
    outputs.set_top_n(2);
  }

  // The same group in both ways, which are expected to work.
  void PredictBoth(const std::vector<v1::Samples>& chunks,
                   const LargeGroupOptions& options) {
    ChunkReader once(chunks);
    const absl::Status one = PredictGroup(client_, request_, once, one_);
    EXPECT_TRUE(one.ok()) << one;
    ChunkReader twice(chunks);
    const absl::Status large =
        PredictLargeGroup(client_, request_, twice, large_, options);
    EXPECT_TRUE(large.ok()) << large;
  }

  void ExpectEqual() const {
    const server::GroupResult& one = one_.result;
    const server::GroupResult& large = large_.result;
    EXPECT_EQ(large.order, "rpe");
    EXPECT_EQ(large.weights(), one.weights());
    EXPECT_EQ(large.routing.num_samples(), one.routing.num_samples());
    EXPECT_EQ(large.indices, one.indices);
    EXPECT_EQ(large.ids, one.ids);
    EXPECT_EQ(large.labels, one.labels);
    EXPECT_EQ(large.top_classes, one.top_classes);
    EXPECT_THAT(large.probabilities,
                Pointwise(FloatNear(1e-5F), one.probabilities));
    EXPECT_EQ(large.end.num_predicted(), one.end.num_predicted());
    EXPECT_EQ(large.end.num_rejected(), one.end.num_rejected());
    ASSERT_EQ(large.rejected.size(), one.rejected.size());
    for (size_t i = 0; i < one.rejected.size(); ++i) {
      EXPECT_EQ(large.rejected[i].index(), one.rejected[i].index());
      EXPECT_EQ(large.rejected[i].id(), one.rejected[i].id());
    }
  }

  server::TestServer a_{{}, model_store::TinyBundle(), ImageBundle()};
  server::TestServer b_{{}, model_store::TinyBundle(), ImageBundle()};
  const Client client_ =
      Client::Open(
          {.address = absl::StrCat("ipv4:127.0.0.1:", a_.server().ports().grpc,
                                   ",127.0.0.1:", b_.server().ports().grpc)})
          .value();
  GroupRequest request_ = {.group = "g"};
  CollectingSink one_;
  CollectingSink large_;
};

TEST_F(PredictLargeGroupTest, EqualsOneStream) {
  request_.options.mutable_model()->set_name("tiny");

  PredictBoth(ChunksOf(server::RandomSamples(100), 3),
              {.num_streams = 3, .segment_samples = 10});

  ExpectEqual();
  EXPECT_THAT(large_.result.labels, SizeIs(100));
}

TEST_F(PredictLargeGroupTest, SegmentsMayBeCutByBytes) {
  request_.options.mutable_model()->set_name("tiny");

  PredictBoth(ChunksOf(server::RandomSamples(20), 1),
              {.num_streams = 2, .segment_bytes = 100});

  ExpectEqual();
}

TEST_F(PredictLargeGroupTest, RejectedPicturesKeepTheirPlaces) {
  request_.options.mutable_model()->set_name("images");
  std::vector<v1::Samples> chunks;
  for (uint32_t i = 0; i < 15; ++i) {
    // The last segment has nothing that can be read.
    const bool bad = i == 2 || i == 7 || i >= 12;
    chunks.push_back(ImageSamples({bad ? "no picture" : Picture(i)},
                                  {absl::StrCat("picture ", i)})
                         .value());
  }

  PredictBoth(chunks, {.num_streams = 2, .segment_samples = 4});

  ExpectEqual();
  ASSERT_THAT(large_.result.rejected, SizeIs(5));
  EXPECT_EQ(large_.result.rejected[1].index(), 7);
}

TEST_F(PredictLargeGroupTest, SamplesWithWeightsOfTheirOwnKeepThem) {
  request_.options.mutable_model()->set_name("tiny");
  request_.options.mutable_routing()->set_method(v1::METHOD_SAMPLE_GATE);

  PredictBoth(ChunksOf(server::RandomSamples(30), 3), {.segment_samples = 6});

  ExpectEqual();
  EXPECT_TRUE(large_.result.routing.per_sample());
}

TEST_F(PredictLargeGroupTest, RulesAreAppliedToTheWholeGroup) {
  request_.options.mutable_model()->set_name("tiny");
  request_.options.set_min_samples(25);
  request_.options.set_fallback(v1::FALLBACK_SOFTEN);
  request_.options.set_soften_factor(2);

  PredictBoth(ChunksOf(server::FarSamples(30), 3), {.segment_samples = 6});

  ExpectEqual();
  EXPECT_EQ(large_.result.routing.fallback().reason(),
            v1::AppliedFallback::OUT_OF_COVERAGE);
}

TEST_F(PredictLargeGroupTest, AGroupThatCannotBeRoutedFailsAsOnOneStream) {
  request_.options.mutable_model()->set_name("tiny");
  request_.options.set_min_samples(100);
  ChunkReader reader(ChunksOf(server::RandomSamples(10), 5));

  EXPECT_EQ(PredictLargeGroup(client_, request_, reader, large_).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(large_.result.order, "");
}

TEST_F(PredictLargeGroupTest, ASinksErrorEndsAllStreams) {
  request_.options.mutable_model()->set_name("tiny");
  ChunkReader reader(ChunksOf(server::RandomSamples(40), 4));
  large_.verdict = absl::ResourceExhaustedError("the disk is full");

  EXPECT_EQ(PredictLargeGroup(client_, request_, reader, large_),
            large_.verdict);
}

TEST_F(PredictLargeGroupTest, OtherSamplesTheSecondTimeAreDataLoss) {
  request_.options.mutable_model()->set_name("tiny");
  // Forgets its first chunk.
  class ShrinkingReader final : public SampleReader {
   public:
    absl::StatusOr<std::optional<v1::Samples>> Next() override {
      if (num_left_-- == 0) return std::nullopt;
      return server::TensorSamples(server::RandomSamples(3));
    }
    absl::Status Rewind() override {
      num_left_ = 4;
      return absl::OkStatus();
    }

   private:
    int num_left_ = 5;
  };
  ShrinkingReader reader;

  EXPECT_EQ(PredictLargeGroup(client_, request_, reader, large_).code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(PredictLargeGroupTest, OptionsMustNotBeZero) {
  ChunkReader reader(ChunksOf(server::RandomSamples(3), 3));
  for (const LargeGroupOptions& options :
       {LargeGroupOptions{.num_streams = 0},
        LargeGroupOptions{.segment_samples = 0},
        LargeGroupOptions{.segment_bytes = 0}}) {
    EXPECT_EQ(
        PredictLargeGroup(client_, request_, reader, large_, options).code(),
        absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(reader.num_read(), 0);
}

TEST(PredictLargeGroupMemoryTest, NoMoreIsReadThanStreamsAndOneSegmentHold) {
  const FakeServer server(
      [](int, grpc::ServerContext& context, FakeServer::PredictStream* stream) {
        return stream == nullptr ? grpc::Status::OK : Hang(context);
      });
  std::stop_source stop;
  // Routing reads all ten chunks and then the end.
  int num_asked = 0;
  ChunkReader reader(ChunksOf(server::RandomSamples(10), 1), [&](size_t) {
    ++num_asked;
    return absl::OkStatus();
  });
  CollectingSink sink;
  const std::jthread stopper([&] {
    // The routing's call and one for each stream.
    server::Eventually([&] { return server.num_calls() == 3; });
    stop.request_stop();
  });

  const absl::Status status = PredictLargeGroup(
      server.NewClient(), {.group = "g"}, reader, sink,
      {.num_streams = 2, .segment_samples = 1}, {.stop = stop.get_token()});

  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(num_asked, 11 + 3);
}

// The first segments that are sent meet a version that is not served any more;
// from then on there is another.
class ReplacedVersionTest : public ::testing::Test {
 protected:
  ReplacedVersionTest() { server_.Serve(1); }

  grpc::Status Answer(FakeServer::PredictStream* stream) {
    if (stream == nullptr) return grpc::Status::OK;
    if (num_refusals_-- <= 0) return AnswerGroup(*stream);
    server_.Serve(2);
    return {refusal_, "version 1 is not to be served"};
  }

  absl::Status Predict() {
    return PredictLargeGroup(server_.NewClient(), request_, reader_, sink_,
                             {.num_streams = 1, .segment_samples = 4});
  }

  grpc::StatusCode refusal_ = grpc::StatusCode::NOT_FOUND;
  int num_refusals_ = 1;  // There is one stream at a time.
  FakeServer server_{
      [this](int, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        return Answer(stream);
      }};
  GroupRequest request_ = {.group = "g"};
  ChunkReader reader_{ChunksOf(server::RandomSamples(10), 2)};
  CollectingSink sink_;
};

TEST_F(ReplacedVersionTest, TheGroupIsRoutedAgainAndHasOneVersion) {
  const absl::Status status = Predict();

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(sink_.restarts, SizeIs(1));
  EXPECT_EQ(sink_.result.order, "rpe");
  EXPECT_EQ(sink_.result.routing.version(), 2);
  EXPECT_THAT(sink_.result.labels, SizeIs(10));
}

TEST_F(ReplacedVersionTest, SoItIsIfTheVersionIsStillBeingUnloaded) {
  refusal_ = grpc::StatusCode::UNAVAILABLE;
  num_refusals_ = server_.options().retry.max_attempts;

  const absl::Status status = Predict();

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(sink_.result.order, "rpe");
  EXPECT_EQ(sink_.result.routing.version(), 2);
}

TEST_F(ReplacedVersionTest, AVersionThatTheCallerNamesIsNotReplaced) {
  request_.options.mutable_model()->set_version(1);

  EXPECT_TRUE(absl::IsNotFound(Predict()));

  EXPECT_THAT(sink_.restarts, SizeIs(0));
}

TEST_F(ReplacedVersionTest, AFileThatIsNotFoundIsNoVersion) {
  int num_asked = 0;
  ChunkReader reader(ChunksOf(server::RandomSamples(10), 2), [&](size_t) {
    // While the samples are read for the second time.
    return ++num_asked == 8 ? absl::NotFoundError("no such file")
                            : absl::OkStatus();
  });
  num_refusals_ = 0;

  EXPECT_EQ(PredictLargeGroup(server_.NewClient(), request_, reader, sink_),
            absl::NotFoundError("no such file"));

  EXPECT_THAT(sink_.restarts, SizeIs(0));
}

TEST_F(ReplacedVersionTest, TheRoutingHasTheNamesOfClassesThatSegmentsTell) {
  const FakeServer naming(
      [](int, grpc::ServerContext&, FakeServer::PredictStream* stream) {
        if (stream == nullptr) return grpc::Status::OK;
        return AnswerGroup(*stream, /*num_missing=*/0,
                           [](v1::PredictDomainResponse& answer) {
                             if (answer.has_routing()) {
                               answer.mutable_routing()->add_classes("heron");
                             }
                           });
      });
  request_.options.mutable_outputs()->set_class_names(true);

  const absl::Status status =
      PredictLargeGroup(naming.NewClient(), request_, reader_, sink_);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(sink_.result.order, "rpe");
  ASSERT_EQ(sink_.result.routing.classes_size(), 1);
  EXPECT_EQ(sink_.result.routing.classes(0), "heron");
}

}  // namespace
}  // namespace ladder::client
