#include "server/observe/store_contents.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/observe/metric_family.h"

namespace ladder::server {
namespace {

constexpr size_t kShortSha256 = 12;  // Hex digits, to recognise a bundle by.

}  // namespace

StoreContents::StoreContents(std::function<model_store::StoreInfo()> list)
    : list_(std::move(list)) {}

std::vector<prometheus::MetricFamily> StoreContents::Collect() const {
  const model_store::StoreInfo store = list_();
  std::vector<LabelledValue> info;
  std::vector<LabelledValue> served;
  for (const model_store::ModelInfo& model : store.models) {
    served.push_back({.labels = {{"model", model.name}},
                      .value = static_cast<double>(model.served.size())});
    for (const model_store::VersionInfo& version : model.versions) {
      if (version.state != model_store::VersionState::kServing) continue;
      info.push_back(
          {.labels = {{"model", model.name},
                      {"version", absl::StrCat(version.version)},
                      {"sha256", version.sha256.substr(0, kShortSha256)}},
           .value = 1});
    }
  }
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  return {
      MakeFamily("ladder_model_info", "Served versions of models.", kGauge,
                 info),
      MakeFamily("ladder_model_served_versions",
                 "How many versions of a model are served.", kGauge, served),
      MakeFamily("ladder_store_readable",
                 "1 if the store's directory could be read, else 0.", kGauge,
                 {{.labels = {}, .value = store.status.ok() ? 1.0 : 0.0}})};
}

}  // namespace ladder::server
