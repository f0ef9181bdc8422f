#include "trainer/data/dataset.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "absl/strings/str_cat.h"
#include "model_store/format/file_bytes.h"

namespace ladder::trainer {
namespace {

// The names follow the order of the enum.
constexpr absl::string_view kSplitNames[] = {"train", "id_val", "id_test",
                                             "val", "test"};

// Adds names so that no others read the same.
void AddNames(const std::vector<std::string>& names, std::string& text) {
  absl::StrAppend(&text, names.size(), "\n");
  for (const std::string& name : names) {
    absl::StrAppend(&text, name.size(), " ", name, "\n");
  }
}

}  // namespace

absl::string_view SplitName(Split split) {
  return kSplitNames[static_cast<size_t>(split)];
}

std::optional<Split> FindSplit(absl::string_view name) {
  const auto found = std::ranges::find(kSplitNames, name);
  if (found == std::end(kSplitNames)) return std::nullopt;
  return static_cast<Split>(found - std::begin(kSplitNames));
}

size_t Dataset::sample_size() const {
  size_t size = 1;
  for (const int64_t dimension : model_store::SampleShape(input)) {
    size *= static_cast<size_t>(dimension);
  }
  return size;
}

std::vector<size_t> Dataset::SamplesOf(Split split) const {
  std::vector<size_t> of_split;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].split == split) of_split.push_back(i);
  }
  return of_split;
}

std::string DigestOf(const Dataset& dataset) {
  std::string text;
  for (const int64_t size : model_store::SampleShape(dataset.input)) {
    absl::StrAppend(&text, size, " ");
  }
  AddNames(dataset.classes, text);
  AddNames(dataset.domains, text);
  AddNames(dataset.regions, text);
  for (const SampleInfo& sample : dataset.samples) {
    absl::StrAppend(&text, sample.label, " ", sample.domain, " ", sample.region,
                    " ", SplitName(sample.split), "\n");
  }
  text += dataset.covariates;
  return model_store::Sha256(std::as_bytes(std::span(text)));
}

}  // namespace ladder::trainer
