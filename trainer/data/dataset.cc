#include "trainer/data/dataset.h"

namespace ladder::trainer {
namespace {

constexpr Split kSplits[] = {Split::kTrain, Split::kIdVal, Split::kIdTest,
                             Split::kVal, Split::kTest};

}  // namespace

absl::string_view SplitName(Split split) {
  switch (split) {
    case Split::kTrain:
      return "train";
    case Split::kIdVal:
      return "id_val";
    case Split::kIdTest:
      return "id_test";
    case Split::kVal:
      return "val";
    case Split::kTest:
      return "test";
  }
  return "unknown";
}

std::optional<Split> FindSplit(absl::string_view name) {
  for (const Split split : kSplits) {
    if (SplitName(split) == name) return split;
  }
  return std::nullopt;
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
