#ifndef LADDER_TRAINER_DATA_IMAGE_READER_H_
#define LADDER_TRAINER_DATA_IMAGE_READER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "imaging/decode_limits.h"
#include "imaging/preprocessor.h"
#include "model_store/format/manifest.h"
#include "trainer/data/dataset.h"

namespace ladder::trainer {

// Pictures in files, and where it is written that they are samples.
struct ImageFiles {
  struct Entry {
    std::string path = {};  // Relative to `folder`.
    int64_t line = 0;       // Its line in `list`.
  };

  std::filesystem::path folder = {};
  std::string list = {};
  std::vector<Entry> entries = {};  // One for each sample.
};

// Reads and decodes pictures, as the server does. Immutable and thread-safe.
class ImageReader : public CovariateReader {
 public:
  // InvalidArgument if the input or the limits are not valid.
  static absl::StatusOr<std::shared_ptr<const ImageReader>> Create(
      ImageFiles files, const model_store::ImageInput& input,
      const imaging::DecodeLimits& limits);

  absl::Status Read(size_t sample, std::span<float> x) const override;

 private:
  ImageReader(ImageFiles files, imaging::Preprocessor preprocessor);

  ImageFiles files_;
  imaging::Preprocessor preprocessor_;
};

// Makes `files` the covariates of the data set's samples. Errors as
// ImageReader::Create.
absl::Status AttachImages(ImageFiles files,
                          const model_store::ImageInput& input,
                          const imaging::DecodeLimits& limits,
                          Dataset& dataset);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_IMAGE_READER_H_
