#include "experiments/example/example_options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kMaxCount = 1'000'000;  // Far more than there are pictures.

}  // namespace

absl::Status ExampleOptions::Validate() const {
  const struct {
    absl::string_view name;
    int64_t value;
    int64_t least;
  } counts[] = {{"num_sources", num_sources, 1},
                {"num_targets", num_targets, 0},
                {"frames_per_source", frames_per_source, 1},
                {"held_out_per_source", held_out_per_source, 0},
                {"frames_per_target", frames_per_target, 1}};
  for (const auto& [name, value, least] : counts) {
    if (value >= least && value <= kMaxCount) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": expected ", least, " to ", kMaxCount, ", got ", value));
  }
  if (out.empty()) {
    return absl::InvalidArgumentError("out: expected a folder's name");
  }
  return absl::OkStatus();
}

}  // namespace ladder::trainer
