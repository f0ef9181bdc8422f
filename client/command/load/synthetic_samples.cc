#include "client/command/load/synthetic_samples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "routing/counter_rng.h"

namespace ladder::client {
namespace {

constexpr size_t kMaxTensorBytes = size_t{1} << 30;

constexpr std::array<std::pair<absl::string_view, size_t>, 13> kTypes = {
    {{"FP32", 4},
     {"FP64", 8},
     {"FP16", 2},
     {"BF16", 2},
     {"BOOL", 1},
     {"INT8", 1},
     {"INT16", 2},
     {"INT32", 4},
     {"INT64", 8},
     {"UINT8", 1},
     {"UINT16", 2},
     {"UINT32", 4},
     {"UINT64", 8}}};

template <typename Float>
void FillUniform(uint64_t seed, std::string& bytes) {
  const routing::CounterRng rng(seed);
  for (size_t i = 0; i < bytes.size() / sizeof(Float); ++i) {
    // 24 bits fit either type, so that no value rounds up to 1.
    const auto value =
        static_cast<Float>(rng.Bits(i) >> 40) * static_cast<Float>(0x1p-24);
    std::memcpy(bytes.data() + i * sizeof(Float), &value, sizeof(Float));
  }
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ResolveShape(
    absl::string_view name, std::span<const int64_t> shape,
    int64_t dynamic_size) {
  std::vector<int64_t> resolved(shape.begin(), shape.end());
  for (int64_t& side : resolved) {
    if (side > 0) continue;
    if (dynamic_size <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dynamic size: expected one, since the model leaves "
          "dimensions of \"",
          name, "\" [", absl::StrJoin(shape, ", "), "] open, got none"));
    }
    side = dynamic_size;
  }
  return resolved;
}

absl::StatusOr<std::string> SyntheticTensor(absl::string_view datatype,
                                            std::span<const int64_t> shape,
                                            uint64_t seed) {
  const auto type =
      std::find_if(kTypes.begin(), kTypes.end(),
                   [&](const auto& t) { return t.first == datatype; });
  if (type == kTypes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "datatype: expected one of numbers, got \"", datatype, "\""));
  }
  size_t num_bytes = type->second;
  for (const int64_t side : shape) {
    if (__builtin_mul_overflow(num_bytes, side, &num_bytes) ||
        num_bytes > kMaxTensorBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "request: expected at most ", kMaxTensorBytes,
          " bytes, got a tensor of [", absl::StrJoin(shape, ", "), "]"));
    }
  }
  std::string bytes(num_bytes, '\0');
  if (datatype == "FP32") FillUniform<float>(seed, bytes);
  if (datatype == "FP64") FillUniform<double>(seed, bytes);
  return bytes;
}

}  // namespace ladder::client
