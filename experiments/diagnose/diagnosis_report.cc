#include "experiments/diagnose/diagnosis_report.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/charts/charts.h"
#include "base/files/csv.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"

namespace ladder::experiments {
namespace {

using Json = nlohmann::ordered_json;

size_t NumSourcesWithSamples(const SourceGeometry& geometry) {
  size_t count = 0;
  for (const size_t samples : geometry.num_samples) count += samples > 0;
  return count;
}

std::string PercentText(double share) {
  return absl::StrFormat("%.1f%%", 100 * share);
}

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
  base::Table correlations(
      {{"  STYLE DISTANCE AND"}, {"SPEARMAN RHO", base::ColumnKind::kNumber}});
  for (const PairMeasure measure : kPairMeasures) {
    const std::optional<double>& rho = geometry.rho[measure];
    correlations.AddRow(
        {absl::StrCat("  ", PairMeasureName(measure)),
         rho.has_value() ? absl::StrFormat("%.2f", *rho) : "-"});
  }
  base::Table accuracies({{"  PREDICTED"},
                          {"FROM Z_C", base::ColumnKind::kNumber},
                          {"FROM Z_S", base::ColumnKind::kNumber},
                          {"MAJORITY", base::ColumnKind::kNumber}});
  const auto add = [&](const char* name, const ProbePair& pair) {
    accuracies.AddRow({name, PercentText(pair.content_accuracy),
                       PercentText(pair.style_accuracy),
                       PercentText(pair.majority)});
  };
  add("  source", probes.domain);
  add("  class", probes.label);
  if (probes.domain_given_class.has_value()) {
    add("  source, given class", *probes.domain_given_class);
  }
  return absl::StrCat(
      "source geometry: ", geometry.pairs.size(), " pairs of ",
      NumSourcesWithSamples(geometry), " sources\n", correlations.Render({}),
      "linear probes: ", probes.num_samples,
      " samples, accuracy on those held out\n", accuracies.Render({}), "  ",
      probes.num_eligible_classes,
      " classes have 20 samples or more in 3 sources or more\n");
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
                    base::ShortestText(pair.style_distance));
    for (const PairMeasure measure : kPairMeasures) {
      const std::optional<double>& value = pair.measures[measure];
      absl::StrAppend(&csv, ",",
                      value.has_value() ? base::ShortestText(*value) : "");
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

std::string GeometryFigure(const SourceGeometry& geometry,
                           PairMeasure measure) {
  const std::string name(PairMeasureName(measure));
  base::ScatterPlot plot{
      .text = {.title = absl::StrCat("Style distance and ", name),
               .x_label = "style distance",
               .y_label = name},
      .groups = {{.name = "pairs of sources"}}};
  if (const auto& rho = geometry.rho[measure]; rho.has_value()) {
    absl::StrAppendFormat(&plot.text.title, " (Spearman ρ = %.2f)", *rho);
  }
  for (const SourcePair& pair : geometry.pairs) {
    if (!pair.measures[measure].has_value()) continue;
    plot.groups[0].points.push_back(
        {pair.style_distance, *pair.measures[measure]});
  }
  return base::DrawScatterPlot(plot);
}

std::string EmbeddingFigure(const Embedding& embedding,
                            std::span<const int64_t> groups,
                            const std::vector<std::string>& names,
                            absl::string_view title) {
  std::vector<base::ScatterGroup> all(names.size());
  for (size_t i = 0; i < names.size(); ++i) all[i].name = names[i];
  for (size_t i = 0; i < embedding.rows.size(); ++i) {
    const int64_t group = groups[embedding.rows[i]];
    if (group < 0 || static_cast<uint64_t>(group) >= names.size()) continue;
    all[static_cast<size_t>(group)].points.push_back(embedding.places[i]);
  }
  base::ScatterPlot plot{.text = {.title = std::string(title),
                                  .x_label = "t-SNE 1",
                                  .y_label = "t-SNE 2"}};
  for (base::ScatterGroup& group : all) {
    if (!group.points.empty()) plot.groups.push_back(std::move(group));
  }
  return base::DrawScatterPlot(plot);
}

}  // namespace ladder::experiments
