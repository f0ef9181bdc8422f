#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/macros.h"
#include "model_store/format/safetensors.h"

namespace ladder::model_store {
namespace {

constexpr size_t kHeaderLengthBytes = 8;
constexpr size_t kAlignment = 8;  // Of the data, and so of every tensor.

}  // namespace

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
  file.reserve(kHeaderLengthBytes + text.size() + data_size);
  for (size_t i = 0; i < kHeaderLengthBytes; ++i) {  // Little-endian.
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
