#ifndef LADDER_TESTS_SERVER_RPC_RAW_STREAM_H_
#define LADDER_TESTS_SERVER_RPC_RAW_STREAM_H_

#include <string>
#include <vector>

#include "tests/server/rpc/test_server.h"

namespace ladder::server {

// Calls a streaming method with messages of these bytes. How the call ended.
grpc::Status SendRaw(TestServer& server, const std::string& method,
                     const std::vector<std::string>& messages);

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_RPC_RAW_STREAM_H_
