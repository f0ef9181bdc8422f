#ifndef LADDER_ROUTING_CHECK_MATRIX_H_
#define LADDER_ROUTING_CHECK_MATRIX_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "routing/matrix_view.h"

namespace ladder::routing {

// InvalidArgument unless `matrix` has at least one row, exactly `cols` columns
// and only finite values. Messages begin with `name` and say what was expected
// and what came: "target style: value at row 3, column 0 is nan; expected ...".
absl::Status CheckMatrix(const MatrixView& matrix, absl::string_view name,
                         size_t cols);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_CHECK_MATRIX_H_
