#ifndef LADDER_SERVER_RPC_INCOMING_MESSAGE_H_
#define LADDER_SERVER_RPC_INCOMING_MESSAGE_H_

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "server/config/server_config.h"

namespace ladder::server {

// To be called on an empty message before gRPC reads into it.
void MarkUnread(google::protobuf::Message& message);

// Why a read into a marked message has failed, of which gRPC says nothing: OK
// if there was nothing to read, because the caller is done or gone;
// InvalidArgument if what came was no such message.
absl::Status ExplainFailedRead(const google::protobuf::Message& message);

// ResourceExhausted, naming the flag, if the message is too large.
absl::Status CheckSize(const google::protobuf::Message& message,
                       const LimitsConfig& limits);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_INCOMING_MESSAGE_H_
