#ifndef LADDER_TRAINER_DATA_SAMPLE_COLUMNS_H_
#define LADDER_TRAINER_DATA_SAMPLE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/files/csv_table.h"
#include "trainer/data/dataset.h"
#include "trainer/data/dataset_builder.h"
#include "trainer/data/names.h"

namespace ladder::trainer {

// The columns "label", "domain", "split" and, optionally, "region" of the
// layouts that are our own, and the samples that their rows become.
class SampleColumns {
 public:
  // InvalidArgument, as CsvTable::RequireColumn, if one is missing.
  static absl::StatusOr<SampleColumns> Find(const base::CsvTable& table);

  // Whether the column is one of these.
  bool Include(size_t column) const;

  // Takes the row at hand as a sample. A fault (fault.h) if it is broken; then
  // nothing has changed.
  absl::Status AddRow(const base::CsvTable& table);

  // All samples with their classes, domains and regions; input and reader are
  // the caller's to fill. Nothing is left afterwards.
  Dataset Build();

 private:
  size_t label_ = 0;
  size_t domain_ = 0;
  size_t split_ = 0;
  std::optional<size_t> region_;
  Names classes_;
  std::vector<int64_t> labels_;  // By sample, into classes_.
  DatasetBuilder builder_;
};

// The split of this name. A fault (fault.h) if there is none.
absl::StatusOr<Split> ParseSplit(absl::string_view name);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_SAMPLE_COLUMNS_H_
