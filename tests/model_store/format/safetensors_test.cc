#include "model_store/format/safetensors.h"

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string LengthPrefix(uint64_t length) {
  std::string prefix;
  for (int i = 0; i < 8; ++i) {
    prefix.push_back(static_cast<char>(length >> (8 * i) & 0xFF));
  }
  return prefix;
}

std::string FileOf(const std::string& header, const std::string& data) {
  return LengthPrefix(header.size()) + header + data;
}

std::string ErrorOf(const std::string& file) {
  const auto tensors = Safetensors::Parse(BytesOf(file), "t.safetensors");
  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(tensors.status().message());
}

std::string ErrorOf(const std::string& header, const std::string& data) {
  return ErrorOf(FileOf(header, data));
}

const std::vector<float> kFloats = {1, 2, 3, 4, 5, 6};
const std::vector<double> kDoubles = {0.5};
const std::vector<int64_t> kIntegers = {-7, 8};

std::string WriteExample() {
  SafetensorsWriter writer;
  writer.Add<float>("floats", {2, 3}, kFloats);
  writer.Add<double>("doubles", {}, kDoubles);
  writer.Add<int64_t>("integers", {2}, kIntegers);
  writer.Add<float>("empty", {0, 5}, {});
  return writer.Serialize();
}

TEST(SafetensorsTest, ReadsBackWhatWasWritten) {
  const std::string file = WriteExample();

  const auto tensors = Safetensors::Parse(BytesOf(file), "t.safetensors");

  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_EQ(tensors->tensors().size(), 4);
  EXPECT_EQ(tensors->Read<float>("floats", {{2, 3}}).value(), kFloats);
  EXPECT_EQ(tensors->Read<double>("doubles", {}).value(), kDoubles);
  EXPECT_EQ(tensors->Read<int64_t>("integers", {{2}}).value(), kIntegers);
  EXPECT_TRUE(tensors->Read<float>("empty", {{0, 5}}).value().empty());
}

TEST(SafetensorsTest, WritesExactlyTheseBytes) {
  SafetensorsWriter writer;
  const std::vector<float> f32 = {1.0F};
  const std::vector<int64_t> i64 = {2};
  writer.Add<float>("a", {1}, f32);
  writer.Add<int64_t>("b", {1}, i64);

  const std::string header =
      R"({"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})"
      "    ";
  EXPECT_EQ(header.size() % 8, 0);
  EXPECT_EQ(writer.Serialize(),
            FileOf(header, std::string("\2\0\0\0\0\0\0\0\0\0\x80\x3f", 12)));
}

TEST(SafetensorsTest, AlignsEveryTensorToItsElements) {
  const std::string file = WriteExample();
  const auto tensors =
      Safetensors::Parse(BytesOf(file), "t.safetensors").value();

  const auto offset = [&](const char* tensor) {
    return tensors.tensors().at(tensor).bytes.data() - BytesOf(file).data();
  };
  EXPECT_EQ(offset("doubles") % 8, 0);
  EXPECT_EQ(offset("integers") % 8, 0);
  EXPECT_EQ(offset("floats") % 4, 0);
}

TEST(SafetensorsTest, ReadsTypesMetadataAndPaddingOfOthers) {
  const std::string file =
      FileOf(R"({"__metadata__":{"format":"pt"},)"
             R"("x":{"dtype":"BF16","shape":[1,2],"data_offsets":[1,5]},)"
             R"("y":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}   )",
             "abcde");

  const auto tensors = Safetensors::Parse(BytesOf(file), "t.safetensors");

  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_EQ(tensors->metadata().at("format"), "pt");
  EXPECT_EQ(tensors->tensors().at("x").type, "BF16");
  EXPECT_THAT(tensors->tensors().at("x").shape, ElementsAre(1, 2));
  EXPECT_EQ(tensors->tensors().at("x").bytes[0], std::byte{'b'});
  EXPECT_EQ(tensors->tensors().at("y").bytes.size(), 1);
}

TEST(SafetensorsTest, ReadsAFileWithoutTensors) {
  EXPECT_TRUE(Safetensors::Parse(BytesOf(FileOf("{}", "")), "t").ok());
}

