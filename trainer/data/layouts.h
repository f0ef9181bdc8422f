#ifndef LADDER_TRAINER_DATA_LAYOUTS_H_
#define LADDER_TRAINER_DATA_LAYOUTS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/data/open_dataset.h"

// One function for each layout that OpenDataset knows. Each reads what
// describes a data set, and no covariates; errors are as OpenDataset has them.
//
// iWildCam and FMoW are the data sets of WILDS (Koh et al. 2021) that the paper
// uses, as its package unpacks them. What is said here of their files follows
// WILDS 2.0's loaders and preprocessing scripts (iwildcam_dataset.py,
// fmow_dataset.py, create_split.py, process_metadata_fmow.py).
namespace ladder::trainer {

// iwildcam_v2.0: `metadata.csv` with the columns split, location_remapped, y
// and filename (others are ignored), pictures in `train/` whatever their split,
// and the classes' names in `categories.csv` (y, name), without which a class
// is named by its number. Domains are locations, named by location_remapped.
absl::StatusOr<LoadedDataset> LoadIWildCam(const std::filesystem::path& folder,
                                           const DatasetOptions& options);

// fmow_v1.1: `rgb_metadata.csv` with the columns split, category, timestamp and
// country_code (others are ignored), the picture of its i-th row, from 0, in
// `images/rgb_img_<i>.png`, and `country_code_mapping.csv` (alpha-3, region).
// Domains are years in UTC. Regions are the countries', or "Other".
//
// Splits are WILDS's official ones: the rows' own train, val and test before
// 2013 are train, id_val and id_test; val in 2013 to 2015 is val, and test from
// 2016 on is test. Rows beyond these, and sequestered ones ("seq"), are left
// out.
//
// Malformed rows are fatal whatever the options say: rows number the pictures,
// and one could hide others.
absl::StatusOr<LoadedDataset> LoadFmow(const std::filesystem::path& folder,
                                       const DatasetOptions& options);

// The 62 land uses of FMoW (Christie et al. 2018), in the order in which WILDS
// numbers them, which is also that of the alphabet.
const std::vector<std::string>& FmowCategories();

// A CSV file with the columns path, label, domain, split and, optionally,
// region: one picture a row, its path relative to the file's folder. Columns
// beyond these are ignored.
absl::StatusOr<LoadedDataset> LoadLabelledCsv(const std::filesystem::path& csv,
                                              const DatasetOptions& options);

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

#endif  // LADDER_TRAINER_DATA_LAYOUTS_H_
