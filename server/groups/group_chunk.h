#ifndef LADDER_SERVER_GROUPS_GROUP_CHUNK_H_
#define LADDER_SERVER_GROUPS_GROUP_CHUNK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/groups/sample_chunk.h"
#include "server/scheduling/encode_scheduler.h"

namespace ladder::server {

// Samples on their way through a group. Used by one thread at a time, except
// for what is said.
struct GroupChunk {
  SampleChunk samples;
  uint64_t first_index = 0;   // In the group.
  uint64_t input_bytes = 0;   // Of the budget, until it is encoded.
  uint64_t answer_bytes = 0;  // Of the budget, until it is answered.
  uint64_t sample_bytes = 0;  // Of `samples`.

  // Of pictures:
  std::vector<float> decoded;         // Their numbers, one after the other.
  std::vector<absl::Status> verdict;  // Of each; set by many threads.
  std::atomic<size_t> num_left = 0;   // To be decoded.
  absl::Time decoding_since;
  absl::Time decoded_at;

  std::vector<size_t> kept;  // The samples that are encoded, if not all.
  size_t num_rows = 0;       // How many are.

  // Set, and then `done`, guarded by the group's mutex.
  absl::StatusOr<EncodedRows> encoded = EncodedRows{};
  bool done = false;

  // Once all are decoded: moves those that could be to the front, to be
  // encoded.
  void KeepDecoded(size_t sample_size);

  size_t SampleOf(size_t row) const { return kept.empty() ? row : kept[row]; }
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_CHUNK_H_
