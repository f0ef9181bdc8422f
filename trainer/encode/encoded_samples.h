#ifndef LADDER_TRAINER_ENCODE_ENCODED_SAMPLES_H_
#define LADDER_TRAINER_ENCODE_ENCODED_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::trainer {

// Labelled samples behind a frozen encoder, in plain numbers: row i of
// every matrix and entry i of every list is of one sample.
struct EncodedSamples {
  size_t content_dimension = 0;
  size_t style_dimension = 0;
  size_t num_sources = 0;
  std::vector<float> content = {};    // z_c, n x content_dimension.
  std::vector<float> style = {};      // z_s, n x style_dimension; raw.
  std::vector<float> gate = {};       // rho_s(z_s), n x num_sources.
  std::vector<int64_t> labels = {};   // Indices into Dataset::classes.
  std::vector<int64_t> domains = {};  // Indices into Dataset::domains.
  std::vector<int64_t> regions = {};  // Indices into Dataset::regions, or -1.

  size_t size() const { return labels.size(); }
  routing::MatrixView content_view() const {
    return {content.data(), size(), content_dimension};
  }
  routing::MatrixView style_view() const {
    return {style.data(), size(), style_dimension};
  }
  routing::MatrixView gate_view() const {
    return {gate.data(), size(), num_sources};
  }
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_ENCODE_ENCODED_SAMPLES_H_
