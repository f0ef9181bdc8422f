#include "model_store/format/onnx_check.h"

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kDynamic = OnnxValue::kDynamic;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void AddValue(
    const std::string& name, const std::vector<int64_t>& shape,
    google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>* values) {
  onnx::ValueInfoProto& value = *values->Add();
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
  for (const int64_t size : shape) {
    auto& dimension = *type.mutable_shape()->add_dim();
    if (size != kDynamic) dimension.set_dim_value(size);
  }
}

onnx::TensorProto FloatTensor(const std::string& name,
                              const std::vector<float>& values) {
  onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

void MakeExternal(onnx::TensorProto& tensor) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("../weights.bin");
}

// A model with one input, one output and one initialiser, to be spoilt.
class OnnxCheckTest : public ::testing::Test {
 protected:
  OnnxCheckTest() {
    model_.set_ir_version(8);
    AddValue("x", {kDynamic, 6}, Graph().mutable_input());
    AddValue("y", {kDynamic, 4}, Graph().mutable_output());
    *Graph().add_initializer() = FloatTensor("w", {1, 2, 3});
    Graph().add_node()->set_op_type("MatMul");
  }

  onnx::GraphProto& Graph() { return *model_.mutable_graph(); }
  onnx::TypeProto::Tensor& InputType() {
    return *Graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
  }
  onnx::TypeProto::Tensor& OutputType() {
    return *Graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  }
  onnx::AttributeProto& Attribute() {
    return *Graph().mutable_node(0)->add_attribute();
  }

