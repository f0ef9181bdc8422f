#include "routing/style_distance.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"

namespace ladder::routing {

absl::Status StyleDistance::Compute(const MatrixView& target,
                                    std::span<const size_t> sources,
                                    std::span<double> distances,
                                    const Execution& execution) const {
  if (sources.size() != distances.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected room for ", sources.size(), " distances, got ",
                     distances.size()));
  }
  for (const size_t source : sources) {
    if (source >= num_sources()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "source index must be below ", num_sources(), ", got ", source));
    }
  }
  LADDER_RETURN_IF_ERROR(CheckMatrix(target, "target style", dimension()));
  return DoCompute(target, sources, distances, execution);
}

}  // namespace ladder::routing
