#include "server/groups/group_chunk.h"

#include <algorithm>
#include <span>

namespace ladder::server {

void GroupChunk::KeepDecoded(size_t sample_size) {
  num_rows = 0;
  for (size_t i = 0; i < verdict.size(); ++i) {
    if (!verdict[i].ok()) continue;
    if (num_rows < i) {
      std::copy_n(&decoded[i * sample_size], sample_size,
                  &decoded[num_rows * sample_size]);
    }
    kept.push_back(i);
    ++num_rows;
  }
  samples.x = std::span(decoded).first(num_rows * sample_size);
}

}  // namespace ladder::server
