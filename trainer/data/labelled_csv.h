#ifndef LADDER_TRAINER_DATA_LABELLED_CSV_H_
#define LADDER_TRAINER_DATA_LABELLED_CSV_H_

#include <filesystem>

#include "absl/status/statusor.h"
#include "trainer/data/open_dataset.h"

namespace ladder::trainer {

// A CSV file with the columns path, label, domain, split and, optionally,
// region: one picture a row, its path relative to the file's folder. Columns
// beyond these are ignored.
absl::StatusOr<LoadedDataset> LoadLabelledCsv(const std::filesystem::path& csv,
                                              const DatasetOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_LABELLED_CSV_H_
