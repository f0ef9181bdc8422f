#ifndef LADDER_TRAINER_DATA_DATASET_BUILDER_H_
#define LADDER_TRAINER_DATA_DATASET_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "trainer/data/dataset.h"
#include "trainer/data/names.h"

namespace ladder::trainer {

// A row of a data set's description. Domain and region are names; a region that
// is empty is none.
struct SampleRow {
  int64_t label = 0;
  absl::string_view domain = {};
  absl::string_view region = {};
  Split split = Split::kTrain;
};

// Collects rows and gives domains and regions their final numbers.
class DatasetBuilder {
 public:
  // A fault (fault.h) if a name cannot be used; then nothing has changed.
  absl::Status Add(const SampleRow& row);

  size_t num_samples() const { return samples_.size(); }

  // The samples with domains and regions; classes, input and reader are the
  // caller's to fill. The builder is empty afterwards.
  Dataset Build();

 private:
  std::vector<SampleInfo> samples_;
  Names domains_;
  Names regions_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_DATASET_BUILDER_H_
