#include <grpcpp/support/slice.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inference/grpc_service.pb.h"
#include "ladder/v1/domain_routing.pb.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMebibyte = 1 << 20;

// In slices, as gRPC has them.
grpc::ByteBuffer BytesOf(const std::string& text, size_t slice = 1000) {
  std::vector<grpc::Slice> slices;
  for (size_t i = 0; i < text.size(); i += slice) {
    slices.emplace_back(text.substr(i, slice));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

v1::PredictDomainRequest Request() {
  v1::PredictDomainRequest request;
  request.set_group("lake");
  v1::Tensor& tensor = *request.mutable_samples()->mutable_tensor();
  tensor.add_shape(1000);
  tensor.add_shape(6);
  tensor.set_float32(std::string(1000 * 6 * sizeof(float), '\1'));
  for (int i = 0; i < 1000; ++i) {
    request.mutable_samples()->add_ids(absl::StrCat("id-", i));
  }
  return request;
}

TEST(WireMessageTest, AMessageSurvivesTheWire) {
  const v1::PredictDomainRequest request = Request();
  grpc::ByteBuffer bytes;
  v1::PredictDomainRequest read;

  ASSERT_TRUE(SerializeMessage(v1::ListModelsRequest(), bytes).ok());
  ASSERT_TRUE(SerializeMessage(request, bytes).ok());
  ASSERT_TRUE(ParseMessage(bytes, kMebibyte, read).ok());

  EXPECT_EQ(bytes.Length(), request.ByteSizeLong());
  EXPECT_EQ(read.SerializeAsString(), request.SerializeAsString());
}

TEST(WireMessageTest, NoBytesAreAnEmptyMessage) {
  grpc::ByteBuffer bytes;
  v1::PredictDomainRequest read;

  ASSERT_TRUE(SerializeMessage(read, bytes).ok());
  EXPECT_TRUE(ParseMessage(bytes, kMebibyte, read).ok());
}

TEST(WireMessageTest, UnknownFieldsAreLeftOut) {
  inference::ModelReadyRequest other;  // Its second field is a string, too.
  other.set_name("lake");
  v1::ListModelsRequest read;

  ASSERT_TRUE(
      ParseMessage(BytesOf(other.SerializeAsString()), kMebibyte, read).ok());
  EXPECT_EQ(read.ByteSizeLong(), 0);
}

TEST(WireMessageTest, TooManyBytesAreRefusedByTheFlagsName) {
  v1::PredictDomainRequest read;

  const absl::Status status = ParseMessage(
      BytesOf(Request().SerializeAsString()), /*max_message_bytes=*/1000, read);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("--max-message-bytes: expected a message of at most "
                        "1000 bytes, got "));
}

TEST(WireMessageTest, BytesThatAreNoMessageAreAnError) {
  for (const std::string& text :
       {std::string("\xFF\xFF\xFF"), std::string("\x0A\x7F"),
        std::string("\x0A\xFF\xFF\xFF\xFF\x0F"), std::string("\x07"),
        Request().SerializeAsString().substr(0, 5000)}) {
    v1::PredictDomainRequest read;

    const absl::Status status = ParseMessage(BytesOf(text), kMebibyte, read);

    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "expected a message of type ladder.v1.PredictDomainRequest, got "
              "bytes that are none");
  }
}

// Two or three bytes each, and tens or hundreds in memory.
TEST(WireMessageTest, SmallPartsWithoutNumberAreRefusedUnread) {
  std::string ids;
  std::string unknown;
  std::string outputs;
  for (size_t i = 0; i < kMebibyte / 4; ++i) {
    ids.append("\x1A\0", 2);          // Samples.ids, empty.
    unknown.append("\xFA\x7F\0", 3);  // Field 2047, empty.
    outputs.append("\x32\0", 2);      // ModelInferRequest.outputs, empty.
  }
  v1::PredictDomainRequest with_ids;
  ASSERT_TRUE(with_ids.mutable_samples()->ParseFromString(ids));
  ASSERT_EQ(with_ids.samples().ids_size(), kMebibyte / 4);
  const std::string expected =
      "--max-message-bytes: expected a message of at most 4194304 bytes in "
      "memory, got one of ";

  v1::PredictDomainRequest predict;
  v1::GetModelRequest get_model;
  inference::ModelInferRequest infer;
  for (const absl::Status& status :
       {ParseMessage(BytesOf(with_ids.SerializeAsString()), kMebibyte, predict),
        ParseMessage(BytesOf(unknown), kMebibyte, get_model),
        ParseMessage(BytesOf(outputs), kMebibyte, infer)}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr(expected));
  }
  EXPECT_EQ(predict.ByteSizeLong(), 0);
}

TEST(WireMessageTest, NestingHasAnEnd) {
  // Groups within groups, which no message has, up to the limit of bytes.
  const std::string nested(kMebibyte / 32, '\x0B');
  v1::GetModelRequest read;

  EXPECT_FALSE(ParseMessage(BytesOf(nested), kMebibyte, read).ok());
}

}  // namespace
}  // namespace ladder::server
