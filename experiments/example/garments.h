#ifndef LADDER_EXPERIMENTS_EXAMPLE_GARMENTS_H_
#define LADDER_EXPERIMENTS_EXAMPLE_GARMENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::experiments {

// Debian's package dataset-fashion-mnist puts its files here.
inline constexpr char kDebianGarments[] = "/usr/share/datasets/fashion-mnist";

// The classes in the example's own order: neighbours live in alike habitats.
inline constexpr std::array<absl::string_view, 10> kGarmentClasses = {
    "shirt", "top",     "pullover", "coat",   "dress",
    "bag",   "trouser", "boot",     "sandal", "sneaker"};

inline constexpr size_t kGarmentSide = 28;  // A picture's side in pixels.
inline constexpr size_t kGarmentPixels = kGarmentSide * kGarmentSide;

// Grey pictures of clothes, with their classes.
struct Garments {
  std::vector<uint8_t> pixels = {};  // Row by row, picture by picture.
  std::vector<uint8_t> labels = {};  // Index into kGarmentClasses, by picture.

  std::span<const uint8_t, kGarmentPixels> picture(size_t i) const {
    return std::span(pixels)
        .subspan(i * kGarmentPixels)
        .first<kGarmentPixels>();
  }
};

// Reads all of Fashion-MNIST, its training pictures and then its test pictures.
// NotFound if a file is missing, InvalidArgument if one is broken; both name
// it.
absl::StatusOr<Garments> ReadGarments(const std::filesystem::path& folder);

// An array of bytes, the last dimension lying together.
struct IdxArray {
  std::vector<size_t> shape = {};
  std::vector<uint8_t> values = {};
};

// Reads a file in the IDX format of the MNIST data sets, as it is or in gzip.
// NotFound if there is none, else InvalidArgument if it is not an array of
// unsigned bytes in so many dimensions (1 to 255), is of more than 1 GiB, or is
// longer or shorter than its header says. Messages name the path.
absl::StatusOr<IdxArray> ReadIdx(const std::filesystem::path& path,
                                 size_t num_dimensions);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_EXAMPLE_GARMENTS_H_
