#include "trainer/data/dataset.h"

#include <algorithm>
#include <iterator>

namespace ladder::trainer {
namespace {

// The names follow the order of the enum.
constexpr absl::string_view kSplitNames[] = {"train", "id_val", "id_test",
                                             "val", "test"};

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

}  // namespace ladder::trainer
