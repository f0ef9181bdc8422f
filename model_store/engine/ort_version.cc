#include "model_store/engine/ort_version.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ladder::model_store {
namespace {

constexpr std::pair<int, int> kOldest = {1, 24};

}  // namespace

absl::Status CheckOrtVersion(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  std::pair<int, int> found;
  if (parts.size() >= 2 && absl::SimpleAtoi(parts[0], &found.first) &&
      absl::SimpleAtoi(parts[1], &found.second) && found >= kOldest) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("ONNX Runtime library: expected version ", kOldest.first,
                   ".", kOldest.second, " or later, found \"", version, "\""));
}

}  // namespace ladder::model_store
