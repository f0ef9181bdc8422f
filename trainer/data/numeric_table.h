#ifndef LADDER_TRAINER_DATA_NUMERIC_TABLE_H_
#define LADDER_TRAINER_DATA_NUMERIC_TABLE_H_

#include <filesystem>

#include "absl/status/statusor.h"
#include "trainer/data/open_dataset.h"

namespace ladder::trainer {

// A CSV file with the columns label, domain, split and, optionally, region; all
// other columns are numbers, which in their order are the covariates. They are
// checked now and parsed again when they are read, never held.
absl::StatusOr<LoadedDataset> LoadCsvTable(const std::filesystem::path& csv,
                                           const DatasetOptions& options);

// A folder with `x.npy`, an array [n, ...] of the covariates, and `samples.csv`
// with the columns label, domain, split and, optionally, region, and as many
// rows. Whether the covariates are finite shows when they are read.
absl::StatusOr<LoadedDataset> LoadNpyTable(const std::filesystem::path& folder,
                                           const DatasetOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_NUMERIC_TABLE_H_
