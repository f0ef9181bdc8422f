#include "model_store/format/safetensors.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/macros.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model_store/format/json_reader.h"

namespace ladder::model_store {
namespace {

constexpr char kMetadata[] = "__metadata__";
constexpr size_t kLengthBytes = 8;  // The header's length takes these.
constexpr size_t kAlignment = 8;    // The data begins at a multiple of this.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // The reference's limit.

// The size of an element in bytes, 0 for an unknown type. Types of less than a
// byte are not known: their tensors cannot be addressed.
uint64_t ElementSize(absl::string_view type) {
  static constexpr struct {
    absl::string_view type;
    uint64_t size;
  } kTypes[] = {{"BOOL", 1},    {"U8", 1},      {"I8", 1},  {"F8_E5M2", 1},
                {"F8_E4M3", 1}, {"F8_E8M0", 1}, {"U16", 2}, {"I16", 2},
                {"F16", 2},     {"BF16", 2},    {"U32", 4}, {"I32", 4},
                {"F32", 4},     {"U64", 8},     {"I64", 8}, {"F64", 8},
                {"C64", 8}};
  for (const auto& known : kTypes) {
    if (known.type == type) return known.size;
  }
  return 0;
}

std::string ListText(std::span<const uint64_t> numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

// Nothing if the size in bytes does not fit 64 bits.
std::optional<uint64_t> TensorSize(uint64_t element_size,
                                   std::span<const uint64_t> shape) {
  // A zero makes every product zero, however large the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  uint64_t size = element_size;
  for (const uint64_t dimension : shape) {
    if (dimension > std::numeric_limits<uint64_t>::max() / size) return {};
    size *= dimension;
  }
  return size;
}

// Reads what the header says of one tensor. Fails `value` unless the type is
// known and the offsets lie within `data` and fit type and shape.
SafetensorsEntry ReadEntry(const JsonValue& value,
                           std::span<const std::byte> data) {
  SafetensorsEntry entry{.type = value["dtype"].String(),
                         .shape = value["shape"].Integers()};
  const uint64_t element_size = ElementSize(entry.type);
  if (element_size == 0) value["dtype"].Fail("a known type");
  const JsonValue offsets = value["data_offsets"];
  const std::vector<uint64_t> numbers = offsets.Integers();
  if (numbers.size() != 2) {
    offsets.Fail("begin and end");
    return entry;
  }
  const uint64_t begin = numbers[0];
  const uint64_t end = numbers[1];
  if (begin > end || end > data.size()) {
    offsets.Fail(
        absl::StrCat("begin <= end <= ", data.size(), ", the size of the data"),
        ListText(numbers));
    return entry;
  }
  entry.bytes = data.subspan(begin, end - begin);
  const auto size = TensorSize(element_size, entry.shape);
  if (!size.has_value() || *size != end - begin) {
    offsets.Fail(
        absl::StrCat(size.has_value() ? absl::StrCat(*size) : "2^64 or more",
                     " bytes for ", entry.type, " ", ListText(entry.shape)),
        absl::StrCat(end - begin));
  }
  return entry;
}

}  // namespace

absl::StatusOr<Safetensors> Safetensors::Parse(std::span<const std::byte> file,
                                               absl::string_view name) {
  const auto error = [name](const auto&... problem) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", problem...));
  };
  if (file.size() < kLengthBytes) {
    return error("expected at least ", kLengthBytes, " bytes, found ",
                 file.size());
  }
  uint64_t header_size = 0;
  for (size_t i = kLengthBytes; i-- > 0;) {  // Little-endian.
    header_size = header_size << 8 | std::to_integer<uint64_t>(file[i]);
  }
  const uint64_t max_header_size =
      std::min<uint64_t>(file.size() - kLengthBytes, kMaxHeaderBytes);
  if (header_size > max_header_size) {
    return error("header length: expected at most ", max_header_size,
                 " bytes, found ", header_size);
  }
  const absl::string_view header(
      reinterpret_cast<const char*>(file.data()) + kLengthBytes, header_size);
  if (header.empty() || header.front() != '{') {
    return error("header: expected to begin with '{', found ",
                 header.empty() ? "no header" : "something else");
  }
  LADDER_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::Parse(header, name));