  absl::Status Check() const {
    const std::string bytes = model_.SerializeAsString();
    return CheckOnnxModel(std::as_bytes(std::span(bytes)), "encoder.onnx",
                          signature_);
  }
  std::string Error() const {
    const absl::Status status = Check();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  const OnnxSignature signature_ = {
      .inputs = {{.name = "x", .shape = {kDynamic, 6}}},
      .outputs = {{.name = "y", .shape = {kDynamic, 4}}}};
  onnx::ModelProto model_;
};

TEST_F(OnnxCheckTest, AcceptsAModelWithTheSignature) {
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(OnnxCheckTest, AcceptsNamedDynamicDimensions) {
  InputType().mutable_shape()->mutable_dim(0)->set_dim_param("batch");
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(OnnxCheckTest, TakesInitialisersAmongTheInputsForNoInputs) {
  AddValue("w", {3}, Graph().mutable_input());
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(OnnxCheckTest, RejectsBytesThatAreNoModel) {
  for (const std::string& bytes :
       {std::string(), std::string("not a model"), std::string(100, '\xff')}) {
    const absl::Status status = CheckOnnxModel(std::as_bytes(std::span(bytes)),
                                               "encoder.onnx", signature_);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(),
                HasSubstr("encoder.onnx: expected an ONNX model"));
  }
}

TEST_F(OnnxCheckTest, RejectsATruncatedModel) {
  const std::string bytes = model_.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<char> cut(bytes.begin(), bytes.begin() + size);
    EXPECT_FALSE(
        CheckOnnxModel(std::as_bytes(std::span(cut)), "m", signature_).ok())
        << size;
  }
}

TEST_F(OnnxCheckTest, NamesMissingInputsAndOutputs) {
  Graph().mutable_input(0)->set_name("w");  // Now an initialiser's name.
  EXPECT_EQ(Error(),
            "encoder.onnx: input \"x\": expected float32 [dynamic, 6], found "
            "none");
  Graph().mutable_input(0)->set_name("x");
  Graph().clear_output();
  EXPECT_EQ(Error(),
            "encoder.onnx: output \"y\": expected float32 [dynamic, 4], found "
            "none");
}

TEST_F(OnnxCheckTest, NamesUnexpectedInputsAndOutputs) {
  AddValue("z", {7}, Graph().mutable_output());
  EXPECT_EQ(Error(),
            "encoder.onnx: output \"z\": expected no such output, found "
            "float32 [7]");
  AddValue("mask", {}, Graph().mutable_input());
  EXPECT_EQ(Error(),
            "encoder.onnx: input \"mask\": expected no such input, found "
            "float32 []");
}

TEST_F(OnnxCheckTest, RejectsAnInputThatComesTwice) {
  AddValue("x", {kDynamic, 6}, Graph().mutable_input());
  EXPECT_THAT(Error(), HasSubstr("input \"x\": expected it once"));
}

TEST_F(OnnxCheckTest, RejectsOtherElementTypes) {
  InputType().set_elem_type(onnx::TensorProto::DOUBLE);
  EXPECT_THAT(Error(), HasSubstr("found element type DOUBLE [dynamic, 6]"));
  InputType().set_elem_type(1234);
  EXPECT_THAT(Error(), HasSubstr("found element type 1234 [dynamic, 6]"));
}

TEST_F(OnnxCheckTest, RejectsInputsThatAreNoTensors) {
  Graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_THAT(Error(), HasSubstr("found something else than a tensor"));
}

TEST_F(OnnxCheckTest, RejectsOtherRanks) {
  InputType().mutable_shape()->add_dim()->set_dim_value(1);
  EXPECT_THAT(Error(), HasSubstr("found float32 [dynamic, 6, 1]"));
  InputType().clear_shape();
  EXPECT_THAT(Error(), HasSubstr("found float32 without shape"));
}

TEST_F(OnnxCheckTest, RejectsOtherSizes) {
  OutputType().mutable_shape()->mutable_dim(1)->set_dim_value(5);
  EXPECT_EQ(Error(),
            "encoder.onnx: output \"y\": expected float32 [dynamic, 4], found "
            "float32 [dynamic, 5]");
}

TEST_F(OnnxCheckTest, RejectsAFixedBatch) {
  InputType().mutable_shape()->mutable_dim(0)->set_dim_value(32);
  EXPECT_THAT(Error(), HasSubstr("found float32 [32, 6]"));
}

TEST_F(OnnxCheckTest, RejectsASymbolWhereASizeIsExpected) {
  OutputType().mutable_shape()->mutable_dim(1)->set_dim_param("classes");
  EXPECT_THAT(Error(), HasSubstr("found float32 [dynamic, classes]"));
}

TEST_F(OnnxCheckTest, RejectsExternalInitialisers) {
  MakeExternal(*Graph().mutable_initializer(0));
  EXPECT_EQ(Error(),
            "encoder.onnx: tensor \"w\": expected its data inside the model, "
            "found external data in \"../weights.bin\"");
}

TEST_F(OnnxCheckTest, RejectsExternalDataWithoutTheFlag) {
  Graph().mutable_initializer(0)->add_external_data()->set_key("offset");
  EXPECT_THAT(Error(), HasSubstr("found external data in an unnamed file"));
}

TEST_F(OnnxCheckTest, RejectsExternalSparseInitialisers) {
  auto& sparse = *Graph().add_sparse_initializer();
  sparse.mutable_values()->set_name("values");
  sparse.mutable_indices()->set_name("indices");
  MakeExternal(*sparse.mutable_indices());
  EXPECT_THAT(Error(), HasSubstr("tensor \"indices\": expected its data"));
}

TEST_F(OnnxCheckTest, RejectsExternalTensorsInAttributes) {
  onnx::AttributeProto& attribute = Attribute();
  const std::pair<const char*, onnx::TensorProto*> tensors[] = {
      {"t", attribute.mutable_t()},
      {"tensors", attribute.add_tensors()},
      {"sparse", attribute.mutable_sparse_tensor()->mutable_values()},
      {"sparses", attribute.add_sparse_tensors()->mutable_values()}};
  for (const auto& [name, tensor] : tensors) {
    tensor->set_name(name);
    MakeExternal(*tensor);
    EXPECT_THAT(Error(), HasSubstr(std::string("tensor \"") + name + "\""));
    tensor->Clear();
  }
}

TEST_F(OnnxCheckTest, RejectsExternalTensorsInSubgraphs) {
  onnx::TensorProto& tensor = *Attribute()
                                   .mutable_g()
                                   ->add_node()
                                   ->add_attribute()
                                   ->add_graphs()
                                   ->add_initializer();
  tensor.set_name("deep");
  EXPECT_TRUE(Check().ok()) << Check();
  MakeExternal(tensor);
  EXPECT_THAT(Error(), HasSubstr("tensor \"deep\""));
}

TEST_F(OnnxCheckTest, RejectsExternalTensorsInFunctions) {
  auto& tensor =
      *model_.add_functions()->add_node()->add_attribute()->mutable_t();
  tensor.set_name("inside");
  MakeExternal(tensor);
  EXPECT_THAT(Error(), HasSubstr("tensor \"inside\""));
}

TEST_F(OnnxCheckTest, RejectsExternalTensorsInTrainingGraphs) {
  auto& training = *model_.add_training_info();
  for (onnx::GraphProto* graph :
       {training.mutable_initialization(), training.mutable_algorithm()}) {
    MakeExternal(*graph->add_initializer());
    EXPECT_THAT(Error(), HasSubstr("expected its data inside"));
    graph->Clear();
  }
}

TEST_F(OnnxCheckTest, RejectsNodesThatRunOtherFiles) {
  auto& node = *Graph().add_node();
  node.set_name("compiled");
  node.set_op_type("EPContext");
  node.set_domain("com.microsoft");
  EXPECT_THAT(Error(), HasSubstr("encoder.onnx: node \"compiled\": expected"));
}

TEST_F(OnnxCheckTest, RejectsDeepSubgraphs) {
  onnx::GraphProto* graph = &Graph();
  for (int depth = 1; depth < 16; ++depth) {
    graph = graph->add_node()->add_attribute()->mutable_g();
  }
  EXPECT_TRUE(Check().ok()) << Check();
  graph->add_node()->add_attribute()->mutable_g()->set_name("deepest");
  EXPECT_THAT(Error(), HasSubstr("graph \"deepest\": expected at most 16"));
}

TEST_F(OnnxCheckTest, RejectsAbsurdlyDeepSubgraphs) {
  onnx::GraphProto* graph = &Graph();
  for (int depth = 0; depth < 1000; ++depth) {
    graph = graph->add_node()->add_attribute()->mutable_g();
  }
  EXPECT_FALSE(Check().ok());
}

TEST_F(OnnxCheckTest, RejectsNonFiniteInitialisers) {
  std::vector<float> values(2000, 1.0F);  // More than one block of the search.
  values[1234] = kNan;
  *Graph().mutable_initializer(0) = FloatTensor("w", values);
  EXPECT_EQ(Error(),
            "encoder.onnx: tensor \"w\": expected finite values, found a NaN "
            "or infinity at index 1234");
  values[3] = -std::numeric_limits<float>::infinity();
  *Graph().mutable_initializer(0) = FloatTensor("w", values);
  EXPECT_THAT(Error(), HasSubstr("at index 3"));
}

TEST_F(OnnxCheckTest, AcceptsExtremeButFiniteInitialisers) {
  *Graph().mutable_initializer(0) =
      FloatTensor("w", {std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::lowest(),
                        std::numeric_limits<float>::denorm_min(), -0.0F});
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(OnnxCheckTest, FindsNonFiniteValuesInEveryFloatType) {
  onnx::TensorProto& tensor = *Graph().mutable_initializer(0);
  const auto expect_error_at_one = [&] {
    EXPECT_THAT(Error(), HasSubstr("infinity at index 1"));
    tensor.Clear();
  };
  tensor.Clear();
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_float_data(1);
  tensor.add_float_data(kNan);
  expect_error_at_one();

  tensor.set_data_type(onnx::TensorProto::DOUBLE);
  tensor.add_double_data(1);
  tensor.add_double_data(std::numeric_limits<double>::infinity());
  expect_error_at_one();

  const std::vector<double> doubles = {1, double{kNan}};
  tensor.set_data_type(onnx::TensorProto::DOUBLE);
  tensor.set_raw_data(doubles.data(), 2 * sizeof(double));
  expect_error_at_one();

  tensor.set_data_type(onnx::TensorProto::FLOAT16);
  tensor.set_raw_data(std::string("\x00\x3c\x00\x7c", 4));  // 1, infinity.
  expect_error_at_one();

  tensor.set_data_type(onnx::TensorProto::BFLOAT16);
  tensor.add_int32_data(0x3f80);
  tensor.add_int32_data(0xff80);
  expect_error_at_one();
}

TEST_F(OnnxCheckTest, DoesNotTakeIntegersForFloats) {
  onnx::TensorProto& tensor = *Graph().mutable_initializer(0);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.set_raw_data(std::string(8, '\xff'));
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(OnnxCheckTest, RejectsNonFiniteInitialisersOfSubgraphs) {
  *Attribute().mutable_g()->add_initializer() = FloatTensor("deep", {kNan});
  EXPECT_THAT(Error(), HasSubstr("tensor \"deep\": expected finite values"));
}

TEST_F(OnnxCheckTest, RejectsNonFiniteSparseInitialisers) {
  *Graph().add_sparse_initializer()->mutable_values() =
      FloatTensor("sparse", {0, kNan});
  EXPECT_THAT(Error(), HasSubstr("tensor \"sparse\": expected finite values"));
}

TEST_F(OnnxCheckTest, SurvivesAnyMutation) {
  const std::string original = TinyBundle().heads;
  std::mt19937_64 random(1);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<char> bytes(original.begin(), original.end());
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const absl::Status status =
        CheckOnnxModel(std::as_bytes(std::span(bytes)), "m", signature_);
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(OnnxSignatureTest, FollowsTheManifest) {
  Manifest manifest;
  manifest.classes = {"a", "b", "c"};
  manifest.sources.resize(2);
  manifest.content_dimension = 5;
  manifest.style_dimension = 4;
  manifest.input = ImageInput{.height = 8, .width = 9};

  const OnnxSignature encoder = EncoderSignature(manifest);
  const OnnxSignature heads = HeadsSignature(manifest);
  const OnnxSignature router = RouterSignature(manifest);

  const auto is = [](std::string name, std::vector<int64_t> shape) {
    return ::testing::AllOf(::testing::Field(&OnnxValue::name, name),
                            ::testing::Field(&OnnxValue::shape, shape));
  };
  EXPECT_THAT(encoder.inputs, ElementsAre(is("x", {kDynamic, 3, 8, 9})));
  EXPECT_THAT(encoder.outputs,
              ElementsAre(is("z_c", {kDynamic, 5}), is("z_s", {kDynamic, 4}),
                          is("gate", {kDynamic, 2})));
  EXPECT_THAT(heads.inputs, ElementsAre(is("z_c", {kDynamic, 5}),
                                        is("weights", {kDynamic, 2})));
  EXPECT_THAT(heads.outputs, ElementsAre(is("logits", {kDynamic, 3})));
  EXPECT_THAT(router.inputs, ElementsAre(is("z_s", {kDynamic, 4})));
  EXPECT_THAT(router.outputs, ElementsAre(is("distances", {2})));
}

}  // namespace
}  // namespace ladder::model_store
