#include "server/inference/bytes_tensor.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

using Length = uint32_t;
static_assert(std::endian::native == std::endian::little,
              "Lengths are copied as they are.");

absl::Status EndsTooEarly(size_t element, absl::string_view part,
                          size_t expected, size_t left) {
  return absl::InvalidArgumentError(
      absl::StrCat("element ", element, ": expected ", expected, " bytes of ",
                   part, ", ", left, " are left"));
}

}  // namespace

absl::StatusOr<std::vector<absl::string_view>> SplitBytesTensor(
    absl::string_view raw, size_t count) {
  // Before memory is taken for elements that cannot be there.
  if (count > raw.size() / sizeof(Length)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " elements with their lengths, got ",
                     raw.size(), " bytes"));
  }
  std::vector<absl::string_view> elements;
  elements.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (raw.size() < sizeof(Length)) {
      return EndsTooEarly(i, "length", sizeof(Length), raw.size());
    }
    Length length = 0;
    std::memcpy(&length, raw.data(), sizeof(length));
    raw.remove_prefix(sizeof(length));
    if (raw.size() < length) {
      return EndsTooEarly(i, "content", length, raw.size());
    }
    elements.push_back(raw.substr(0, length));
    raw.remove_prefix(length);
  }
  if (!raw.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the end behind ", count, " elements, ",
                     raw.size(), " bytes are left"));
  }
  return elements;
}

void AppendBytesElement(absl::string_view element, std::string& raw) {
  const auto length = static_cast<Length>(element.size());
  char bytes[sizeof(length)];
  std::memcpy(bytes, &length, sizeof(length));
  raw.append(bytes, sizeof(bytes));
  raw.append(element.data(), element.size());
}

}  // namespace ladder::server
