#ifndef LADDER_CLIENT_SAMPLES_H_
#define LADDER_CLIENT_SAMPLES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// Samples as numbers: `shape` is that of one sample, `values` are those of all,
// row by row; `ids` names them or is empty. InvalidArgument if the sizes do not
// fit to each other.
absl::StatusOr<v1::Samples> TensorSamples(std::span<const float> values,
                                          std::span<const int64_t> shape,
                                          std::vector<std::string> ids = {});

// Samples as JPEG or PNG files; `ids` names them or is empty. InvalidArgument
// if there are more or fewer ids than pictures.
absl::StatusOr<v1::Samples> ImageSamples(std::vector<std::string> files,
                                         std::vector<std::string> ids = {});

// How many samples of either kind there are.
size_t NumSamples(const v1::Samples& samples);

// The samples of a group in order, chunk by chunk, as often as a call has to be
// made. One caller at a time.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  // The next chunk, which is not empty; nothing behind the last.
  virtual absl::StatusOr<std::optional<v1::Samples>> Next() = 0;

  // The next chunk will be the first again.
  virtual absl::Status Rewind() = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_SAMPLES_H_
