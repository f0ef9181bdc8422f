#include "client/command/load/run_load.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/load/fake_server.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RunLoadTest : public ::testing::Test {
 protected:
  RunLoadTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(static_cast<v1::DomainRouting::Service*>(&fake_));
    builder.RegisterService(
        static_cast<inference::GRPCInferenceService::Service*>(&fake_));
    server_ = builder.BuildAndStart();
  }
  ~RunLoadTest() override { server_->Shutdown(); }

  absl::StatusOr<LoadReport> Run(const LoadOptions& options,
                                 std::stop_token stop = {}) {
    return RunLoad(server_->InProcessChannel({}), options, std::move(stop));
  }

  static LoadOptions Options(LoadProtocol protocol) {
    return {.protocol = protocol,
            .model = "birds",
            .samples = 4,
            .dynamic_size = 5,
            .concurrency = 3,
            .requests = 60,
            .warm_up = absl::ZeroDuration(),
            .timeout = absl::InfiniteDuration()};
  }

  FakeServer fake_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(RunLoadTest, CountsWhatSucceedsAndWhatFails) {
  for (const auto protocol :
       {LoadProtocol::kLadder, LoadProtocol::kInference}) {
    const auto report = Run(Options(protocol));

    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->succeeded, 40);
    EXPECT_EQ(report->failed, 20);
    EXPECT_EQ(report->latency.count(), 40);
    ASSERT_THAT(report->errors, SizeIs(1));
    const auto& error = report->errors.at(absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(error.count, 20);
    EXPECT_EQ(error.first_message, "full");
  }
}

TEST_F(RunLoadTest, AnOpenLoopSendsTheSameRequests) {
  LoadOptions options = Options(LoadProtocol::kLadder);
  options.rate = 1e5;

  const auto report = Run(options);

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->succeeded, 40);
  EXPECT_EQ(report->failed, 20);
}

TEST_F(RunLoadTest, SendsAGroupOfTheModelsShape) {
  const auto report = Run(Options(LoadProtocol::kLadder));

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->target, "birds 3");
  const v1::PredictDomainRequest group = fake_.last_group();
  EXPECT_EQ(group.options().model().name(), "birds");
  EXPECT_TRUE(group.end_of_group());
  EXPECT_THAT(group.samples().tensor().shape(), ElementsAre(4, 2, 5));
  EXPECT_THAT(group.samples().tensor().float32(), SizeIs(4 * 2 * 5 * 4));
}

TEST_F(RunLoadTest, CollectsTheServersTimings) {
  const auto report = Run(Options(LoadProtocol::kLadder));

  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->stages, SizeIs(1));
  EXPECT_EQ(report->stages[0].first, "encode");
  EXPECT_EQ(report->stages[0].second.count(), 40);
  EXPECT_EQ(report->stages[0].second.Max(), absl::Milliseconds(5));
}

TEST_F(RunLoadTest, SendsPicturesToModelsThatTakeThem) {
  fake_.takes_images = true;
  LoadOptions options = Options(LoadProtocol::kLadder);
  options.picture = "JPEG";

  ASSERT_TRUE(Run(options).ok());

  EXPECT_THAT(fake_.last_group().samples().images().images(),
              ElementsAre("JPEG", "JPEG", "JPEG", "JPEG"));
  EXPECT_TRUE(fake_.last_group().options().fail_on_bad_sample());
}

TEST_F(RunLoadTest, LeavesOutOptionalInputsOfOtherServers) {
  ASSERT_TRUE(Run(Options(LoadProtocol::kInference)).ok());

  const inference::ModelInferRequest request = fake_.last_infer();
  EXPECT_EQ(request.model_name(), "birds");
  ASSERT_THAT(request.inputs(), SizeIs(1));
  EXPECT_EQ(request.inputs(0).name(), "x");
  EXPECT_EQ(request.inputs(0).datatype(), "FP32");
  EXPECT_THAT(request.inputs(0).shape(), ElementsAre(4, 2));
  EXPECT_THAT(request.raw_input_contents(0), SizeIs(4 * 2 * 4));
}

TEST_F(RunLoadTest, SendsPicturesWithTheirLengthsToOtherServers) {
  fake_.takes_images = true;
  LoadOptions options = Options(LoadProtocol::kInference);
  options.samples = 1;
  options.picture = "JPEG";

  ASSERT_TRUE(Run(options).ok());

  const std::string element("\4\0\0\0JPEG", 8);
  EXPECT_EQ(fake_.last_infer().raw_input_contents(0), element + element);
}

TEST_F(RunLoadTest, APictureAndAModelOfNumbersDoNotGoTogether) {
  for (const auto protocol :
       {LoadProtocol::kLadder, LoadProtocol::kInference}) {
    LoadOptions options = Options(protocol);
    options.picture = "JPEG";
    const auto report = Run(options);
    EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(report.status().message()),
                HasSubstr("picture: expected none"));
  }
  fake_.takes_images = true;
  EXPECT_THAT(
      std::string(Run(Options(LoadProtocol::kInference)).status().message()),
      HasSubstr("picture: expected one"));
}

TEST_F(RunLoadTest, SendsMetadataWithEveryCall) {
  LoadOptions options = Options(LoadProtocol::kLadder);
  options.metadata = {{"authorization", "Bearer secret"}};

  ASSERT_TRUE(Run(options).ok());

  EXPECT_EQ(fake_.last_token(), "Bearer secret");
}

TEST_F(RunLoadTest, AnUnknownModelIsAnErrorOfTheRun) {
  LoadOptions options = Options(LoadProtocol::kLadder);
  options.model = "fish";

  const auto report = Run(options);

  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(report.status().message(), "no such model");
}

TEST_F(RunLoadTest, AnAnswerWithoutTheGroupsEndIsAFailure) {
  fake_.forget_end = true;

  const auto report = Run(Options(LoadProtocol::kLadder));

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->succeeded, 0);
  EXPECT_EQ(report->errors.at(absl::StatusCode::kDataLoss).count, 40);
}

TEST_F(RunLoadTest, ARequestThatTakesTooLongFails) {
  fake_.hang = true;
  for (const auto protocol :
       {LoadProtocol::kLadder, LoadProtocol::kInference}) {
    LoadOptions options = Options(protocol);
    options.requests = 2;
    options.timeout = absl::Seconds(2);

    const auto report = Run(options);

    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->errors.at(absl::StatusCode::kDeadlineExceeded).count, 2);
  }
}

TEST_F(RunLoadTest, AStopCancelsWhatIsInFlight) {
  fake_.hang = true;
  int num_hanging = 0;
  for (const auto protocol :
       {LoadProtocol::kLadder, LoadProtocol::kInference}) {
    num_hanging += 3;
    std::stop_source source;
    std::thread stopper([&] {
      while (fake_.num_hanging() < num_hanging) std::this_thread::yield();
      source.request_stop();
    });

    const auto report = Run(Options(protocol), source.get_token());

    stopper.join();
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->abandoned, 3);
    EXPECT_EQ(report->failed, 0);
  }
}

TEST_F(RunLoadTest, AServerThatIsNotThereIsUnavailable) {
  const auto channel = grpc::CreateChannel("unix:/no/such/socket",
                                           grpc::InsecureChannelCredentials());

  EXPECT_EQ(
      RunLoad(channel, Options(LoadProtocol::kLadder), {}).status().code(),
      absl::StatusCode::kUnavailable);
}

TEST_F(RunLoadTest, OptionsAreChecked) {
  LoadOptions options = Options(LoadProtocol::kLadder);
  options.samples = 0;

  EXPECT_EQ(Run(options).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::client
