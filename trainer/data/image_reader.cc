#include "trainer/data/image_reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "imaging/rejection.h"

namespace ladder::trainer {
namespace {

// Far above any picture within the limits of decoding.
constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

}  // namespace

absl::StatusOr<std::shared_ptr<const ImageReader>> ImageReader::Create(
    ImageFiles files, const model_store::ImageInput& input,
    const imaging::DecodeLimits& limits) {
  LADDER_ASSIGN_OR_RETURN(
      imaging::Preprocessor preprocessor,
      imaging::Preprocessor::Create(
          {.height = input.height,
           .width = input.width,
           .normalize = {.mean = input.mean, .std = input.std},
           .limits = limits}));
  return std::shared_ptr<const ImageReader>(
      new ImageReader(std::move(files), std::move(preprocessor)));
}

ImageReader::ImageReader(ImageFiles files, imaging::Preprocessor preprocessor)
    : files_(std::move(files)), preprocessor_(std::move(preprocessor)) {}

absl::Status ImageReader::Read(size_t sample, std::span<float> x) const {
  const ImageFiles::Entry& entry = files_.entries[sample];
  const std::filesystem::path path = files_.folder / entry.path;
  const absl::StatusOr<std::vector<std::byte>> encoded =
      base::ReadWholeFile(path, kMaxFileBytes);
  const std::string line = base::LinePlace(files_.list, entry.line);
  if (!encoded.ok()) return base::AtPlace(line, encoded.status());
  const absl::Status status = preprocessor_.Run(*encoded, x);
  const std::optional<imaging::Rejection> rejection =
      imaging::GetRejection(status);
  if (!rejection.has_value()) return base::AtPlace(line, status);
  return base::Fault(
      imaging::RejectionName(*rejection),
      absl::StrCat(line, ": ", path.string(), ": ", status.message()));
}

absl::Status AttachImages(ImageFiles files,
                          const model_store::ImageInput& input,
                          const imaging::DecodeLimits& limits,
                          Dataset& dataset) {
  LADDER_ASSIGN_OR_RETURN(std::shared_ptr<const ImageReader> reader,
                          ImageReader::Create(std::move(files), input, limits));
  dataset.input = input;
  dataset.reader = std::move(reader);
  return absl::OkStatus();
}

}  // namespace ladder::trainer
