#ifndef LADDER_MODEL_STORE_FORMAT_SAFETENSORS_H_
#define LADDER_MODEL_STORE_FORMAT_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace ladder::model_store {

// The element types that LADDER's own files use; others can be listed but not
// read.
template <typename T>
inline constexpr absl::string_view kSafetensorsType;
template <>
inline constexpr absl::string_view kSafetensorsType<float> = "F32";
template <>
inline constexpr absl::string_view kSafetensorsType<double> = "F64";
template <>
inline constexpr absl::string_view kSafetensorsType<int64_t> = "I64";
template <>
inline constexpr absl::string_view kSafetensorsType<uint8_t> = "U8";

// One tensor of a file: what the header says, and its bytes.
struct SafetensorsEntry {
  std::string type = {};  // The header's word: "F32", "BF16", ...
  std::vector<uint64_t> shape = {};
  std::span<const std::byte> bytes = {};
};

// A parsed safetensors file over bytes that somebody else owns and that must
// outlive it, such as FileBytes. Parsing touches the header only.
//
// Immutable and thread-safe.
class Safetensors {
 public:
  // `name` is the file's name in messages. InvalidArgument unless the file
  // keeps every rule of the format: header length within the file and the
  // limit, JSON object without duplicate keys, known types, offsets in order,
  // within the data, without gaps or overlaps, and of the size that type and
  // shape give (without overflow).
  static absl::StatusOr<Safetensors> Parse(std::span<const std::byte> file,
                                           absl::string_view name);

  const std::map<std::string, SafetensorsEntry>& tensors() const {
    return tensors_;
  }
  const std::map<std::string, std::string>& metadata() const {
    return metadata_;
  }

  // Returns a copy of the values of `tensor`. InvalidArgument, naming the file,
  // the tensor, what was expected and what was found, if it is missing or has
  // another type or shape.
  template <typename T>
  absl::StatusOr<std::vector<T>> Read(absl::string_view tensor,
                                      std::span<const uint64_t> shape) const {
    LADDER_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                            Find(tensor, kSafetensorsType<T>, shape));
    return Copy<T>(bytes);
  }

  // Does as Read, without a copy where that is possible: gives the values in
  // the file or, because the format does not promise aligned tensors, in
  // `storage`.
  template <typename T>
  absl::StatusOr<std::span<const T>> View(absl::string_view tensor,
                                          std::span<const uint64_t> shape,
                                          std::vector<T>& storage) const {
    LADDER_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                            Find(tensor, kSafetensorsType<T>, shape));
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(T) != 0) {
      storage = Copy<T>(bytes);
      return storage;
    }
    return std::span(reinterpret_cast<const T*>(bytes.data()),
                     bytes.size() / sizeof(T));
  }

 private:
  absl::StatusOr<std::span<const std::byte>> Find(
      absl::string_view tensor, absl::string_view type,
      std::span<const uint64_t> shape) const;

  template <typename T>
  static std::vector<T> Copy(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
      std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
  }

  std::string name_;
  std::map<std::string, SafetensorsEntry> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Collects tensors and lays them out as a file. Tensors are aligned to their
// element size, as the format recommends.
class SafetensorsWriter {
 public:
  // `values` must live until Serialize and hold as many elements as `shape`
  // says; names must differ. A broken rule is a fault of the program and ends
  // it.
  template <typename T>
  void Add(absl::string_view tensor, std::vector<uint64_t> shape,
           std::span<const T> values) {
    AddBytes(tensor,
             {std::string(kSafetensorsType<T>), std::move(shape),
              std::as_bytes(values)},
             sizeof(T));
  }

  std::string Serialize() const;

 private:
  void AddBytes(absl::string_view tensor, SafetensorsEntry entry,
                size_t element_size);

  struct Pending {
    size_t element_size = 0;
    SafetensorsEntry entry = {};
  };
  std::map<std::string, Pending> tensors_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_SAFETENSORS_H_
