#ifndef LADDER_SERVER_RPC_WIRE_H_
#define LADDER_SERVER_RPC_WIRE_H_

#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// Between messages and their bytes. Services are given bytes, because gRPC
// would make messages of them before anybody can say no.

// Reads `message`. ResourceExhausted, naming --max-message-bytes, if there are
// more than `max_message_bytes` or if the message, made of very many small
// parts, would take several times that in memory; InvalidArgument if the bytes
// are no such message. Fields that it does not know are left out. `overhead` is
// set to what the message takes beside its bytes, if it is not null.
absl::Status ParseMessage(const grpc::ByteBuffer& bytes,
                          uint64_t max_message_bytes,
                          google::protobuf::Message& message,
                          uint64_t* overhead = nullptr);

// Replaces `bytes`. Internal if the message is larger than a message can be,
// 2 GiB.
absl::Status SerializeMessage(const google::protobuf::Message& message,
                              grpc::ByteBuffer& bytes);

// An error's message as callers are told it, by a status or in a message of
// ours: the beginning, because it may travel in a header, and UTF-8 whatever it
// quotes, because a message with other strings cannot be read.
std::string ErrorText(absl::string_view message);

// The only place where an absl::Status becomes a grpc::Status.
grpc::Status ToGrpc(const absl::Status& status);

// Puts RetryAfter(status), if there is one, into the call's trailing metadata,
// under the name that gRPC's own retries look for.
void AddRetryHint(const absl::Status& status, grpc::ServerContextBase& context);

// Why gRPC has cancelled the call.
absl::Status CancellationOf(const grpc::ServerContextBase& context);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_WIRE_H_
