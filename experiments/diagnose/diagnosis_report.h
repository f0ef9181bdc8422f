#ifndef LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

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

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_DIAGNOSIS_REPORT_H_
