#include "model_store/engine/row_sample.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"

namespace ladder::model_store {

RowSample::RowSample(const Model& model, size_t capacity, uint64_t seed)
    : model_(model), reservoir_(capacity, seed) {}

RowSample RowSample::OfStyle(const Model& model) {
  const RoutingDefaults& defaults = model.manifest().routing;
  return RowSample(model, defaults.max_style_samples, defaults.seed);
}

absl::Status RowSample::Add(const Tensor& rows, std::stop_token stop) {
  routing::Reservoir next = reservoir_;
  // Where each slot's row lies in the held rows followed by the new ones.
  std::vector<int64_t> sources(rows_.rows());
  std::iota(sources.begin(), sources.end(), 0);
  bool changed = false;
  for (size_t row = 0; row < rows.rows(); ++row) {
    const std::optional<size_t> slot = next.Next();
    if (!slot.has_value()) continue;
    sources.resize(std::max(sources.size(), *slot + 1));
    sources[*slot] = static_cast<int64_t>(rows_.rows() + row);
    changed = true;
  }
  if (changed) {
    LADDER_ASSIGN_OR_RETURN(
        rows_, model_.SelectRows(rows_, rows, sources, std::move(stop)));
  }
  reservoir_ = next;
  return absl::OkStatus();
}

}  // namespace ladder::model_store
