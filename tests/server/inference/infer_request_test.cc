#include "server/inference/infer_request.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<std::string> Files(const InferRequest& request) {
  std::vector<std::string> files;
  for (const auto file : request.images) {
    files.emplace_back(reinterpret_cast<const char*>(file.data()), file.size());
  }
  return files;
}

TEST(InferRequestTest, ReadsRawTensorsWithoutCopyingThem) {
  inference::ModelInferRequest message = TwoTensors();
  message.set_model_version("stable");

  const auto request = ParseInferRequest(message, TensorModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->model, "m");
  EXPECT_EQ(request->version, "stable");
  EXPECT_EQ(request->id, "request-1");
  EXPECT_EQ(request->num_rows, 2);
  const std::span<const float> values = request->values;
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(static_cast<const void*>(values.data()),
            message.raw_input_contents(0).data());
}

TEST(InferRequestTest, ReadsTypedTensorsWithoutCopyingThem) {
  inference::ModelInferRequest message;
  auto& contents =
      *AddInput(message, "x", "FP32", {1, 2, 3}).mutable_contents();
  for (const float value : {5.f, 4.f, 3.f, 2.f, 1.f, 0.f}) {
    contents.add_fp32_contents(value);
  }

  const auto request = ParseInferRequest(message, TensorModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->num_rows, 1);
  const std::span<const float> values = request->values;
  EXPECT_THAT(values, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_EQ(values.data(), contents.fp32_contents().data());
}

TEST(InferRequestTest, ReadsTensorsShortEnoughToLieInsideTheirString) {
  ModelSignature model = TensorModel();
  model.sample_shape = {1};
  inference::ModelInferRequest message;
  AddInput(message, "x", "FP32", {1, 1});
  message.add_raw_input_contents(RawFloats({42}));

  const auto request = ParseInferRequest(message, model);

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->values, ElementsAre(42));
}

TEST(InferRequestTest, ReadsRawImages) {
  const inference::ModelInferRequest message = ThreeImages();

  const auto request = ParseInferRequest(message, ImageModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->num_rows, 3);
  EXPECT_THAT(Files(*request), ElementsAre("first", "", std::string("\0z", 2)));
}

TEST(InferRequestTest, ReadsTypedImagesAsAColumn) {
  inference::ModelInferRequest message;
  auto& input = AddInput(message, "x", "BYTES", {2, 1});
  input.mutable_contents()->add_bytes_contents("one");
  input.mutable_contents()->add_bytes_contents("two");

  const auto request = ParseInferRequest(message, ImageModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(Files(*request), ElementsAre("one", "two"));
}

TEST(InferRequestTest, ReadsReadyTensorsForAnImageModel) {
  inference::ModelInferRequest message;
  AddInput(message, "x", "FP32", {1, 3, 1, 2});
  message.add_raw_input_contents(RawFloats({0, 1, 2, 3, 4, 5}));

  const auto request = ParseInferRequest(message, ImageModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(InferRequestTest, NamesTheGroupOfEveryRow) {
  const inference::ModelInferRequest message =
      WithGroups(ThreeImages(), {"b", "", "b"});

  const auto request = ParseInferRequest(message, ImageModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->groups, ElementsAre("b", "", "b"));
}

TEST(InferRequestTest, TakesGroupsBeforeX) {
  inference::ModelInferRequest message;
  AddInput(message, "group", "BYTES", {1, 1});
  message.add_raw_input_contents(RawBytes({"a"}));
  AddInput(message, "x", "FP32", {1, 2, 3});
  message.add_raw_input_contents(RawFloats({0, 1, 2, 3, 4, 5}));

  const auto request = ParseInferRequest(message, TensorModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->groups, ElementsAre("a"));
  EXPECT_THAT(request->values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(InferRequestTest, PutsAllRowsIntoTheGroupOfTheParameter) {
  inference::ModelInferRequest message = TwoTensors();
  (*message.mutable_parameters())["group"].set_string_param("camera 7");

  const auto request = ParseInferRequest(message, TensorModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->groups, ElementsAre("camera 7", "camera 7"));
}

TEST(InferRequestTest, NamesAGroupLikeTheRequestIfNothingElseDoes) {
  const inference::ModelInferRequest named = TwoTensors();
  const inference::ModelInferRequest nameless = ThreeImages();

  const auto first = ParseInferRequest(named, TensorModel());
  const auto second = ParseInferRequest(nameless, ImageModel());

  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(first->groups, ElementsAre("request-1", "request-1"));
  EXPECT_EQ(second->groups.size(), 3);
  EXPECT_THAT(second->groups, Each(""));
}

TEST(InferRequestTest, CarriesRoutingAndOutputs) {
  inference::ModelInferRequest message = TwoTensors();
  (*message.mutable_parameters())["k"].set_string_param("all");
  message.add_outputs()->set_name("distances");

  const auto request = ParseInferRequest(message, TensorModel());

  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->routing.k, routing::kAllSources);
  EXPECT_THAT(request->outputs,
              ElementsAre(WantedOutput{Output::kDistances, 0}));
}

}  // namespace
}  // namespace ladder::server
