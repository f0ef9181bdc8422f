#ifndef LADDER_TESTS_CLIENT_COMMAND_INPUT_READ_GROUP_H_
#define LADDER_TESTS_CLIENT_COMMAND_INPUT_READ_GROUP_H_

#include <cstring>
#include <string>
#include <vector>

#include "client/command/input/input.h"
#include "ladder/client/samples.h"

namespace ladder::client {

// All that a reader gives, and how it ended.
struct ReadSamples {
  std::vector<std::string> ids = {};
  std::vector<std::string> pictures = {};
  std::vector<float> numbers = {};
  std::vector<size_t> chunk_sizes = {};
  absl::Status status = absl::OkStatus();
};

inline ReadSamples ReadAll(SampleReader& reader) {
  ReadSamples all;
  for (;;) {
    const auto chunk = reader.Next();
    all.status = chunk.status();
    if (!chunk.ok() || !chunk->has_value()) return all;
    const v1::Samples& samples = **chunk;
    all.chunk_sizes.push_back(NumSamples(samples));
    all.ids.insert(all.ids.end(), samples.ids().begin(), samples.ids().end());
    all.pictures.insert(all.pictures.end(), samples.images().images().begin(),
                        samples.images().images().end());
    const std::string& bytes = samples.tensor().float32();
    const size_t begin = all.numbers.size();
    all.numbers.resize(begin + bytes.size() / sizeof(float));
    if (bytes.empty()) continue;
    std::memcpy(all.numbers.data() + begin, bytes.data(), bytes.size());
  }
}

inline ReadSamples ReadGroup(const Input& input, size_t group) {
  return ReadAll(*input.Open(group));
}

inline std::vector<std::string> GroupNames(const Input& input) {
  std::vector<std::string> names;
  for (size_t i = 0; i < input.num_groups(); ++i) {
    names.push_back(input.group_name(i));
  }
  return names;
}

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_COMMAND_INPUT_READ_GROUP_H_
