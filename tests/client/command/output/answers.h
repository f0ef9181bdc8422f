#ifndef LADDER_TESTS_CLIENT_COMMAND_OUTPUT_ANSWERS_H_
#define LADDER_TESTS_CLIENT_COMMAND_OUTPUT_ANSWERS_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/command/output/output_options.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

inline v1::Matrix MatrixOf(uint32_t columns, std::vector<float> values) {
  v1::Matrix matrix;
  matrix.set_columns(columns);
  matrix.set_float32(values.data(), values.size() * sizeof(float));
  return matrix;
}

// Two classes and two sources.
inline OutputFileOptions SmallOptions(
    const std::filesystem::path& predictions) {
  return {.predictions = predictions,
          .classes = {"cat", "dog"},
          .sources = {"north", "south"}};
}

// Predictions for `n` samples from `first` on, with ids and one probability.
inline v1::Predictions SmallPredictions(uint64_t first, int n) {
  v1::Predictions predictions;
  predictions.set_first_index(first);
  for (int i = 0; i < n; ++i) {
    predictions.add_ids(absl::StrCat("s", first + static_cast<uint64_t>(i)));
    predictions.add_labels(i % 2);
    predictions.add_top_classes(i % 2);
    predictions.add_top_probabilities(0.75f);
  }
  return predictions;
}

inline v1::Routing SmallRouting() {
  v1::Routing routing;
  routing.set_model("m");
  routing.set_version(3);
  routing.set_method(v1::METHOD_LADDER);
  routing.set_effective_experts(1.5);
  for (const char* name : {"north", "south"}) {
    v1::SourceWeight& source = *routing.add_sources();
    source.set_source(name);
    source.set_weight(0.5);
  }
  return routing;
}

inline std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_COMMAND_OUTPUT_ANSWERS_H_
