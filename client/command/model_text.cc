#include "client/command/model_text.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "client/command/output/message_text.h"

namespace ladder::client {
namespace {

constexpr int kShownClasses = 10;

// Little-endian, as the wire has it.
float FloatAt(const std::string& bytes, size_t index) {
  uint32_t bits = 0;
  for (size_t i = 4; i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(bytes[4 * index + i]);
  }
  return std::bit_cast<float>(bits);
}

std::string InputText(const v1::GetModelResponse& model) {
  return absl::StrCat(model.takes_images() ? "JPEG or PNG, or " : "",
                      "float32 [n, ", absl::StrJoin(model.sample_shape(), ", "),
                      "]; batches up to ", model.max_batch());
}

std::string ClassesText(const v1::GetModelResponse& model, bool all,
                        const base::Terminal& terminal) {
  const int shown = all ? model.classes_size()
                        : std::min(model.classes_size(), kShownClasses);
  std::string text =
      absl::StrCat(model.classes_size(), ": ",
                   absl::StrJoin(model.classes().begin(),
                                 model.classes().begin() + shown, ", "));
  if (shown < model.classes_size()) {
    absl::StrAppend(&text, terminal.utf8 ? ", … " : ", ... ",
                    model.classes_size() - shown, " more");
  }
  return text;
}

std::string RoutingText(const v1::RoutingDefaults& routing) {
  return absl::StrCat(MethodName(routing.method()), ", k ",
                      routing.k() == 0 ? "all" : absl::StrCat(routing.k()),
                      ", tau ", base::NumberText(routing.tau()), ", blur ",
                      base::NumberText(routing.blur()), ", scaling ",
                      base::NumberText(routing.scaling()), ", up to ",
                      base::CountText(routing.max_style_samples()),
                      " style samples of a group");
}

std::string SourceTable(const v1::GetModelResponse& model,
                        const base::Terminal& terminal) {
  base::Table table({{"source"},
                     {"training samples", base::ColumnKind::kNumber},
                     {"fingerprint", base::ColumnKind::kNumber},
                     {"nearest other"},
                     {"distance", base::ColumnKind::kNumber}});
  for (int i = 0; i < model.sources_size(); ++i) {
    const v1::Source& source = model.sources(i);
    const std::optional<Neighbour> nearest = NearestSource(model, i);
    table.AddRow(
        {source.name(), base::CountText(source.training_samples()),
         base::CountText(source.fingerprint_samples()),
         nearest.has_value() ? model.sources(nearest->source).name() : "-",
         nearest.has_value() ? base::NumberText(nearest->distance) : "-"});
  }
  return table.Render(terminal);
}

}  // namespace

std::optional<Neighbour> NearestSource(const v1::GetModelResponse& model,
                                       int source) {
  const auto num_sources = static_cast<size_t>(model.sources_size());
  const std::string& distances = model.source_distances().float32();
  if (distances.size() != 4 * num_sources * num_sources) return std::nullopt;
  std::optional<Neighbour> nearest;
  for (int other = 0; other < model.sources_size(); ++other) {
    const double distance =
        FloatAt(distances, static_cast<size_t>(source) * num_sources +
                               static_cast<size_t>(other));
    if (other != source &&
        (!nearest.has_value() || distance < nearest->distance)) {
      nearest = {other, distance};
    }
  }
  return nearest;
}

std::string RenderModel(const v1::GetModelResponse& model, bool all_classes,
                        const base::Terminal& terminal) {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    absl::StrAppendFormat(&text, "%-12s%s\n", what,
                          base::PrintableText(value, terminal.utf8));
  };
  add("model", absl::StrCat(model.name(), " ", model.version()));
  add("sha256", model.sha256());
  add("created", absl::StrCat(TimeText(model.created()), " by trainer ",
                              model.trainer_version()));
  add("input", InputText(model));
  add("dimensions", absl::StrCat("content ", model.content_dimension(),
                                 ", style ", model.style_dimension()));
  add("routing", RoutingText(model.routing()));
  add("coverage", model.routing().calibrated()
                      ? "calibrated"
                      : "not calibrated: verdicts are UNKNOWN");
  add("classes", ClassesText(model, all_classes, terminal));
  add("sources", absl::StrCat(model.sources_size()));
  return absl::StrCat(text, "\n", SourceTable(model, terminal));
}

}  // namespace ladder::client
