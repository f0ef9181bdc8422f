// What of a call can be found in the log.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string RequestIdOf(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find("x-request-id");
  if (found == metadata.end()) return "";
  return {found->second.data(), found->second.size()};
}

// Serves one group with these metadata. The request's id as the caller sees it.
std::string PredictWith(TestServer& server, const std::string& request_id,
                        const std::string& traceparent) {
  auto context = NewContext();
  if (!request_id.empty()) context->AddMetadata("x-request-id", request_id);
  if (!traceparent.empty()) context->AddMetadata("traceparent", traceparent);
  PredictStream stream(server, std::move(context));
  EXPECT_TRUE(stream.Send(MessageOf("lake", RandomSamples(3))));
  stream.EndInput();
  EXPECT_TRUE(stream.Finish().status.ok());
  return RequestIdOf(stream.context());
}

TEST(CallLogTest, TheCallersIdsAreInTheGroupsLine) {
  TestServer server;

  const std::string id =
      PredictWith(server, "req-42",
                  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

  EXPECT_EQ(id, "req-42");
  EXPECT_THAT(
      server.Log(),
      AllOf(HasSubstr("\"request_id\":\"req-42\""),
            HasSubstr("\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\""),
            HasSubstr("\"rpc\":\"PredictDomain\""),
            HasSubstr("\"group\":\"lake\""), HasSubstr("\"n\":3"),
            HasSubstr("\"code\":\"OK\"")));
}

TEST(CallLogTest, ACallWithoutAUsableIdGetsOne) {
  TestServer server;

  const std::string made_up = PredictWith(server, "", "nonsense");
  const std::string too_long = PredictWith(server, std::string(200, 'x'), "");

  EXPECT_THAT(made_up, MatchesRegex("[0-9a-f]{16}"));
  EXPECT_THAT(too_long, MatchesRegex("[0-9a-f]{16}"));
  EXPECT_THAT(server.Log(),
              AllOf(HasSubstr(absl::StrCat("\"request_id\":\"", made_up)),
                    HasSubstr(absl::StrCat("\"request_id\":\"", too_long)),
                    Not(HasSubstr("trace_id"))));
}

TEST(CallLogTest, AFailedGroupsLineSaysWhy) {
  TestServer server;
  v1::GroupOptions options;
  options.set_min_samples(9);
  const StreamResult result =
      Predict(server, MessagesOf("lake", RandomSamples(3), 3, options));
  EXPECT_FALSE(result.status.ok());

  EXPECT_THAT(
      server.Log(),
      AllOf(HasSubstr("\"code\":\"FAILED_PRECONDITION\""),
            HasSubstr("\"error\":\"expected at least 9 samples, got 3\"")));
}

TEST(CallLogTest, GroupsAreNotLoggedIfThatIsTurnedOff) {
  TestServer server(
      [](ServerConfig& config) { config.observe.access_log = false; });
  PredictWith(server, "req-42", "");

  EXPECT_THAT(server.Log(), Not(HasSubstr("req-42")));
}

}  // namespace
}  // namespace ladder::server
