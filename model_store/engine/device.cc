#include "model_store/engine/device.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ladder::model_store {

std::string Device::Name() const {
  return kind == Kind::kCpu ? "cpu" : absl::StrCat("cuda:", index);
}

absl::StatusOr<DeviceRequest> ParseDevice(absl::string_view text) {
  const Device cuda = {.kind = Device::Kind::kCuda};
  if (text == "auto") return DeviceRequest{.automatic = true, .device = cuda};
  if (text == "cpu") return DeviceRequest{};
  if (text == "cuda") return DeviceRequest{.device = cuda};
  absl::string_view digits = text;
  int index = 0;
  // SimpleAtoi alone would take signs and spaces.
  if (absl::ConsumePrefix(&digits, "cuda:") &&
      digits.find_first_not_of("0123456789") == absl::string_view::npos &&
      absl::SimpleAtoi(digits, &index)) {
    return DeviceRequest{.device = {.kind = cuda.kind, .index = index}};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "device: expected auto, cpu, cuda or cuda:N, got \"", text, "\""));
}

}  // namespace ladder::model_store
