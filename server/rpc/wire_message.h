#ifndef LADDER_SERVER_RPC_WIRE_MESSAGE_H_
#define LADDER_SERVER_RPC_WIRE_MESSAGE_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>

#include "absl/status/status.h"

namespace ladder::server {

// Between messages and their bytes. Services are given bytes, because gRPC
// would make messages of them before anybody can say no.

// Reads `message`. ResourceExhausted, naming --max-message-bytes, if there are
// more than `max_message_bytes` or if the message, made of very many small
// parts, would take several times that in memory; InvalidArgument if the bytes
// are no such message. Fields that it does not know are left out.
absl::Status ParseMessage(const grpc::ByteBuffer& bytes,
                          uint64_t max_message_bytes,
                          google::protobuf::Message& message);

// Replaces `bytes`. Internal if the message is larger than a message can be,
// 2 GiB.
absl::Status SerializeMessage(const google::protobuf::Message& message,
                              grpc::ByteBuffer& bytes);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_WIRE_MESSAGE_H_
