#include "server/inference/infer_response.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::inference::ModelInferResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Two rows of results, three classes, two sources.
class InferResponseTest : public ::testing::Test {
 protected:
  InferResults Results() const {
    return {.version = 7,
            .probabilities = {probabilities_.data(), 2, 3},
            .logits = {logits_.data(), 2, 3},
            .labels = labels_,
            .weights = {weights_.data(), 2, 2},
            .distances = {distances_.data(), 2, 2}};
  }

  ModelInferResponse Write(const std::vector<WantedOutput>& outputs) const {
    const InferRequest request{
        .model = "m", .id = "id-1", .num_rows = 2, .outputs = outputs};
    ModelInferResponse response;
    const absl::Status status =
        WriteInferResponse(request, TensorModel(), Results(), response);
    EXPECT_TRUE(status.ok()) << status;
    return response;
  }

  std::vector<float> probabilities_ = {0.5f, 0.25f, 0.25f, 0, 1, 0};
  std::vector<float> logits_ = {3, -1, 2.5f, kNaN, -7, kNaN};
  std::vector<int64_t> labels_ = {0, 1};
  std::vector<float> weights_ = {0.75f, 0.25f, 0.1f, 0.9f};
  std::vector<float> distances_ = {1.5f, 2, kNaN, kNaN};
};

TEST_F(InferResponseTest, WritesEveryOutputInTheOrderOfTheRequest) {
  const ModelInferResponse response = Write({{Output::kWeights},
                                             {Output::kLabel},
                                             {Output::kProbabilities},
                                             {Output::kLogits},
                                             {Output::kDistances}});

  EXPECT_EQ(response.model_name(), "m");
  EXPECT_EQ(response.model_version(), "7");
  EXPECT_EQ(response.id(), "id-1");
  ASSERT_EQ(response.outputs_size(), 5);
  ASSERT_EQ(response.raw_output_contents_size(), 5);
  EXPECT_EQ(response.outputs(0).name(), "weights");
  EXPECT_EQ(response.outputs(0).datatype(), "FP32");
  EXPECT_THAT(response.outputs(0).shape(), ElementsAre(2, 2));
  EXPECT_EQ(response.raw_output_contents(0), RawFloats(weights_));
  EXPECT_EQ(response.outputs(1).name(), "label");
  EXPECT_EQ(response.outputs(1).datatype(), "INT64");
  EXPECT_THAT(response.outputs(1).shape(), ElementsAre(2));
  EXPECT_EQ(response.raw_output_contents(1),
            std::string("\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(response.outputs(2).name(), "probabilities");
  EXPECT_THAT(response.outputs(2).shape(), ElementsAre(2, 3));
  EXPECT_EQ(response.raw_output_contents(2), RawFloats(probabilities_));
  EXPECT_EQ(response.outputs(3).name(), "logits");
  EXPECT_EQ(response.raw_output_contents(3), RawFloats(logits_));
  EXPECT_EQ(response.outputs(4).name(), "distances");
  EXPECT_THAT(response.outputs(4).shape(), ElementsAre(2, 2));
  EXPECT_EQ(response.raw_output_contents(4), RawFloats(distances_));
}

TEST_F(InferResponseTest, RanksClassesWithTheirNames) {
  const ModelInferResponse response = Write({{Output::kProbabilities, 2}});

  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).datatype(), "BYTES");
  EXPECT_THAT(response.outputs(0).shape(), ElementsAre(2, 2));
  EXPECT_EQ(response.raw_output_contents(0),
            RawBytes({"0.500000:0:cat", "0.250000:1:dog", "1.000000:1:dog",
                      "0.000000:0:cat"}));
}

TEST_F(InferResponseTest, RanksSourcesWithTheirNames) {
  const ModelInferResponse response = Write({{Output::kWeights, 1}});

  EXPECT_EQ(response.raw_output_contents(0),
            RawBytes({"0.750000:0:north", "0.900000:1:south"}));
}

TEST_F(InferResponseTest, RanksNumbersBeforeWhatIsNone) {
  const ModelInferResponse response = Write({{Output::kLogits, 3}});

  EXPECT_EQ(response.raw_output_contents(0),
            RawBytes({"3.000000:0:cat", "2.500000:2:owl", "-1.000000:1:dog",
                      "-7.000000:1:dog", "nan:0:cat", "nan:2:owl"}));
}

TEST_F(InferResponseTest, SaysWhichResultsDoNotFit) {
  const auto error_of = [](Output output, const InferResults& results) {
    const InferRequest request{.num_rows = 2, .outputs = {{output}}};
    ModelInferResponse response;
    const absl::Status status =
        WriteInferResponse(request, TensorModel(), results, response);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    return std::string(status.message());
  };
  InferResults wide = Results();
  wide.weights.cols = 3;
  InferResults missing = Results();
  missing.distances = {};
  InferResults short_one = Results();
  short_one.labels = short_one.labels.first(1);

  EXPECT_THAT(error_of(Output::kWeights, wide),
              HasSubstr("output weights: expected 2 rows of 2, got 2 of 3"));
  EXPECT_THAT(error_of(Output::kDistances, missing),
              HasSubstr("output distances: expected 2 rows of 2, got 0 of 0"));
  EXPECT_THAT(error_of(Output::kLabel, short_one),
              HasSubstr("output label: expected 2 rows of 1, got 1 of 1"));
}

}  // namespace
}  // namespace ladder::server
