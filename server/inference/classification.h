#ifndef LADDER_SERVER_INFERENCE_CLASSIFICATION_H_
#define LADDER_SERVER_INFERENCE_CLASSIFICATION_H_

#include <cstddef>
#include <span>
#include <string>

#include "routing/matrix_view.h"

namespace ladder::server {

// The protocol's classification of an output: for each row its `top_n` highest
// values, highest first, ties to the lower column, NaN last, as elements
// "value:column:name" of a raw BYTES tensor [rows, top_n]. Expects one name per
// column and `top_n` at most that number.
std::string ClassificationBytes(const routing::MatrixView& values,
                                std::span<const std::string> names,
                                size_t top_n);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_CLASSIFICATION_H_
