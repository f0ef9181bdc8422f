#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/rpc/reflection.h"
#include "tests/server/rpc/test_pool.h"

namespace ladder::server {
namespace {

namespace v1 = ::grpc::reflection::v1;
namespace v1alpha = ::grpc::reflection::v1alpha;
using ::testing::ElementsAre;

struct V1 {
  using Service = ReflectionV1;
  using Protocol = v1::ServerReflection;
  using Request = v1::ServerReflectionRequest;
  using Response = v1::ServerReflectionResponse;
};

struct V1Alpha {
  using Service = ReflectionV1Alpha;
  using Protocol = v1alpha::ServerReflection;
  using Request = v1alpha::ServerReflectionRequest;
  using Response = v1alpha::ServerReflectionResponse;
};

// A server that answers who sends "key: open", and one stream to it.
template <typename Version>
class ReflectionServiceTest : public ::testing::Test {
 protected:
  using Request = typename Version::Request;
  using Response = typename Version::Response;

  ReflectionServiceTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = Version::Protocol::NewStub(server_->InProcessChannel({}));
  }

  void Open(const std::string& key = "open") {
    context_.AddMetadata("key", key);
    // Far away: only so that a hanging test ends.
    context_.set_deadline(std::chrono::system_clock::now() +
                          std::chrono::minutes(5));
    stream_ = stub_->ServerReflectionInfo(&context_);
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

  static absl::Status Guard(const grpc::CallbackServerContext& context) {
    const auto& metadata = context.client_metadata();
    const auto key = metadata.find("key");
    return key != metadata.end() && key->second == "open"
               ? absl::OkStatus()
               : absl::UnauthenticatedError("expected the key");
  }

  TestPool test_pool_;
  ReflectionIndex index_{test_pool_.pool(), {"shop.Shop", "shop.Stall"}};
  typename Version::Service service_{index_, Guard, /*max_message_bytes=*/1000};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<typename Version::Protocol::Stub> stub_;
  grpc::ClientContext context_;
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
  EXPECT_THAT(services, ElementsAre("shop.Shop", "shop.Stall"));

  request.set_file_by_filename("goods.proto");
  EXPECT_THAT(NamesOf(this->Ask(request)
                          .file_descriptor_response()
                          .file_descriptor_proto()),
              ElementsAre("goods.proto", "money.proto"));

  request.set_file_containing_symbol("money.Price");
  EXPECT_THAT(NamesOf(this->Ask(request)
                          .file_descriptor_response()
                          .file_descriptor_proto()),
              ElementsAre("money.proto"));

  auto& extension = *request.mutable_file_containing_extension();
  extension.set_containing_type("money.Price");
  extension.set_extension_number(120);
  EXPECT_THAT(NamesOf(this->Ask(request)
                          .file_descriptor_response()
                          .file_descriptor_proto()),
              ElementsAre("goods.proto", "money.proto"));

  request.set_all_extension_numbers_of_type("money.Price");
  const auto numbers = this->Ask(request).all_extension_numbers_response();
  EXPECT_EQ(numbers.base_type_name(), "money.Price");
  EXPECT_THAT(numbers.extension_number(), ElementsAre(120, 150));

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
  EXPECT_EQ(this->Ask(request).list_services_response().service_size(), 2);
  EXPECT_TRUE(this->Close().ok());
}

TYPED_TEST(ReflectionServiceTest, OneAnswerIsEnoughToBuildTheTypes) {
  this->Open();
  typename TypeParam::Request request;
  request.set_file_containing_symbol("shop.Shop");
  google::protobuf::SimpleDescriptorDatabase database;
  const auto response = this->Ask(request);
  for (const std::string& serialized :
       response.file_descriptor_response().file_descriptor_proto()) {
    google::protobuf::FileDescriptorProto file;
    ASSERT_TRUE(file.ParseFromString(serialized));
    database.Add(file);
  }

  const google::protobuf::DescriptorPool rebuilt(&database);
  const auto* const method = rebuilt.FindMethodByName("shop.Shop.Buy");

  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->input_type()->field(0)->message_type()->full_name(),
            "money.Price");
  EXPECT_TRUE(this->Close().ok());
}

TYPED_TEST(ReflectionServiceTest, WhoMayNotAskGetsTheGuardsWord) {
  this->Open("wrong");
  typename TypeParam::Response response;

  EXPECT_FALSE(this->stream_->Read(&response));
  const grpc::Status status = this->stream_->Finish();

  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "expected the key");
}

TYPED_TEST(ReflectionServiceTest, ACancelledStreamLeavesTheServerAnswering) {
  this->Open();
  typename TypeParam::Request request;
  request.set_list_services("");
  this->Ask(request);
  this->context_.TryCancel();
  EXPECT_EQ(this->stream_->Finish().error_code(), grpc::StatusCode::CANCELLED);

  grpc::ClientContext context;
  context.AddMetadata("key", "open");
  const auto stream = this->stub_->ServerReflectionInfo(&context);
  typename TypeParam::Response response;
  EXPECT_TRUE(stream->Write(request));
  EXPECT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.list_services_response().service_size(), 2);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace ladder::server
