#ifndef LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "experiments/diagnose/embedding.h"
#include "experiments/diagnose/probes.h"
#include "experiments/diagnose/source_geometry.h"

namespace ladder::experiments {

struct Diagnosis {
  SourceGeometry geometry = {};
  ProbeReport probes = {};
};

// The text for people has rank correlations and probe accuracies, in aligned
// columns.
std::string DiagnosisText(const Diagnosis& diagnosis);

// A line for every pair of sources; a measure without a value is empty.
std::string PairsCsv(const SourceGeometry& geometry);

// All numbers; what has no value is null.
nlohmann::ordered_json DiagnosisJson(const Diagnosis& diagnosis);

// All figures are SVG. Names are UTF-8 without control characters.

// Style distance against `measure`, a mark for every pair of sources, with rho
// in the title.
std::string GeometryFigure(const SourceGeometry& geometry, PairMeasure measure);

// An embedding, coloured by group: `groups` has an index into `names` for every
// row of the matrix that was embedded. Places of another group are left out, as
// are names without a place.
std::string EmbeddingFigure(const Embedding& embedding,
                            std::span<const int64_t> groups,
                            const std::vector<std::string>& names,
                            absl::string_view title);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_
