#include "experiments/diagnose/figures.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/charts/charts.h"

namespace ladder::experiments {

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
