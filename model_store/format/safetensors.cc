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

// A tensor's place in the data that follows the header.
struct Place {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name = {};
};

// Reads what the header says of one tensor, all but where its bytes are.
SafetensorsEntry ReadEntry(const JsonValue& value) {
  SafetensorsEntry entry{.type = value["dtype"].String(),
                         .shape = value["shape"].Integers()};
  if (ElementSize(entry.type) == 0) value["dtype"].Fail("a known type");
  return entry;
}

// Fails `value` unless the offsets lie within the data and fit type and shape.
Place ReadPlace(const JsonValue& value, const SafetensorsEntry& entry,
                uint64_t data_size) {
  const JsonValue offsets = value["data_offsets"];
  const std::vector<uint64_t> numbers = offsets.Integers();
  if (numbers.size() != 2) {
    offsets.Fail("begin and end");
    return {};
  }
  Place place{.begin = numbers[0], .end = numbers[1]};
  if (place.begin > place.end || place.end > data_size) {
    offsets.Fail(
        absl::StrCat("begin <= end <= ", data_size, ", the size of the data"),
        ListText(numbers));
    return {};
  }
  const auto size = TensorSize(ElementSize(entry.type), entry.shape);
  if (!size.has_value() || *size != place.end - place.begin) {
    offsets.Fail(
        absl::StrCat(size.has_value() ? absl::StrCat(*size) : "2^64 or more",
                     " bytes for ", entry.type, " ", ListText(entry.shape)),
        absl::StrCat(place.end - place.begin));
  }
  return place;
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
  std::vector<Place> places;
  for (const auto& [key, value] : document.root().Members()) {
    if (key == kMetadata) {
      for (const auto& [metadata_key, text] : value.Members()) {
        tensors.metadata_[metadata_key] = text.String();
      }
    } else {
      SafetensorsEntry entry = ReadEntry(value);
      Place place = ReadPlace(value, entry, data.size());
      entry.bytes = data.subspan(place.begin, place.end - place.begin);
      place.name = key;
      tensors.tensors_[key] = std::move(entry);
      places.push_back(std::move(place));
    }
  }
  LADDER_RETURN_IF_ERROR(document.status());

  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t covered = 0;
  for (const Place& place : places) {
    if (place.begin != covered) {
      return error(place.name, ".data_offsets: expected to begin at ", covered,
                   ", where the tensor before ends, found ", place.begin);
    }
    covered = place.end;
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
