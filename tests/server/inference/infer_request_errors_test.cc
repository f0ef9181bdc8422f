#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/counter_rng.h"
#include "server/inference/infer_request.h"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::inference::ModelInferRequest;
using ::testing::HasSubstr;

std::string ErrorOf(const ModelInferRequest& message,
                    const ModelSignature& model = TensorModel()) {
  const auto request = ParseInferRequest(message, model);
  EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(request.status().message());
}

TEST(InferRequestErrorsTest, MissesX) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("inputs: expected x, which is missing"));

  ModelInferRequest only_group = WithGroups({}, {"a"});
  EXPECT_THAT(ErrorOf(only_group),
              HasSubstr("inputs: expected x, which is missing"));
}

TEST(InferRequestErrorsTest, RejectsUnknownInputs) {
  ModelInferRequest message;
  AddInput(message, "image", "FP32", {1, 2, 3});

  EXPECT_THAT(ErrorOf(message),
              HasSubstr("inputs: expected x or group, got \"image\""));
}

TEST(InferRequestErrorsTest, RejectsAnInputThatComesTwice) {
  ModelInferRequest message = TwoTensors();
  *message.add_inputs() = message.inputs(0);
  message.add_raw_input_contents(message.raw_input_contents(0));

  EXPECT_THAT(ErrorOf(message), HasSubstr("input x: expected once, got twice"));
}

TEST(InferRequestErrorsTest, RejectsTooManyInputs) {
  ModelInferRequest message;
  for (int i = 0; i < 100000; ++i) AddInput(message, "x", "FP32", {});

  EXPECT_THAT(ErrorOf(message),
              HasSubstr("inputs: expected at most 2, x and group, got 100000"));
}

TEST(InferRequestErrorsTest, RejectsOtherDatatypes) {
  for (const char* const datatype :
       {"FP16", "BF16", "FP64", "INT64", "UINT8", "BOOL", "fp32", ""}) {
    ModelInferRequest message = TwoTensors();
    message.mutable_inputs(0)->set_datatype(datatype);
    const std::string got = std::string(", got \"") + datatype + "\"";

    EXPECT_EQ(ErrorOf(message), "input x: datatype: expected FP32" + got);
    EXPECT_EQ(ErrorOf(message, ImageModel()),
              "input x: datatype: expected BYTES, one image file per row, or "
              "FP32" +
                  got);
  }
}

TEST(InferRequestErrorsTest, RejectsImagesForATensorModel) {
  EXPECT_THAT(ErrorOf(ThreeImages()),
              HasSubstr("input x: datatype: expected FP32, got \"BYTES\""));
}

TEST(InferRequestErrorsTest, NamesTheDimensionThatIsWrong) {
  ModelInferRequest message = TwoTensors();
  message.mutable_inputs(0)->set_shape(2, 7);

  EXPECT_THAT(ErrorOf(message),
              HasSubstr("input x: shape[2]: expected 3 of [-1,2,3], got 7"));
}

TEST(InferRequestErrorsTest, RejectsAnotherNumberOfDimensions) {
  ModelInferRequest flat = TwoTensors();
  flat.mutable_inputs(0)->mutable_shape()->Truncate(2);
  ModelInferRequest none = TwoTensors();
  none.mutable_inputs(0)->clear_shape();
  ModelInferRequest deep = ThreeImages();
  deep.mutable_inputs(0)->add_shape(1);
  deep.mutable_inputs(0)->add_shape(1);

  EXPECT_THAT(ErrorOf(flat),
              HasSubstr("input x: shape: expected [-1,2,3], got 2 dimensions"));
  EXPECT_THAT(ErrorOf(none),
              HasSubstr("input x: shape: expected [-1,2,3], got 0 dimensions"));
  EXPECT_THAT(ErrorOf(deep, ImageModel()),
              HasSubstr("input x: shape: expected [-1], got 3 dimensions"));
}

TEST(InferRequestErrorsTest, RejectsColumnsOfImages) {
  ModelInferRequest message = ThreeImages();
  message.mutable_inputs(0)->add_shape(2);

  EXPECT_THAT(ErrorOf(message, ImageModel()),
              HasSubstr("input x: shape[1]: expected 1 of [-1,1], got 2"));
}

