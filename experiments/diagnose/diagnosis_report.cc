#include "experiments/diagnose/diagnosis_report.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/files/csv.h"

namespace ladder::experiments {
namespace {

using Json = nlohmann::ordered_json;

size_t NumSourcesWithSamples(const SourceGeometry& geometry) {
  size_t count = 0;
  for (const size_t samples : geometry.num_samples) count += samples > 0;
  return count;
}

std::string ProbeLine(absl::string_view name, const ProbePair& pair) {
  return absl::StrFormat("  %-20s%9.1f%%%9.1f%%%11.1f%%\n", name,
                         100 * pair.content_accuracy, 100 * pair.style_accuracy,
                         100 * pair.majority);
}

// Digits enough to read the same number back.
std::string Exact(double value) { return absl::StrFormat("%.17g", value); }

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json MeasuresJson(const PairMeasures& measures) {
  Json json = Json::object();
  for (const PairMeasure measure : kPairMeasures) {
    json[std::string(PairMeasureKey(measure))] = OrNull(measures[measure]);
  }
  return json;
}

Json ProbePairJson(const ProbePair& pair) {
  return {{"content_accuracy", pair.content_accuracy},
          {"style_accuracy", pair.style_accuracy},
          {"majority", pair.majority}};
}

Json GeometryJson(const SourceGeometry& geometry) {
  Json sources = Json::array();
  for (size_t i = 0; i < geometry.sources.size(); ++i) {
    sources.push_back(
        {{"name", geometry.sources[i]}, {"samples", geometry.num_samples[i]}});
  }
  Json pairs = Json::array();
  for (const SourcePair& pair : geometry.pairs) {
    Json entry = {{"first", geometry.sources[pair.first]},
                  {"second", geometry.sources[pair.second]},
                  {"style_distance", pair.style_distance}};
    entry.update(MeasuresJson(pair.measures));
    pairs.push_back(std::move(entry));
  }
  return {{"sources", std::move(sources)},
          {"spearman_rho", MeasuresJson(geometry.rho)},
          {"pairs", std::move(pairs)}};
}

}  // namespace

std::string DiagnosisText(const Diagnosis& diagnosis) {
  const SourceGeometry& geometry = diagnosis.geometry;
  const ProbeReport& probes = diagnosis.probes;
  std::string text =
      absl::StrFormat("source geometry: %d pairs of %d sources\n  %-26s%s\n",
                      geometry.pairs.size(), NumSourcesWithSamples(geometry),
                      "STYLE DISTANCE AND", "SPEARMAN RHO");
  for (const PairMeasure measure : kPairMeasures) {
    const std::optional<double>& rho = geometry.rho[measure];
    absl::StrAppendFormat(
        &text, "  %-26s%12s\n", PairMeasureName(measure),
        rho.has_value() ? absl::StrFormat("%.2f", *rho) : "-");
  }
  absl::StrAppendFormat(
      &text, "linear probes: %d samples, accuracy on those held out\n",
      probes.num_samples);
  absl::StrAppendFormat(&text, "  %-20s%10s%10s%12s\n", "PREDICTED", "FROM Z_C",
                        "FROM Z_S", "MAJORITY");
  absl::StrAppend(&text, ProbeLine("source", probes.domain),
                  ProbeLine("class", probes.label));
  if (probes.domain_given_class.has_value()) {
    absl::StrAppend(
        &text, ProbeLine("source, given class", *probes.domain_given_class));
  }
  absl::StrAppendFormat(
      &text, "  %d classes have 20 samples or more in 3 sources or more\n",
      probes.num_eligible_classes);
  return text;
}

std::string PairsCsv(const SourceGeometry& geometry) {
  std::string csv = "first,second,style_distance";
  for (const PairMeasure measure : kPairMeasures) {
    absl::StrAppend(&csv, ",", PairMeasureKey(measure));
  }
  absl::StrAppend(&csv, "\n");
  for (const SourcePair& pair : geometry.pairs) {
    absl::StrAppend(&csv, base::CsvField(geometry.sources[pair.first]), ",",
                    base::CsvField(geometry.sources[pair.second]), ",",
                    Exact(pair.style_distance));
    for (const PairMeasure measure : kPairMeasures) {
      const std::optional<double>& value = pair.measures[measure];
      absl::StrAppend(&csv, ",", value.has_value() ? Exact(*value) : "");
    }
    absl::StrAppend(&csv, "\n");
  }
  return csv;
}

Json DiagnosisJson(const Diagnosis& diagnosis) {
  const ProbeReport& probes = diagnosis.probes;
  return {
      {"geometry", GeometryJson(diagnosis.geometry)},
      {"probes",
       {{"samples", probes.num_samples},
        {"domain", ProbePairJson(probes.domain)},
        {"label", ProbePairJson(probes.label)},
        {"domain_given_class", probes.domain_given_class.has_value()
                                   ? ProbePairJson(*probes.domain_given_class)
                                   : Json(nullptr)},
        {"eligible_classes", probes.num_eligible_classes}}}};
}

}  // namespace ladder::experiments
