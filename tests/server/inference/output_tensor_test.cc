#include "server/inference/output_tensor.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

inference::InferParameter& AddOutput(inference::ModelInferRequest& request,
                                     const std::string& name,
                                     const std::string& parameter) {
  auto& output = *request.add_outputs();
  output.set_name(name);
  return (*output.mutable_parameters())[parameter];
}

std::string ErrorOf(const inference::ModelInferRequest& request) {
  const auto outputs = ParseWantedOutputs(request, TensorModel());
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(outputs.status().message());
}

TEST(OutputTensorTest, GivesTheUsualOutputsToWhoNamesNone) {
  const auto outputs = ParseWantedOutputs({}, TensorModel());

  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT(*outputs, ElementsAre(WantedOutput{Output::kProbabilities, 0},
                                    WantedOutput{Output::kLabel, 0},
                                    WantedOutput{Output::kWeights, 0}));
}

TEST(OutputTensorTest, KeepsTheOrderOfTheRequest) {
  inference::ModelInferRequest request;
  for (const char* const name :
       {"distances", "label", "logits", "weights", "probabilities"}) {
    request.add_outputs()->set_name(name);
  }

  const auto outputs = ParseWantedOutputs(request, TensorModel());

  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT(*outputs, ElementsAre(WantedOutput{Output::kDistances, 0},
                                    WantedOutput{Output::kLabel, 0},
                                    WantedOutput{Output::kLogits, 0},
                                    WantedOutput{Output::kWeights, 0},
                                    WantedOutput{Output::kProbabilities, 0}));
}

TEST(OutputTensorTest, RanksAtMostAsManyColumnsAsThereAre) {
  inference::ModelInferRequest request;
  AddOutput(request, "probabilities", "classification").set_int64_param(2);
  AddOutput(request, "logits", "classification").set_int64_param(INT64_MAX);
  AddOutput(request, "weights", "classification").set_int64_param(3);

  const auto outputs = ParseWantedOutputs(request, TensorModel());

  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT(*outputs, ElementsAre(WantedOutput{Output::kProbabilities, 2},
                                    WantedOutput{Output::kLogits, 3},
                                    WantedOutput{Output::kWeights, 2}));
}

TEST(OutputTensorTest, RejectsUnknownOutputs) {
  inference::ModelInferRequest request;
  request.add_outputs()->set_name("probs");

  EXPECT_THAT(ErrorOf(request),
              HasSubstr("outputs: expected probabilities, logits, label, "
                        "weights, distances, got \"probs\""));
}

TEST(OutputTensorTest, RejectsAnOutputAskedForTwice) {
  inference::ModelInferRequest request;
  for (int i = 0; i < 100000; ++i) request.add_outputs()->set_name("label");

  EXPECT_THAT(ErrorOf(request),
              HasSubstr("expected each at most once, got label twice"));
}

TEST(OutputTensorTest, RanksOnlyWhereHighestIsBest) {
  for (const char* const name : {"label", "distances"}) {
    inference::ModelInferRequest request;
    AddOutput(request, name, "classification").set_int64_param(1);

    EXPECT_THAT(ErrorOf(request),
                HasSubstr("parameter classification: expected with "
                          "probabilities, logits or weights only"));
  }
}

TEST(OutputTensorTest, RejectsARankingOfNothing) {
  for (const int64_t count : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    inference::ModelInferRequest request;
    AddOutput(request, "logits", "classification").set_int64_param(count);

    EXPECT_THAT(ErrorOf(request),
                HasSubstr("output logits: parameter classification: expected "
                          "an integer of at least 1, got "));
  }
}

TEST(OutputTensorTest, RejectsUnknownParameters) {
  inference::ModelInferRequest request;
  AddOutput(request, "logits", "top").set_int64_param(1);

  EXPECT_THAT(ErrorOf(request),
              HasSubstr("output logits: unknown parameter \"top\""));
}

}  // namespace
}  // namespace ladder::server
