#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

TEST(GrpcStatusTest, CodesAndMessagesCarryOver) {
  const grpc::Status status = ToGrpc(absl::NotFoundError("no such model"));

  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such model");
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(GrpcStatusTest, LongMessagesAreCut) {
  const grpc::Status status =
      ToGrpc(absl::InternalError(std::string(5000, 'x')));

  EXPECT_EQ(status.error_message(), std::string(1024, 'x'));
}

TEST(GrpcStatusTest, LongMessagesAreNotCutWithinACharacter) {
  const std::string before(1023, 'x');

  const grpc::Status status = ToGrpc(absl::InternalError(before + "\xC3\xA9"));

  EXPECT_EQ(status.error_message(), before);
}

TEST(GrpcStatusTest, MessagesAreUtf8WhateverTheyQuote) {
  const grpc::Status status =
      ToGrpc(absl::InternalError("group \"caf\xE9\": no"));

  EXPECT_EQ(status.error_message(), "group \"caf\\xE9\": no");
}

}  // namespace
}  // namespace ladder::server