TEST(InferRequestErrorsTest, RejectsNumbersOfRowsOutOfRange) {
  for (const int64_t rows : {int64_t{0}, int64_t{-1}, int64_t{5},
                             std::numeric_limits<int64_t>::min(),
                             std::numeric_limits<int64_t>::max()}) {
    ModelInferRequest tensors = TwoTensors();
    tensors.mutable_inputs(0)->set_shape(0, rows);
    ModelInferRequest images = ThreeImages();
    images.mutable_inputs(0)->set_shape(0, rows);
    const std::string expected =
        "input x: shape[0]: expected 1 to 4 rows (max_batch_size), got " +
        std::to_string(rows);

    EXPECT_EQ(ErrorOf(tensors), expected);
    EXPECT_EQ(ErrorOf(images, ImageModel()), expected);
  }
}

TEST(InferRequestErrorsTest, RejectsMoreElementsThanCanBeCounted) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ModelSignature model = TensorModel();
  model.max_rows = kMax;
  // 2^32 * 2^32 * 2 elements; then 2^61 * 2, whose bytes alone are too many.
  for (const int64_t rows : {int64_t{1} << 32, int64_t{1} << 61, kMax}) {
    model.sample_shape = {rows == int64_t{1} << 32 ? rows : 1, 2};
    ModelInferRequest message;
    AddInput(message, "x", "FP32", {rows, model.sample_shape[0], 2});
    message.add_raw_input_contents("");

    EXPECT_THAT(ErrorOf(message, model),
                HasSubstr("are more elements than can be counted"));
  }
}

TEST(InferRequestErrorsTest, RejectsRawContentsOfAnotherSize) {
  for (const size_t size : {0, 1, 44, 47, 49, 52, 96}) {
    ModelInferRequest message = TwoTensors();
    message.mutable_raw_input_contents(0)->resize(size);

    EXPECT_EQ(ErrorOf(message),
              "input x: raw_input_contents: expected 48 bytes, got " +
                  std::to_string(size));
  }
}

TEST(InferRequestErrorsTest, RejectsAnotherNumberOfRawContents) {
  ModelInferRequest more = TwoTensors();
  more.add_raw_input_contents("");
  ModelInferRequest fewer = WithGroups(TwoTensors(), {"a", "b"});
  fewer.mutable_raw_input_contents()->RemoveLast();

  EXPECT_THAT(ErrorOf(more),
              HasSubstr("raw_input_contents: expected 1, one for each input, "
                        "got 2"));
  EXPECT_THAT(ErrorOf(fewer), HasSubstr("expected 2, one for each input, got "
                                        "1"));
}

TEST(InferRequestErrorsTest, RejectsRawBesideTypedContents) {
  ModelInferRequest same = TwoTensors();
  same.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  ModelInferRequest other = TwoTensors();
  AddInput(other, "group", "BYTES", {2})
      .mutable_contents()
      ->add_bytes_contents("a");

  EXPECT_THAT(ErrorOf(same),
              HasSubstr("input \"x\": contents.fp32_contents: expected 0 "
                        "elements, got 1 beside raw_input_contents"));
  EXPECT_THAT(ErrorOf(other),
              HasSubstr("input \"group\": contents.bytes_contents: expected 0 "
                        "elements, got 1 beside raw_input_contents"));
}

TEST(InferRequestErrorsTest, RejectsTypedContentsOfAnotherSizeOrType) {
  ModelInferRequest message;
  auto& contents =
      *AddInput(message, "x", "FP32", {1, 2, 3}).mutable_contents();
  EXPECT_THAT(ErrorOf(message), HasSubstr("input x: contents.fp32_contents: "
                                          "expected 6 elements, got 0"));

  for (int i = 0; i < 6; ++i) contents.add_fp32_contents(0);
  contents.add_fp64_contents(1);
  EXPECT_THAT(ErrorOf(message), HasSubstr("input x: contents.fp64_contents: "
                                          "expected 0 elements, got 1"));
}

