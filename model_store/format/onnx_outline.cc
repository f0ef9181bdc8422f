#include "model_store/format/onnx_outline.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/functional/function_ref.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace ladder::model_store {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using Bytes = std::span<const std::byte>;

const uint8_t* Data(Bytes bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// Copies the serialised `message` to `copy`, except for the fields numbered
// `field` that hold bytes or a message: those go to `take` instead. False if
// the message is malformed or `take` says so.
bool CopyFields(Bytes message, int field,
                absl::FunctionRef<bool(Bytes payload)> take,
                std::string& copy) {
  CodedInputStream input(Data(message), static_cast<int>(message.size()));
  while (input.CurrentPosition() < static_cast<int>(message.size())) {
    const int begin = input.CurrentPosition();
    const uint32_t tag = input.ReadTag();
    if (tag == 0) return false;
    if (tag == WireFormatLite::MakeTag(
                   field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED)) {
      uint32_t size = 0;
      if (!input.ReadVarint32(&size)) return false;
      const Bytes rest =
          message.subspan(static_cast<size_t>(input.CurrentPosition()));
      if (size > rest.size() || !take(rest.first(size)) ||
          !input.Skip(static_cast<int>(size))) {
        return false;
      }
    } else {
      if (!WireFormatLite::SkipField(&input, tag)) return false;
      const int end = input.CurrentPosition();
      copy.append(reinterpret_cast<const char*>(message.data()) + begin,
                  static_cast<size_t>(end - begin));
    }
  }
  return true;
}

void AppendField(int field, const std::string& payload, std::string& message) {
  uint8_t prefix[20];  // Two varints of at most ten bytes.
  uint8_t* end = CodedOutputStream::WriteVarint32ToArray(
      WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED),
      prefix);
  end = CodedOutputStream::WriteVarint32ToArray(
      static_cast<uint32_t>(payload.size()), end);
  message.append(reinterpret_cast<const char*>(prefix),
                 static_cast<size_t>(end - prefix));
  message += payload;
}

// Copies the serialised `message` to `copy`, with what `copy_part` makes of
// each message numbered `field` in its place. False if something is malformed.
bool CopyWithParts(
    Bytes message, int field,
    absl::FunctionRef<bool(Bytes part, std::string& copy)> copy_part,
    std::string& copy) {
  const auto replace = [&](Bytes payload) {
    std::string part;
    if (!copy_part(payload, part)) return false;
    AppendField(field, part, copy);
    return true;
  };
  return CopyFields(message, field, replace, copy);
}

}  // namespace

std::optional<OnnxOutline> ParseOnnxOutline(Bytes bytes) {
  if (bytes.size() > std::numeric_limits<int>::max()) return {};
  OnnxOutline outline;
  const auto strip_tensor = [&](Bytes tensor, std::string& stripped) {
    // If a field comes again, the last counts, as it does for protobuf.
    Bytes& raw_data = outline.raw_data.emplace_back();
    const auto take = [&](Bytes payload) {
      raw_data = payload;
      return true;
    };
    return CopyFields(tensor, onnx::TensorProto::kRawDataFieldNumber, take,
                      stripped);
  };
  const auto strip_graph = [&](Bytes graph, std::string& stripped) {
    return CopyWithParts(graph, onnx::GraphProto::kInitializerFieldNumber,
                         strip_tensor, stripped);
  };
  std::string stripped;
  const bool well_formed = CopyWithParts(
      bytes, onnx::ModelProto::kGraphFieldNumber, strip_graph, stripped);
  if (!well_formed || !outline.model.ParseFromString(stripped)) return {};
  return outline;
}

}  // namespace ladder::model_store