TEST(SafetensorsTest, ReadsValuesThatAreNotAligned) {
  const std::string header =
      R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  for (size_t padding = 0; padding < 4; ++padding) {
    const std::string file = FileOf(header + std::string(padding, ' '),
                                    std::string("\0\0\x80\x3f", 4));
    const auto tensors = Safetensors::Parse(BytesOf(file), "t").value();
    std::vector<float> storage;

    EXPECT_THAT(tensors.Read<float>("x", {{1}}).value(), ElementsAre(1.0F));
    EXPECT_THAT(tensors.View<float>("x", {{1}}, storage).value(),
                ElementsAre(1.0F));
  }
}

TEST(SafetensorsTest, GivesAlignedValuesWithoutACopy) {
  const std::string file = WriteExample();
  const auto tensors = Safetensors::Parse(BytesOf(file), "t").value();
  std::vector<float> storage;

  const auto view = tensors.View<float>("floats", {{2, 3}}, storage);

  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(*view, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(std::as_bytes(*view).data(),
            tensors.tensors().at("floats").bytes.data());
}

TEST(SafetensorsTest, NamesTensorsOfAnotherTypeOrShape) {
  const std::string file = WriteExample();
  const auto tensors =
      Safetensors::Parse(BytesOf(file), "t.safetensors").value();

  EXPECT_EQ(tensors.Read<float>("missing", {{2}}).status(),
            absl::InvalidArgumentError("t.safetensors: missing: expected F32 "
                                       "[2], found no such tensor"));
  EXPECT_EQ(tensors.Read<double>("floats", {{2, 3}}).status(),
            absl::InvalidArgumentError("t.safetensors: floats: expected F64 "
                                       "[2, 3], found F32 [2, 3]"));
  EXPECT_EQ(tensors.Read<float>("floats", {{6}}).status(),
            absl::InvalidArgumentError("t.safetensors: floats: expected F32 "
                                       "[6], found F32 [2, 3]"));
}

TEST(SafetensorsTest, RejectsAFileWithoutHeader) {
  EXPECT_EQ(ErrorOf("1234567"),
            "t.safetensors: expected at least 8 bytes, found 7");
  EXPECT_THAT(ErrorOf(LengthPrefix(0)), HasSubstr("found no header"));
}

TEST(SafetensorsTest, RejectsAHeaderBeyondTheFile) {
  EXPECT_EQ(ErrorOf(LengthPrefix(3) + "{}"),
            "t.safetensors: header length: expected at most 2 bytes, found 3");
  EXPECT_THAT(ErrorOf(LengthPrefix(UINT64_MAX) + "{}"),
              HasSubstr("found 18446744073709551615"));
}

TEST(SafetensorsTest, RejectsAHeaderBeyondTheLimit) {
  const std::string header = "{}" + std::string(100'000'000, ' ');

  EXPECT_THAT(ErrorOf(header, ""), HasSubstr("expected at most 100000000"));
}

TEST(SafetensorsTest, RejectsAHeaderThatIsNoObject) {
  EXPECT_THAT(ErrorOf(" {}", ""), HasSubstr("expected to begin with '{'"));
  EXPECT_THAT(ErrorOf("[]", ""), HasSubstr("expected to begin with '{'"));
  EXPECT_THAT(ErrorOf("{", ""), StartsWith("t.safetensors: parse error at"));
  EXPECT_THAT(ErrorOf(R"({"x": 1})", ""),
              StartsWith("t.safetensors: x: expected an object, found 1"));
}

TEST(SafetensorsTest, RejectsDuplicateTensors) {
  EXPECT_THAT(ErrorOf(R"({"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                      R"("x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                      ""),
              HasSubstr("found another x"));
}

TEST(SafetensorsTest, RejectsMetadataThatIsNoText) {
  EXPECT_EQ(ErrorOf(R"({"__metadata__":{"a":1}})", ""),
            "t.safetensors: __metadata__.a: expected a string, found 1");
}

TEST(SafetensorsTest, RejectsUnknownTypes) {
  EXPECT_EQ(
      ErrorOf(R"({"x":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", "a"),
      "t.safetensors: x.dtype: expected a known type, found \"F4\"");
}

TEST(SafetensorsTest, RejectsBrokenShapes) {
  EXPECT_THAT(ErrorOf(R"({"x":{"dtype":"U8","shape":[-1],)"
                      R"("data_offsets":[0,1]}})",
                      "a"),
              StartsWith("t.safetensors: x.shape[0]: expected an integer"));
  EXPECT_THAT(
      ErrorOf(R"({"x":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", "a"),
      StartsWith("t.safetensors: x.shape: expected an array"));
}

TEST(SafetensorsTest, RejectsShapesWhoseSizeOverflows) {
  // 2^62 elements of 8 bytes would be 0 bytes modulo 2^64.
  EXPECT_EQ(ErrorOf(R"({"x":{"dtype":"F64","shape":[4611686018427387904],)"
                    R"("data_offsets":[0,0]}})",
                    ""),
            "t.safetensors: x.data_offsets: expected 2^64 or more bytes for "
            "F64 [4611686018427387904], found 0");
  EXPECT_THAT(ErrorOf(R"({"x":{"dtype":"U8","shape":[4294967296,4294967296],)"
                      R"("data_offsets":[0,0]}})",
                      ""),
              HasSubstr("2^64 or more"));
}

TEST(SafetensorsTest, RejectsSizesThatDoNotFitTypeAndShape) {
  EXPECT_EQ(ErrorOf(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})",
                    "abc"),
            "t.safetensors: x.data_offsets: expected 4 bytes for F32 [1], "
            "found 3");
}