TEST(InferRequestErrorsTest, RejectsBrokenBytes) {
  ModelInferRequest message = ThreeImages();
  message.mutable_raw_input_contents(0)->pop_back();

  EXPECT_THAT(ErrorOf(message, ImageModel()),
              HasSubstr("input x: raw_input_contents: element 2: expected 2 "
                        "bytes of content, 1 are left"));
}

TEST(InferRequestErrorsTest, RejectsTypedBytesOfAnotherNumber) {
  ModelInferRequest message;
  AddInput(message, "x", "BYTES", {2})
      .mutable_contents()
      ->add_bytes_contents("one");

  EXPECT_THAT(ErrorOf(message, ImageModel()),
              HasSubstr("input x: contents.bytes_contents: expected 2 "
                        "elements, got 1"));
}

TEST(InferRequestErrorsTest, RejectsGroupsThatDoNotFitTheRows) {
  const ModelInferRequest fewer = WithGroups(TwoTensors(), {"a"});
  ModelInferRequest wide = WithGroups(TwoTensors(), {"a", "b"});
  wide.mutable_inputs(1)->add_shape(3);
  ModelInferRequest numbers = WithGroups(TwoTensors(), {"a", "b"});
  numbers.mutable_inputs(1)->set_datatype("INT64");
  ModelInferRequest broken = WithGroups(TwoTensors(), {"a", "b"});
  broken.mutable_raw_input_contents(1)->push_back('\0');

  EXPECT_THAT(ErrorOf(fewer), HasSubstr("input group: shape[0]: expected 2, "
                                        "the rows of x, got 1"));
  EXPECT_THAT(ErrorOf(wide),
              HasSubstr("input group: shape[1]: expected 1 of [-1,1], got 3"));
  EXPECT_THAT(
      ErrorOf(numbers),
      HasSubstr("input group: datatype: expected BYTES, got \"INT64\""));
  EXPECT_THAT(ErrorOf(broken), HasSubstr("input group: raw_input_contents: "
                                         "expected the end behind 2 elements, "
                                         "1 bytes are left"));
}

TEST(InferRequestErrorsTest, RejectsGroupsNamedTwice) {
  ModelInferRequest message = WithGroups(TwoTensors(), {"a", "b"});
  (*message.mutable_parameters())["group"].set_string_param("a");

  EXPECT_THAT(ErrorOf(message),
              HasSubstr("group: expected a parameter or an input, got both"));
}

TEST(InferRequestErrorsTest, RejectsParametersOfInputs) {
  ModelInferRequest message = TwoTensors();
  auto& parameters = *message.mutable_inputs(0)->mutable_parameters();
  parameters["shared_memory_region"].set_string_param("region");

  EXPECT_THAT(ErrorOf(message),
              HasSubstr("input x: parameter \"shared_memory_region\": shared "
                        "memory is not served"));
}

TEST(InferRequestErrorsTest, SurvivesAnyChangeOfAMessagesBytes) {
  const std::string good =
      WithGroups(ThreeImages(), {"a", "b", "c"}).SerializeAsString();
  const routing::CounterRng rng(/*seed=*/11);
  uint64_t counter = 0;
  int num_parsed = 0;
  int num_rejected = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (uint64_t change = rng.Below(3, counter++); change < 3; ++change) {
      const uint64_t place = rng.Below(bytes.size(), counter++);
      bytes[place] = static_cast<char>(rng.Bits(counter++));
    }
    ModelInferRequest message;
    if (!message.ParseFromString(bytes)) continue;
    const auto request = ParseInferRequest(message, ImageModel());
    if (!request.ok()) {
      EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument);
      ++num_rejected;
      continue;
    }
    ++num_parsed;
    EXPECT_GE(request->num_rows, 1);
    EXPECT_LE(request->num_rows, 4);
    EXPECT_EQ(request->groups.size(), request->num_rows);
    if (!request->images.empty()) {
      EXPECT_EQ(request->images.size(), request->num_rows);
      size_t num_bytes = 0;
      for (const auto file : request->images) num_bytes += file.size();
      EXPECT_LT(num_bytes, bytes.size());
    }
  }
  EXPECT_GT(num_parsed, 100);
  EXPECT_GT(num_rejected, 100);
}

}  // namespace
}  // namespace ladder::server