  const std::span<const std::byte> data =
      file.subspan(kLengthBytes + header_size);
  Safetensors tensors;
  tensors.name_ = std::string(name);
  for (const auto& [key, value] : document.root().Members()) {
    if (key == kMetadata) {
      for (const auto& [metadata_key, text] : value.Members()) {
        tensors.metadata_[metadata_key] = text.String();
      }
    } else {
      tensors.tensors_[key] = ReadEntry(value, data);
    }
  }
  LADDER_RETURN_IF_ERROR(document.status());

  std::vector<const std::pair<const std::string, SafetensorsEntry>*> order;
  for (const auto& tensor : tensors.tensors_) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const auto* tensor) {
    const std::span<const std::byte> bytes = tensor->second.bytes;
    return std::pair(bytes.data(), bytes.size());
  });
  uint64_t covered = 0;
  for (const auto* tensor : order) {
    const std::span<const std::byte> bytes = tensor->second.bytes;
    const auto begin = static_cast<uint64_t>(bytes.data() - data.data());
    if (begin != covered) {
      return error(tensor->first, ".data_offsets: expected to begin at ",
                   covered, ", where the tensor before ends, found ", begin);
    }
    covered += bytes.size();
  }
  if (covered != data.size()) {
    return error("expected tensors to fill all ", data.size(),
                 " bytes of data, found an end at ", covered);
  }
  return tensors;
}

absl::StatusOr<std::span<const std::byte>> Safetensors::Find(
    absl::string_view tensor, absl::string_view type,
    std::span<const uint64_t> shape) const {
  const std::string expected = absl::StrCat(type, " ", ListText(shape));
  const auto entry = tensors_.find(std::string(tensor));
  const std::string found = entry == tensors_.end()
                                ? "no such tensor"
                                : absl::StrCat(entry->second.type, " ",
                                               ListText(entry->second.shape));
  if (found == expected) return entry->second.bytes;
  return absl::InvalidArgumentError(absl::StrCat(
      name_, ": ", tensor, ": expected ", expected, ", found ", found));
}

void SafetensorsWriter::AddBytes(absl::string_view tensor,
                                 SafetensorsEntry entry, size_t element_size) {
  size_t size = element_size;
  for (const uint64_t dimension : entry.shape) size *= dimension;
  ABSL_HARDENING_ASSERT(size == entry.bytes.size());
  const bool is_new =
      tensors_
          .emplace(std::string(tensor), Pending{element_size, std::move(entry)})
          .second;
  ABSL_HARDENING_ASSERT(is_new);
}

std::string SafetensorsWriter::Serialize() const {
  // Larger elements first: then all tensors end, and so begin, at a multiple of
  // the element size of what follows.
  std::vector<const std::pair<const std::string, Pending>*> order;
  for (const auto& tensor : tensors_) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) {
                     return a->second.element_size > b->second.element_size;
                   });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  size_t data_size = 0;
  for (const auto* tensor : order) {
    const SafetensorsEntry& entry = tensor->second.entry;
    const size_t begin = data_size;
    data_size += entry.bytes.size();
    header[tensor->first] = {{"dtype", entry.type},
                             {"shape", entry.shape},
                             {"data_offsets", {begin, data_size}}};
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');

  std::string file;
  file.reserve(kLengthBytes + text.size() + data_size);
  for (size_t i = 0; i < kLengthBytes; ++i) {  // Little-endian.
    file.push_back(static_cast<char>(text.size() >> (8 * i) & 0xFF));
  }
  file += text;
  for (const auto* tensor : order) {
    const auto bytes = tensor->second.entry.bytes;
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return file;
}

}  // namespace ladder::model_store
