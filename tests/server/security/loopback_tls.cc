#include "tests/server/security/loopback_tls.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ladder::server {

EchoServer::EchoServer(std::shared_ptr<grpc::ServerCredentials> credentials) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port_);
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  EXPECT_NE(server_, nullptr);
  EXPECT_NE(port_, 0);
}

EchoServer::~EchoServer() {
  // Ends what is still open: a test that failed must not hang here.
  server_->Shutdown(std::chrono::system_clock::now());
}

grpc::Status EchoServer::Service::ServerReflectionInfo(
    grpc::ServerContext*, grpc::ServerReaderWriter<Response, Request>* stream) {
  Request request;
  while (stream->Read(&request)) {
    Response response;
    *response.mutable_original_request() = request;
    stream->Write(response);
  }
  return grpc::Status::OK;
}

EchoClient::EchoClient(int port, const std::string& trusted_ca,
                       const std::optional<TestCertificate>& identity) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = trusted_ca;
  if (identity) {
    options.pem_private_key = identity->key;
    options.pem_cert_chain = identity->certificate;
  }
  grpc::ChannelArguments arguments;
  // Otherwise channels to one port would share a connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  stub_ = grpc::reflection::v1::ServerReflection::NewStub(
      grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port),
                                grpc::SslCredentials(options), arguments));
  // Far away: only so that a hanging test ends.
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::minutes(5));
  stream_ = stub_->ServerReflectionInfo(&context_);
}

EchoClient::~EchoClient() {
  if (!finished_) Finish();
}

bool EchoClient::Exchange() {
  Request request;
  request.set_file_by_filename(absl::StrCat("message ", next_++));
  Response response;
  return stream_->Write(request) && stream_->Read(&response) &&
         response.original_request().file_by_filename() ==
             request.file_by_filename();
}

long EchoClient::PeerSerial() const {
  const auto certificates =
      context_.auth_context()->FindPropertyValues("x509_pem_cert");
  EXPECT_EQ(certificates.size(), 1);
  return SerialOf(
      std::string(certificates.at(0).data(), certificates.at(0).size()));
}

grpc::Status EchoClient::Finish() {
  finished_ = true;
  stream_->WritesDone();
  return stream_->Finish();
}

}  // namespace ladder::server
