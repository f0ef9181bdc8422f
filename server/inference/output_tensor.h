#ifndef LADDER_SERVER_INFERENCE_OUTPUT_TENSOR_H_
#define LADDER_SERVER_INFERENCE_OUTPUT_TENSOR_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"
#include "routing/matrix_view.h"
#include "server/inference/model_description.h"

namespace ladder::server {

// The outputs of every model. FP32 with a column per class or per source,
// except for the label: INT64, one per row.
enum class Output { kProbabilities, kLogits, kLabel, kWeights, kDistances };

inline constexpr std::array kAllOutputs = {
    Output::kProbabilities, Output::kLogits, Output::kLabel, Output::kWeights,
    Output::kDistances};

// "probabilities", "logits", "label", "weights", "distances".
absl::string_view OutputName(Output output);

// What the columns stand for: classes or sources; none for kLabel.
std::span<const std::string> ColumnNames(Output output,
                                         const ModelSignature& model);

struct WantedOutput {
  Output output = Output::kProbabilities;
  // If above 0, only the highest `top_n` of each row, with the names of their
  // columns; at most as many as there are columns.
  size_t top_n = 0;

  friend bool operator==(const WantedOutput&, const WantedOutput&) = default;
};

// The outputs that a request asks for, in its order; probabilities, label and
// weights if it names none. InvalidArgument, naming the output, if one is
// unknown, comes twice or has a parameter that it cannot have.
absl::StatusOr<std::vector<WantedOutput>> ParseWantedOutputs(
    const inference::ModelInferRequest& request, const ModelSignature& model);

// Appends an element to the raw form of a BYTES tensor: its length as four
// little-endian bytes, then itself. `element` must be shorter than 4 GiB.
void AppendBytesElement(absl::string_view element, std::string& raw);

// The protocol's classification of an output: for each row its `top_n` highest
// values, highest first, ties to the lower column, NaN last, as elements
// "value:column:name" of a raw BYTES tensor [rows, top_n]. Expects one name per
// column and `top_n` at most that number.
std::string ClassificationBytes(const routing::MatrixView& values,
                                std::span<const std::string> names,
                                size_t top_n);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_OUTPUT_TENSOR_H_
