#include "experiments/example/garments.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "experiments/example/idx_file.h"

namespace ladder::trainer {
namespace {

// By Fashion-MNIST's label: its class's place in kGarmentClasses.
constexpr std::array<uint8_t, kGarmentClasses.size()> kClassOfLabel = {
    1,   // T-shirt/top
    6,   // Trouser
    2,   // Pullover
    4,   // Dress
    3,   // Coat
    8,   // Sandal
    0,   // Shirt
    9,   // Sneaker
    5,   // Bag
    7};  // Ankle boot

absl::StatusOr<IdxArray> ReadPart(const std::filesystem::path& path,
                                  size_t num_dimensions) {
  absl::StatusOr<IdxArray> array = ReadIdx(path, num_dimensions);
  if (!absl::IsNotFound(array.status())) return array;
  return absl::NotFoundError(absl::StrCat(
      array.status().message(),
      "; install the package dataset-fashion-mnist or pass its folder"));
}

absl::Status AppendPictures(const std::filesystem::path& path,
                            Garments& garments) {
  const absl::StatusOr<IdxArray> array = ReadPart(path, /*num_dimensions=*/3);
  if (!array.ok()) return array.status();
  if (array->shape[1] != kGarmentSide || array->shape[2] != kGarmentSide) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": expected pictures of ", kGarmentSide,
                     " x ", kGarmentSide, ", found an array of ",
                     absl::StrJoin(array->shape, " x ")));
  }
  garments.pixels.insert(garments.pixels.end(), array->values.begin(),
                         array->values.end());
  return absl::OkStatus();
}

absl::Status AppendLabels(const std::filesystem::path& path,
                          Garments& garments) {
  const absl::StatusOr<IdxArray> array = ReadPart(path, /*num_dimensions=*/1);
  if (!array.ok()) return array.status();
  for (const uint8_t label : array->values) {
    if (label >= kClassOfLabel.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path.string(), ": expected labels from 0 to ",
                       kClassOfLabel.size() - 1, ", found ", label));
    }
    garments.labels.push_back(kClassOfLabel[label]);
  }
  const size_t num_pictures = garments.pixels.size() / kGarmentPixels;
  if (garments.labels.size() == num_pictures) return absl::OkStatus();
  const size_t num_before = garments.labels.size() - array->values.size();
  return absl::InvalidArgumentError(
      absl::StrCat(path.string(), ": expected ", num_pictures - num_before,
                   " labels, one a picture, found ", array->values.size()));
}

}  // namespace

absl::StatusOr<Garments> ReadGarments(const std::filesystem::path& folder) {
  Garments garments;
  for (const std::string part : {"train", "t10k"}) {
    absl::Status status =
        AppendPictures(folder / (part + "-images-idx3-ubyte.gz"), garments);
    if (!status.ok()) return status;
    status = AppendLabels(folder / (part + "-labels-idx1-ubyte.gz"), garments);
    if (!status.ok()) return status;
  }
  return garments;
}

}  // namespace ladder::trainer
