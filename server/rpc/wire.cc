#include "server/rpc/wire.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/text/text.h"
#include "server/config/server_config.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// What parts of a message take beside their bytes: objects, their places in the
// heap and pointers to them. On the wire two bytes can be enough.
constexpr uint64_t kBytesPerNumber = 16;
constexpr uint64_t kBytesPerString = 64;
constexpr uint64_t kBytesPerMessage = 256;
// What a packed number takes, of which the wire may have one byte.
constexpr uint64_t kLargestNumber = 8;
// A sample of few numbers with an id of its own takes three times its bytes.
constexpr uint64_t kMemoryPerByte = 4;
// What every message may take, however small the limit.
constexpr uint64_t kAlwaysAllowed = 64 << 10;
// The same limit as protobuf has.
constexpr int kMaxDepth = 100;

// Adds up what a message takes beside its bytes.
class OverheadCounter {
 public:
  explicit OverheadCounter(uint64_t limit) : limit_(limit) {}

  // False if the bytes are no message. Stops once the limit is exceeded.
  bool Count(const Descriptor& type, CodedInputStream& in, int depth = 0) {
    while (const uint32_t tag = in.ReadTag()) {
      if (!CountField(type, tag, in, depth)) return false;
      if (exceeded()) return true;
    }
    return in.ConsumedEntireMessage();
  }

  bool exceeded() const { return bytes_ > limit_; }
  uint64_t bytes() const { return bytes_; }

 private:
  bool CountField(const Descriptor& type, uint32_t tag, CodedInputStream& in,
                  int depth) {
    const FieldDescriptor* const field =
        type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    uint64_t number = 0;
    bytes_ += kBytesPerNumber;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        return in.ReadVarint64(&number);
      case WireFormatLite::WIRETYPE_FIXED64:
        return in.Skip(8);
      case WireFormatLite::WIRETYPE_FIXED32:
        return in.Skip(4);
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return CountBlock(field, in, depth);
      case WireFormatLite::WIRETYPE_START_GROUP:
      case WireFormatLite::WIRETYPE_END_GROUP:
        return true;  // An unknown one's fields count as this message's.
    }
    return false;
  }

  bool CountBlock(const FieldDescriptor* field, CodedInputStream& in,
                  int depth) {
    uint32_t size = 0;
    if (!in.ReadVarint32(&size) || size > kMaxSize) return false;
    if (field != nullptr && field->type() == FieldDescriptor::TYPE_MESSAGE) {
      bytes_ += kBytesPerMessage;
      if (depth == kMaxDepth) return false;
      const auto outer = in.PushLimit(static_cast<int>(size));
      if (!Count(*field->message_type(), in, depth + 1)) return false;
      if (exceeded()) return true;
      in.PopLimit(outer);
      return true;
    }
    if (field != nullptr && field->is_packable()) {
      const bool is_fixed = field->type() == FieldDescriptor::TYPE_FLOAT ||
                            field->type() == FieldDescriptor::TYPE_DOUBLE;
      if (!is_fixed) bytes_ += kLargestNumber * size;
    } else {
      bytes_ += kBytesPerString;
    }
    return in.Skip(static_cast<int>(size));
  }

  static constexpr uint32_t kMaxSize = std::numeric_limits<int32_t>::max();

  const uint64_t limit_;
  uint64_t bytes_ = 0;
};

constexpr size_t kMaxErrorText = 1024;
constexpr char kRetryMetadata[] = "grpc-retry-pushback-ms";

// Both hold the canonical codes, so the number carries over unchanged.
static_assert(static_cast<int>(absl::StatusCode::kCancelled) ==
              grpc::StatusCode::CANCELLED);
static_assert(static_cast<int>(absl::StatusCode::kUnauthenticated) ==
              grpc::StatusCode::UNAUTHENTICATED);

}  // namespace

absl::Status ParseMessage(const grpc::ByteBuffer& bytes,
                          uint64_t max_message_bytes,
                          google::protobuf::Message& message,
                          uint64_t* overhead) {
  if (bytes.Length() > max_message_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        LimitsConfig::kMaxMessageBytesFlag, ": expected a message of at most ",
        max_message_bytes, " bytes, got ", bytes.Length()));
  }
  grpc::ByteBuffer shared = bytes;  // The readers want one that may change.
  const auto not_one = [&message] {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a message of type ", message.GetTypeName(),
                     ", got bytes that are none"));
  };
  if (shared.Valid()) {
    grpc::ProtoBufferReader reader(&shared);
    if (!reader.status().ok()) return not_one();
    CodedInputStream in(&reader);
    const uint64_t max_memory = kMemoryPerByte * max_message_bytes;
    OverheadCounter counter(max_memory + kAlwaysAllowed);
    if (!counter.Count(*message.GetDescriptor(), in)) return not_one();
    if (counter.exceeded()) {
      return absl::ResourceExhaustedError(
          absl::StrCat(LimitsConfig::kMaxMessageBytesFlag,
                       ": expected a message of at most ", max_memory,
                       " bytes in memory, got one of ", bytes.Length(),
                       " bytes in so many parts that it would take more"));
    }
    if (overhead != nullptr) *overhead = counter.bytes();
  }
  if (!grpc::SerializationTraits<google::protobuf::Message>::Deserialize(
           &shared, &message)
           .ok()) {
    return not_one();
  }
  message.DiscardUnknownFields();
  return absl::OkStatus();
}

absl::Status SerializeMessage(const google::protobuf::Message& message,
                              grpc::ByteBuffer& bytes) {
  const size_t size = message.ByteSizeLong();
  bool own_buffer = false;
  bytes.Clear();
  if (size > std::numeric_limits<int32_t>::max() ||
      !grpc::SerializationTraits<google::protobuf::Message>::Serialize(
           message, &bytes, &own_buffer)
           .ok()) {
    return absl::InternalError(absl::StrCat(
        "expected an answer of less than 2 GiB, got ", size, " bytes"));
  }
  return absl::OkStatus();
}

std::string ErrorText(absl::string_view message) {
  return base::ValidText(message, kMaxErrorText);
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          ErrorText(status.message())};
}

void AddRetryHint(const absl::Status& status,
                  grpc::ServerContextBase& context) {
  const std::optional<absl::Duration> delay = RetryAfter(status);
  if (!delay.has_value()) return;
  context.AddTrailingMetadata(kRetryMetadata,
                              absl::StrCat(absl::ToInt64Milliseconds(*delay)));
}

absl::Status CancellationOf(const grpc::ServerContextBase& context) {
  if (context.deadline() <= std::chrono::system_clock::now()) {
    return absl::DeadlineExceededError("the call's deadline has passed");
  }
  return absl::CancelledError("the caller has ended the call");
}

}  // namespace ladder::server
