#ifndef LADDER_TRAINER_ENCODE_TRAINED_STACK_H_
#define LADDER_TRAINER_ENCODE_TRAINED_STACK_H_

#include <string>
#include <vector>

#include "model_store/format/bundle.h"
#include "model_store/format/manifest.h"
#include "routing/coverage.h"
#include "routing/linear_heads.h"

namespace ladder::trainer {

// All that training learns behind the encoder, in plain numbers: the sources'
// heads and fingerprints. With encoder.onnx it makes a bundle; with encoded
// samples it makes predictions.
struct TrainedStack {
  std::vector<std::string> classes;
  std::vector<model_store::Source> sources;
  routing::LinearHeads heads;
  model_store::SourceStyles styles;
  routing::CoverageCalibration coverage;
  // How far the sources lie from each other, row-major E x E, zero on the
  // diagonal.
  std::vector<double> source_distances;
  model_store::RoutingDefaults routing;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_ENCODE_TRAINED_STACK_H_
