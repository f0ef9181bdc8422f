#ifndef LADDER_TRAINER_DATA_COVARIATE_READERS_H_
#define LADDER_TRAINER_DATA_COVARIATE_READERS_H_

#include <atomic>
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

// Keeps the samples that are read first, until its memory is full, so that a
// small data set is decoded once. Nothing makes room for anything else: passes
// over a data set larger than the cache would make any other rule, such as
// throwing out what was not used for longest, throw out what is needed next.
//
// Thread-safe, and the answers are those of the reader behind it.
class CachingReader : public CovariateReader {
 public:
  // Samples have `sample_size` numbers each. The cache holds at most
  // `max_bytes` of them, and a pointer for each of `num_samples`.
  CachingReader(std::shared_ptr<const CovariateReader> reader,
                size_t num_samples, size_t sample_size, size_t max_bytes);
  ~CachingReader() override;

  absl::Status Read(size_t sample, std::span<float> x) const override;

  // Samples held.
  size_t size() const;

 private:
  void Keep(size_t sample, std::span<const float> x) const;

  const std::shared_ptr<const CovariateReader> reader_;
  const size_t sample_size_;
  const size_t capacity_;
  mutable std::atomic<size_t> num_claimed_ = 0;
  // The numbers of each sample, which the reader owns, or null.
  mutable std::vector<std::atomic<const float*>> kept_;
};

// `dataset` with a cache of at most `max_bytes` before its reader; none if that
// is zero.
Dataset WithCache(Dataset dataset, size_t max_bytes);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_COVARIATE_READERS_H_
