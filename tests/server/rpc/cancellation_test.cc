// Calls that end early stop what is done for them. The encoder of the model
// "endless" never returns by itself, and only one batch is encoded at a time.

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/forwarder.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::kTinySample;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kSamples = 20;  // More than one batch.

class CancellationTest : public ::testing::Test {
 protected:
  // Only one group of kSamples fits into the memory for groups.
  CancellationTest()
      : server_(
            [](ServerConfig& config) {
              config.limits.max_inflight_bytes = 48'000;
              config.batching.max_queued_samples = 1;
            },
            EndlessBundle(), model_store::TinyBundle()) {}

  static v1::PredictDomainRequest EndlessMessage() {
    const std::vector<float> positive(kTinySample * kSamples, 1);
    v1::PredictDomainRequest message = MessageOf("g", positive);
    message.mutable_options()->mutable_model()->set_name("endless");
    return message;
  }

  static inference::ModelInferRequest EndlessInferRequest() {
    const std::vector<float> positive(kTinySample * kSamples, 1);
    inference::ModelInferRequest request;
    request.set_model_name("endless");
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("FP32");
    input.add_shape(kSamples);
    input.add_shape(kTinySample);
    input.mutable_contents()->mutable_fp32_contents()->Add(positive.begin(),
                                                           positive.end());
    return request;
  }

  // That the encoder is free again, and all memory.
  bool AllIsFree() {
    return Eventually([this] {
      v1::GroupOptions options;
      options.mutable_model()->set_name("tiny");
      return Predict(server_, MessagesOf("g", RandomSamples(kSamples), kSamples,
                                         options))
          .status.ok();
    });
  }

  TestServer server_;
};

TEST_F(CancellationTest, ACancelledCallStopsTheEncoderAndFreesItsMemory) {
  PredictStream stream(server_);
  ASSERT_TRUE(stream.Send(EndlessMessage()));
  ASSERT_TRUE(WaitUntilBusy(server_));

  stream.context().TryCancel();

  EXPECT_EQ(stream.Finish().status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, AnExpiredCallStopsTheEncoderAndFreesItsMemory) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() +
                        std::chrono::milliseconds(500));
  PredictStream stream(server_, std::move(context));
  ASSERT_TRUE(stream.Send(EndlessMessage()));
  stream.EndInput();

  EXPECT_EQ(stream.Finish().status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, ACallCanBeCancelledWhileItIsSent) {
  PredictStream stream(server_);
  for (int i = 0; i < 5; ++i) {
    v1::PredictDomainRequest message = MessageOf("g", RandomSamples(3));
    if (i == 0) message.mutable_options()->mutable_model()->set_name("tiny");
    ASSERT_TRUE(stream.Send(message));
  }

  stream.context().TryCancel();

  EXPECT_EQ(stream.Finish().status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, WhatWasBrokenOffIsNeverTakenForAWholeGroup) {
  constexpr int kTimes = 60;
  for (int i = 0; i < kTimes; ++i) {
    auto context = NewContext();
    // By the caller's own hand, or by its deadline.
    if (i % 2 == 0) {
      context->set_deadline(std::chrono::system_clock::now() +
                            std::chrono::milliseconds(20 + i % 7));
    }
    PredictStream stream(server_, std::move(context));
    v1::PredictDomainRequest message = MessageOf("half", RandomSamples(3));
    message.mutable_options()->mutable_model()->set_name("tiny");
    while (stream.Send(message)) {
      message.clear_options();
      if (i % 2 == 1) {
        stream.context().TryCancel();
        break;
      }
    }
    EXPECT_FALSE(stream.Finish().status.ok());
  }
  EXPECT_TRUE(AllIsFree());

  const std::string log = server_.Log();

  size_t num_halves = 0;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (!absl::StrContains(line, "\"group\":\"half\"")) continue;
    ++num_halves;
    EXPECT_THAT(std::string(line), Not(HasSubstr("\"code\":\"OK\"")));
  }
  EXPECT_GT(num_halves, kTimes / 2);
}

TEST_F(CancellationTest, ACallerThatDisappearsIsForgotten) {
  Forwarder forwarder(server_.server().ports().grpc);
  const auto stub = v1::DomainRouting::NewStub(forwarder.NewChannel());
  PredictStream stream(*stub, NewContext());
  ASSERT_TRUE(stream.Send(EndlessMessage()));
  ASSERT_TRUE(WaitUntilBusy(server_));

  forwarder.Cut();

  EXPECT_EQ(stream.Finish().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, ARouteDomainCallCanBeCancelled) {
  const auto context = NewContext();
  v1::RouteDomainResponse response;
  const auto call = server_.routing().RouteDomain(context.get(), &response);
  v1::RouteDomainRequest request;
  request.add_questions()->mutable_model()->set_name("endless");
  *request.mutable_samples() = EndlessMessage().samples();
  ASSERT_TRUE(call->Write(request));
  ASSERT_TRUE(WaitUntilBusy(server_));

  context->TryCancel();

  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, AModelInferCallCanExpire) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(500));
  inference::ModelInferResponse response;

  const grpc::Status status = server_.inference().ModelInfer(
      &context, EndlessInferRequest(), &response);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(AllIsFree());
}

TEST_F(CancellationTest, AModelStreamInferCallCanBeCancelled) {
  const auto context = NewContext();
  const auto call = server_.inference().ModelStreamInfer(context.get());
  ASSERT_TRUE(call->Write(EndlessInferRequest()));
  ASSERT_TRUE(WaitUntilBusy(server_));

  context->TryCancel();

  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(AllIsFree());
}

}  // namespace
}  // namespace ladder::server
