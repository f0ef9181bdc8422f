#ifndef LADDER_CLIENT_COMMAND_INPUT_READ_AHEAD_H_
#define LADDER_CLIENT_COMMAND_INPUT_READ_AHEAD_H_

#include <cstddef>
#include <memory>

#include "ladder/client/samples.h"

namespace ladder::client {

// The same chunks as `reader` gives, read ahead by a thread of its own, which
// pauses while `max_bytes` or more wait to be taken: they are exceeded by one
// chunk at most. After an error Next gives that error until Rewind. Rewind and
// destruction wait for the chunk that is being read, not for more.
std::unique_ptr<SampleReader> ReadAhead(std::unique_ptr<SampleReader> reader,
                                        size_t max_bytes);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_READ_AHEAD_H_
