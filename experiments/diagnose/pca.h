#ifndef LADDER_EXPERIMENTS_DIAGNOSE_PCA_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_PCA_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"

namespace ladder::trainer {

// The coordinates of `points` along the `num_components` directions of largest
// variance, around their mean: row-major, points.rows x num_components, largest
// variance first. Of directions with nearly the same variance any mixture may
// come, but always the same.
//
// Expects finite points, at least one of them, and at most as many components
// as columns. The same bits on any number of threads; Cancelled as
// routing::Execution.
absl::StatusOr<std::vector<double>> PrincipalComponents(
    const routing::MatrixView& points, size_t num_components,
    const routing::Execution& execution);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_PCA_H_
