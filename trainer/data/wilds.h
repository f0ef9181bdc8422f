#ifndef LADDER_TRAINER_DATA_WILDS_H_
#define LADDER_TRAINER_DATA_WILDS_H_

#include <filesystem>

#include "absl/status/statusor.h"
#include "trainer/data/open_dataset.h"

// The data sets of WILDS (Koh et al. 2021) that the paper uses, as its package
// unpacks them. What is said here of their files follows WILDS 2.0's loaders
// and preprocessing scripts (iwildcam_dataset.py, fmow_dataset.py,
// create_split.py, process_metadata_fmow.py).
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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_WILDS_H_
