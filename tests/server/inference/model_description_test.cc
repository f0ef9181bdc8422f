#include "server/inference/model_description.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelDescription Description(const ModelSignature& signature) {
  return {.name = "animals",
          .versions = {3, 12},
          .signature = signature,
          .batch_sizes = {1, 8},
          .max_batch_delay = absl::Microseconds(250),
          .instances = 2};
}

TEST(ModelDescriptionTest, MetadataHasTheBatchDimensionFirst) {
  const auto metadata = DescribeMetadata(Description(TensorModel()));

  EXPECT_EQ(metadata.name(), "animals");
  EXPECT_EQ(metadata.platform(), "ladder");
  EXPECT_THAT(metadata.versions(), ElementsAre("3", "12"));
  ASSERT_EQ(metadata.inputs_size(), 2);
  EXPECT_EQ(metadata.inputs(0).name(), "x");
  EXPECT_EQ(metadata.inputs(0).datatype(), "FP32");
  EXPECT_THAT(metadata.inputs(0).shape(), ElementsAre(-1, 2, 3));
  EXPECT_EQ(metadata.inputs(1).name(), "group");
  EXPECT_EQ(metadata.inputs(1).datatype(), "BYTES");
  EXPECT_THAT(metadata.inputs(1).shape(), ElementsAre(-1, 1));
  ASSERT_EQ(metadata.outputs_size(), 5);
  EXPECT_EQ(metadata.outputs(0).name(), "probabilities");
  EXPECT_EQ(metadata.outputs(0).datatype(), "FP32");
  EXPECT_THAT(metadata.outputs(0).shape(), ElementsAre(-1, 3));
  EXPECT_EQ(metadata.outputs(1).name(), "logits");
  EXPECT_EQ(metadata.outputs(2).name(), "label");
  EXPECT_EQ(metadata.outputs(2).datatype(), "INT64");
  EXPECT_THAT(metadata.outputs(2).shape(), ElementsAre(-1));
  EXPECT_EQ(metadata.outputs(3).name(), "weights");
  EXPECT_THAT(metadata.outputs(3).shape(), ElementsAre(-1, 2));
  EXPECT_EQ(metadata.outputs(4).name(), "distances");
  EXPECT_THAT(metadata.outputs(4).shape(), ElementsAre(-1, 2));
}

TEST(ModelDescriptionTest, ImageModelsTakeFiles) {
  const auto metadata = DescribeMetadata(Description(ImageModel()));

  EXPECT_EQ(metadata.inputs(0).datatype(), "BYTES");
  EXPECT_THAT(metadata.inputs(0).shape(), ElementsAre(-1, 1));
}

TEST(ModelDescriptionTest, ConfigLeavesTheBatchDimensionOut) {
  const auto response = DescribeConfig(Description(TensorModel()));

  const inference::ModelConfig& config = response.config();
  EXPECT_EQ(config.name(), "animals");
  EXPECT_EQ(config.platform(), "ladder");
  EXPECT_EQ(config.backend(), "ladder");
  EXPECT_EQ(config.max_batch_size(), 4);
  ASSERT_EQ(config.input_size(), 2);
  EXPECT_EQ(config.input(0).name(), "x");
  EXPECT_EQ(config.input(0).data_type(), inference::TYPE_FP32);
  EXPECT_THAT(config.input(0).dims(), ElementsAre(2, 3));
  EXPECT_FALSE(config.input(0).optional());
  EXPECT_EQ(config.input(1).name(), "group");
  EXPECT_EQ(config.input(1).data_type(), inference::TYPE_STRING);
  EXPECT_TRUE(config.input(1).optional());
  ASSERT_EQ(config.output_size(), 5);
  EXPECT_EQ(config.output(2).name(), "label");
  EXPECT_EQ(config.output(2).data_type(), inference::TYPE_INT64);
  EXPECT_THAT(config.output(2).dims(), IsEmpty());
  EXPECT_EQ(config.output(4).name(), "distances");
  EXPECT_EQ(config.output(4).data_type(), inference::TYPE_FP32);
  EXPECT_THAT(config.output(4).dims(), ElementsAre(2));
}

TEST(ModelDescriptionTest, ConfigSaysHowTheModelIsServed) {
  const auto response = DescribeConfig(Description(TensorModel()));

  const inference::ModelConfig& config = response.config();
  EXPECT_THAT(config.version_policy().specific().versions(),
              ElementsAre(3, 12));
  EXPECT_THAT(config.dynamic_batching().preferred_batch_size(),
              ElementsAre(1, 8));
  EXPECT_EQ(config.dynamic_batching().max_queue_delay_microseconds(), 250);
  ASSERT_EQ(config.instance_group_size(), 1);
  EXPECT_EQ(config.instance_group(0).count(), 2);
  EXPECT_EQ(config.instance_group(0).kind(),
            inference::ModelInstanceGroup::KIND_CPU);
  EXPECT_THAT(config.instance_group(0).gpus(), IsEmpty());
}

TEST(ModelDescriptionTest, ConfigNamesTheGpu) {
  ModelDescription description = Description(TensorModel());
  description.gpu = 1;

  const auto response = DescribeConfig(description);

  const auto& group = response.config().instance_group(0);
  EXPECT_EQ(group.kind(), inference::ModelInstanceGroup::KIND_GPU);
  EXPECT_THAT(group.gpus(), ElementsAre(1));
}

TEST(ModelDescriptionTest, ConfigNamesClassesAndSources) {
  ModelSignature signature = TensorModel();
  signature.sources = {"a,b", "\"c\""};

  const auto response = DescribeConfig(Description(signature));

  const auto& parameters = response.config().parameters();
  EXPECT_EQ(nlohmann::json::parse(parameters.at("classes").string_value()),
            nlohmann::json({"cat", "dog", "owl"}));
  EXPECT_EQ(nlohmann::json::parse(parameters.at("sources").string_value()),
            nlohmann::json({"a,b", "\"c\""}));
}

TEST(ModelDescriptionTest, ConfigIsTextWhateverNamesHold) {
  ModelSignature signature = TensorModel();
  signature.classes = {"\xFF"};

  const auto response = DescribeConfig(Description(signature));

  EXPECT_EQ(response.config().parameters().at("classes").string_value(),
            "[\"\xEF\xBF\xBD\"]");
}

}  // namespace
}  // namespace ladder::server
