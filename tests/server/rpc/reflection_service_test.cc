#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/server/rpc/test_pool.h"
#include "tests/server/rpc/test_server.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kToken[] = "correct-horse-battery-staple-0123456789";
constexpr int kNumServices = 5;

struct V1 {
  using Protocol = grpc::reflection::v1::ServerReflection;
  using Request = grpc::reflection::v1::ServerReflectionRequest;
  using Response = grpc::reflection::v1::ServerReflectionResponse;
};

struct V1Alpha {
  using Protocol = grpc::reflection::v1alpha::ServerReflection;
  using Request = grpc::reflection::v1alpha::ServerReflectionRequest;
  using Response = grpc::reflection::v1alpha::ServerReflectionResponse;
};

// A server that answers who has the token, and one stream to it.
template <typename Version>
class ReflectionServiceTest : public ::testing::Test {
 protected:
  using Request = typename Version::Request;
  using Response = typename Version::Response;

  ReflectionServiceTest()
      : server_([this](ServerConfig& config) {
          const std::filesystem::path path = directory_.path() / "tokens";
          std::ofstream(path) << kToken << "\n";
          config.security.auth_token_file = path.string();
          config.limits.max_message_bytes = 1000;
        }),
        stub_(Version::Protocol::NewStub(server_.channel())) {}

  void Open(const std::string& token = kToken) {
    context_->AddMetadata("authorization", "Bearer " + token);
    stream_ = stub_->ServerReflectionInfo(context_.get());
  }

  Response Ask(const Request& request) {
    Response response;
    EXPECT_TRUE(stream_->Write(request));
    EXPECT_TRUE(stream_->Read(&response));
    EXPECT_EQ(response.original_request().SerializeAsString(),
              request.SerializeAsString());
    EXPECT_EQ(response.valid_host(), request.host());
    return response;
  }

  grpc::Status Close() {
    stream_->WritesDone();
    return stream_->Finish();
  }

  TemporaryDirectory directory_;
  TestServer server_;
  std::unique_ptr<typename Version::Protocol::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_ = NewContext();
  std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> stream_;
};

using Versions = ::testing::Types<V1, V1Alpha>;
TYPED_TEST_SUITE(ReflectionServiceTest, Versions);

TYPED_TEST(ReflectionServiceTest, OneStreamAnswersEveryQuestion) {
  this->Open();
  typename TypeParam::Request request;

  request.set_host("any.host");
  request.set_list_services("*");
  const auto listed = this->Ask(request).list_services_response();
  std::vector<std::string> services;
  for (const auto& service : listed.service()) {
    services.push_back(service.name());
  }
  EXPECT_THAT(
      services,
      ElementsAre("ladder.v1.DomainRouting", "inference.GRPCInferenceService",
                  "grpc.health.v1.Health",
                  "grpc.reflection.v1.ServerReflection",
                  "grpc.reflection.v1alpha.ServerReflection"));

  request.set_file_by_filename("grpc/health/v1/health.proto");
  EXPECT_THAT(NamesOf(this->Ask(request)
                          .file_descriptor_response()
                          .file_descriptor_proto()),
              ElementsAre("grpc/health/v1/health.proto"));

  request.set_file_containing_symbol("google.protobuf.Duration");
  EXPECT_THAT(NamesOf(this->Ask(request)
                          .file_descriptor_response()
                          .file_descriptor_proto()),
              ElementsAre("google/protobuf/duration.proto"));

  request.set_all_extension_numbers_of_type("ladder.v1.Routing");
  const auto numbers = this->Ask(request).all_extension_numbers_response();
  EXPECT_EQ(numbers.base_type_name(), "ladder.v1.Routing");
  EXPECT_THAT(numbers.extension_number(), IsEmpty());

  EXPECT_TRUE(this->Close().ok());
}

TYPED_TEST(ReflectionServiceTest, ATooLargeQuestionEndsTheStream) {
  this->Open();
  typename TypeParam::Request request;
  request.set_file_by_filename(std::string(1000, 'x'));

  EXPECT_TRUE(this->stream_->Write(request));
  const grpc::Status status = this->Close();

  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(),
              ::testing::HasSubstr("--max-message-bytes"));
}

TYPED_TEST(ReflectionServiceTest, AnUnansweredQuestionDoesNotEndTheStream) {
  this->Open();
  typename TypeParam::Request request;

  const auto error_code = [&] {
    return this->Ask(request).error_response().error_code();
  };
  EXPECT_EQ(error_code(), grpc::StatusCode::UNIMPLEMENTED);
  request.set_file_by_filename("secret.proto");
  EXPECT_EQ(error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_file_containing_symbol("secret.Safe");
  EXPECT_EQ(error_code(), grpc::StatusCode::NOT_FOUND);
  request.mutable_file_containing_extension()->set_containing_type("no.Type");
  EXPECT_EQ(error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_all_extension_numbers_of_type("no.Type");
  EXPECT_EQ(error_code(), grpc::StatusCode::NOT_FOUND);

  request.set_list_services("");
  EXPECT_EQ(this->Ask(request).list_services_response().service_size(),
            kNumServices);
  EXPECT_TRUE(this->Close().ok());
}

TYPED_TEST(ReflectionServiceTest, OneAnswerIsEnoughToBuildTheTypes) {
  this->Open();
  typename TypeParam::Request request;
  request.set_file_containing_symbol("ladder.v1.DomainRouting");
  google::protobuf::SimpleDescriptorDatabase database;
  const auto response = this->Ask(request);
  for (const std::string& serialized :
       response.file_descriptor_response().file_descriptor_proto()) {
    google::protobuf::FileDescriptorProto file;
    ASSERT_TRUE(file.ParseFromString(serialized));
    database.Add(file);
  }

  const google::protobuf::DescriptorPool rebuilt(&database);
  const auto* const method =
      rebuilt.FindMethodByName("ladder.v1.DomainRouting.PredictDomain");

  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->input_type()
                ->FindFieldByName("samples")
                ->message_type()
                ->full_name(),
            "ladder.v1.Samples");
  EXPECT_TRUE(this->Close().ok());
}

TYPED_TEST(ReflectionServiceTest, WhoMayNotAskGetsTheGuardsWord) {
  this->Open("wrong");
  typename TypeParam::Response response;

  EXPECT_FALSE(this->stream_->Read(&response));
  const grpc::Status status = this->stream_->Finish();

  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("not known"));
}

TYPED_TEST(ReflectionServiceTest, ACancelledStreamLeavesTheServerAnswering) {
  this->Open();
  typename TypeParam::Request request;
  request.set_list_services("");
  this->Ask(request);
  this->context_->TryCancel();
  EXPECT_EQ(this->stream_->Finish().error_code(), grpc::StatusCode::CANCELLED);

  const auto context = NewContext();
  context->AddMetadata("authorization", std::string("Bearer ") + kToken);
  const auto stream = this->stub_->ServerReflectionInfo(context.get());
  typename TypeParam::Response response;
  EXPECT_TRUE(stream->Write(request));
  EXPECT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.list_services_response().service_size(), kNumServices);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace ladder::server
