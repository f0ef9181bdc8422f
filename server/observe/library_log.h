#ifndef LADDER_SERVER_OBSERVE_LIBRARY_LOG_H_
#define LADDER_SERVER_OBSERVE_LIBRARY_LOG_H_

#include "server/observe/log.h"

namespace ladder::server {

// While it lives, what gRPC and protobuf have to say is logged, in lines like
// all others, instead of written to the standard error as it is. An error of
// theirs is a warning of ours: it may be a caller's doing. What the process
// ends after is an error, and waited for, shortly, until it is written. Once
// this is gone they say nothing any more: their threads must not wait for who
// reads the standard error while the process ends.
//
// One at a time in a process; made before gRPC has threads.
class LibraryLog {
 public:
  // `logger` must outlive it.
  explicit LibraryLog(const Logger& logger);
  ~LibraryLog();

  LibraryLog(const LibraryLog&) = delete;
  LibraryLog& operator=(const LibraryLog&) = delete;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_LIBRARY_LOG_H_
