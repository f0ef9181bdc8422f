// One group, with a real server.

#include "ladder/client/predict_group.h"

#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/library/group_io.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

using ::testing::DoubleNear;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

class PredictGroupTest : public ::testing::Test {
 protected:
  server::TestServer server_;
  const Client client_ =
      Client::Open({.address = absl::StrCat("127.0.0.1:",
                                            server_.server().ports().grpc)})
          .value();
};

TEST_F(PredictGroupTest, AGroupGetsItsRoutingAndPredictions) {
  const std::vector<float> x = server::RandomSamples(30);
  const model_store::ModelHandle model = server::TensorModel();
  const server::DirectAnswer direct =
      server::AskDirectly(*model, x, 30, server::DefaultQuestion(*model));
  ChunkReader reader(ChunksOf(x, 7));
  CollectingSink sink;
  GroupRequest request = {.group = "g"};
  request.options.mutable_outputs()->set_probabilities(true);

  const absl::Status status = PredictGroup(client_, request, reader, sink);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(sink.result.order, "rpe");
  EXPECT_THAT(sink.result.weights(),
              Pointwise(DoubleNear(1e-5), direct.routing.weights));
  EXPECT_THAT(sink.result.probabilities,
              Pointwise(FloatNear(1e-5F), direct.probabilities));
  std::vector<uint64_t> all(30);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sink.result.indices, all);
}

TEST_F(PredictGroupTest, TheServersWordsComeBack) {
  ChunkReader reader(ChunksOf(server::RandomSamples(3), 3));
  CollectingSink sink;
  GroupRequest request = {.group = "g"};
  request.options.mutable_routing()->set_k(99);

  const absl::Status status = PredictGroup(client_, request, reader, sink);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("group \"g\""));
}

TEST_F(PredictGroupTest, RoutingAnswersEveryQuestion) {
  ChunkReader reader(ChunksOf(server::RandomSamples(20), 6));
  v1::RouteDomainRequest request;
  request.set_group("g");
  request.add_questions();
  request.add_questions()->mutable_routing()->set_method(v1::METHOD_UNIFORM);

  const auto response = client_.Route(request, reader);

  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->routings_size(), 2);
  EXPECT_EQ(response->routings(0).num_samples(), 20);
  EXPECT_EQ(response->routings(1).method(), v1::METHOD_UNIFORM);
}

TEST_F(PredictGroupTest, QuestionsArriveEvenWithoutSamples) {
  ChunkReader reader({});
  v1::RouteDomainRequest request;
  request.add_questions()->mutable_model()->set_name("unknown");

  EXPECT_TRUE(absl::IsNotFound(client_.Route(request, reader).status()));
}

TEST_F(PredictGroupTest, ModelsAndHealthCanBeAskedFor) {
  v1::ModelRef model;
  model.set_name("tiny");

  EXPECT_EQ(client_.ListModels()->models(0).name(), "tiny");
  EXPECT_EQ(client_.GetModel(model)->classes_size(), 4);
  EXPECT_TRUE(
      server::Eventually([this] { return client_.CheckHealth("").ok(); }));
  EXPECT_TRUE(client_.CheckHealth("ladder.v1.DomainRouting").ok());
  EXPECT_TRUE(absl::IsNotFound(client_.CheckHealth("unknown")));
  EXPECT_EQ(client_.ReloadModel({}).status().code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace ladder::client
