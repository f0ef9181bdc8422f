#ifndef LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCE_H_
#define LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ladder::command {

// Samples by number, each read from disk when it is asked for. Immutable and
// thread-safe.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // Of one sample of numbers; empty if samples are pictures.
  virtual const std::vector<int64_t>& shape() const = 0;

  // The caller's name for it; valid UTF-8.
  virtual std::string Id(size_t sample) const = 0;

  // Makes `bytes` the picture's file, or the numbers as little-endian float32.
  // A fault (tables/fault.h), naming file or line, if the sample is broken.
  virtual absl::Status Read(size_t sample, std::string& bytes) const = 0;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCE_H_
