#ifndef LADDER_MODEL_STORE_FORMAT_MANIFEST_H_
#define LADDER_MODEL_STORE_FORMAT_MANIFEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "routing/coverage.h"
#include "routing/sinkhorn_options.h"
#include "routing/weights.h"

namespace ladder::model_store {

// The version of the on-disk format that this code writes; it reads this one
// and all before. docs/model_format.md describes every field.
inline constexpr uint64_t kFormatVersion = 1;

inline constexpr char kManifestFile[] = "manifest.json";
// Far more than any manifest needs; larger files are refused unread.
inline constexpr size_t kMaxManifestBytes = size_t{64} << 20;

// Samples are tensors of this shape, without the batch dimension.
struct TensorInput {
  std::vector<int64_t> shape = {};
};

// Samples are RGB pictures, scaled to height x width, their channels in [0, 1]
// normalised by mean and std: a [3, height, width] tensor.
struct ImageInput {
  int64_t height = 0;
  int64_t width = 0;
  std::array<float, 3> mean = {};
  std::array<float, 3> std = {};
};

using InputSpec = std::variant<TensorInput, ImageInput>;

// The shape of one sample as the encoder sees it.
std::vector<int64_t> SampleShape(const InputSpec& input);

struct Source {
  std::string name = {};
  uint64_t training_samples = 0;
  size_t fingerprint_samples = 0;
};

// What a request that says nothing else gets.
struct RoutingDefaults {
  routing::Method method = routing::Method::kLadder;
  size_t k = 5;  // Or routing::kAllSources.
  double tau = 0.5;
  routing::SinkhornOptions sinkhorn = {};
  size_t max_style_samples = 1024;
  uint64_t seed = 0;
};

struct FileRecord {
  uint64_t size = 0;
  std::string sha256 = {};  // Lower-case hexadecimal.
};

// What a bundle says of itself: the content of manifest.json.
struct Manifest {
  std::string model = {};
  uint64_t version = 0;
  absl::Time created = {};
  std::string trainer_version = {};
  std::string trainer_config = "{}";  // JSON text of an object, any.
  std::vector<std::string> classes = {};
  std::vector<Source> sources = {};
  size_t content_dimension = 0;  // d_c
  size_t style_dimension = 0;    // d_s
  InputSpec input = {};
  RoutingDefaults routing = {};
  routing::CoverageCalibration coverage = {};
  // How far the sources lie from each other, row-major E x E, symmetric, zero
  // on the diagonal; empty if it was not measured.
  std::vector<double> source_distances = {};
  std::map<std::string, FileRecord> files = {};

  size_t num_sources() const { return sources.size(); }
  size_t num_classes() const { return classes.size(); }

  // InvalidArgument, naming the field, what was expected and what was found.
  // Does not look at `files`: their names are the bundle's business.
  absl::Status Validate() const;
};

// Letters, digits, '_', '-' and '.', at most 128, not beginning with a '.': a
// name that is safe as a folder's, a metric's label and part of a URL.
absl::Status CheckModelName(absl::string_view name);

// Parses and validates. InvalidArgument, naming the field by its path
// ("sources[3].name"), what was expected and what was found; unknown fields
// are ignored, so that later writers may add some.
absl::StatusOr<Manifest> ParseManifest(absl::string_view json);

// The text of manifest.json: indented, keys in a fixed order, numbers that
// parse back to the same bits. Expects a valid manifest.
std::string FormatManifest(const Manifest& manifest);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_MANIFEST_H_