TEST(SafetensorsTest, RejectsOffsetsOutsideTheData) {
  EXPECT_EQ(ErrorOf(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                    "abc"),
            "t.safetensors: x.data_offsets: expected begin <= end <= 3, the "
            "size of the data, found [0, 4]");
  EXPECT_THAT(
      ErrorOf(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})",
              "abc"),
      HasSubstr("found [2, 1]"));
  EXPECT_THAT(
      ErrorOf(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", "a"),
      HasSubstr("expected begin and end, found an array of 1"));
}

TEST(SafetensorsTest, RejectsGapsOverlapsAndLeftovers) {
  const auto two_bytes = [](const char* x, const char* y) {
    return std::string(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":)") +
           x + R"(},"y":{"dtype":"U8","shape":[2],"data_offsets":)" + y + "}}";
  };
  EXPECT_EQ(ErrorOf(two_bytes("[0,2]", "[3,5]"), "abcde"),
            "t.safetensors: y.data_offsets: expected to begin at 2, where the "
            "tensor before ends, found 3");
  EXPECT_THAT(ErrorOf(two_bytes("[0,2]", "[1,3]"), "abc"),
              HasSubstr("expected to begin at 2"));
  EXPECT_THAT(ErrorOf(two_bytes("[1,3]", "[3,5]"), "abcde"),
              HasSubstr("x.data_offsets: expected to begin at 0"));
  EXPECT_EQ(ErrorOf(two_bytes("[0,2]", "[2,4]"), "abcde"),
            "t.safetensors: expected tensors to fill all 5 bytes of data, "
            "found an end at 4");
}

// Whatever the bytes are, parsing ends with an error or with tensors inside the
// file; AddressSanitizer sees to the rest.
TEST(SafetensorsTest, SurvivesAnyMutation) {
  const std::string original = WriteExample();
  std::mt19937_64 random(1);
  size_t num_valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string file = original;
    for (uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
      const size_t place = random() % file.size();
      switch (random() % 4) {
        case 0:
          file[place] = static_cast<char>(random());
          break;
        case 1:  // A digit, brace or quote is likelier to get far.
          file[place] = "0123456789{}[],:\" "[random() % 18];
          break;
        case 2:
          file.resize(place + 1);
          break;
        default:
          file.insert(place, file.substr(random() % file.size(), 8));
      }
    }
    // On the heap with its exact size, so that reading past it is noticed.
    const std::vector<char> exact(file.begin(), file.end());
    const auto bytes = std::as_bytes(std::span(exact));
    const auto tensors = Safetensors::Parse(bytes, "t");
    if (!tensors.ok()) {
      ASSERT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ++num_valid;
    for (const auto& [name, entry] : tensors->tensors()) {
      ASSERT_GE(entry.bytes.data(), bytes.data());
      ASSERT_LE(entry.bytes.data() + entry.bytes.size(),
                bytes.data() + bytes.size());
    }
    tensors->Read<float>("floats", {{2, 3}}).status().IgnoreError();
  }
  EXPECT_GT(num_valid, 100);
}

TEST(SafetensorsWriterDeathTest, EndsTheProgramWhenValuesDoNotFillTheShape) {
  SafetensorsWriter writer;
  EXPECT_DEATH(writer.Add<float>("x", {7}, kFloats), "");
}

}  // namespace
}  // namespace ladder::model_store
