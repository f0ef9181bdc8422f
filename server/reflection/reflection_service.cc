#include "server/reflection/reflection_service.h"

#include <grpcpp/support/status.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {
namespace {

template <typename Response>
void FillError(const absl::Status& status, Response& response) {
  auto& error = *response.mutable_error_response();
  error.set_error_code(static_cast<int>(status.code()));
  error.set_error_message(std::string(status.message()));
}

template <typename Response>
void FillFiles(const absl::StatusOr<ReflectionIndex::Files>& files,
               Response& response) {
  if (!files.ok()) return FillError(files.status(), response);
  auto& answer = *response.mutable_file_descriptor_response();
  for (const absl::string_view file : *files) {
    answer.add_file_descriptor_proto(file.data(), file.size());
  }
}

template <typename Response>
void FillExtensionNumbers(const ReflectionIndex& index,
                          const std::string& message, Response& response) {
  const absl::StatusOr<std::vector<int>> numbers =
      index.ExtensionNumbers(message);
  if (!numbers.ok()) return FillError(numbers.status(), response);
  auto& answer = *response.mutable_all_extension_numbers_response();
  answer.set_base_type_name(message);
  for (const int number : *numbers) answer.add_extension_number(number);
}

template <typename Request, typename Response>
void Answer(const ReflectionIndex& index, const Request& request,
            Response& response) {
  response.Clear();
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      return FillFiles(index.FileNamed(request.file_by_filename()), response);
    case Request::kFileContainingSymbol:
      return FillFiles(index.FileWithSymbol(request.file_containing_symbol()),
                       response);
    case Request::kFileContainingExtension: {
      const auto& extension = request.file_containing_extension();
      return FillFiles(index.FileWithExtension(extension.containing_type(),
                                               extension.extension_number()),
                       response);
    }
    case Request::kAllExtensionNumbersOfType:
      return FillExtensionNumbers(
          index, request.all_extension_numbers_of_type(), response);
    case Request::kListServices: {
      auto& answer = *response.mutable_list_services_response();
      for (const std::string& name : index.Services()) {
        answer.add_service()->set_name(name);
      }
      return;
    }
    case Request::MESSAGE_REQUEST_NOT_SET:
      break;
  }
  // A question of a later version of the protocol looks like none.
  FillError(absl::UnimplementedError("expected a known message_request"),
            response);
}

// One stream: a question, its answer, the next question. Deletes itself.
template <typename Request, typename Response>
class Stream final : public grpc::ServerBidiReactor<Request, Response> {
 public:
  Stream(const ReflectionIndex& index, const absl::Status& admission)
      : index_(index) {
    if (admission.ok()) {
      this->StartRead(&request_);
    } else {
      // Both enums hold the canonical codes.
      this->Finish({static_cast<grpc::StatusCode>(admission.code()),
                    std::string(admission.message())});
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return this->Finish(grpc::Status::OK);
    Answer(index_, request_, response_);
    this->StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return this->Finish(grpc::Status::CANCELLED);
    this->StartRead(&request_);
  }

  void OnDone() override { delete this; }

 private:
  const ReflectionIndex& index_;
  Request request_;
  Response response_;
};

}  // namespace

template <typename Protocol, typename Request, typename Response>
grpc::ServerBidiReactor<Request, Response>*
ReflectionService<Protocol, Request, Response>::ServerReflectionInfo(
    grpc::CallbackServerContext* context) {
  return new Stream<Request, Response>(index_, guard_(*context));
}

template class ReflectionService<
    grpc::reflection::v1::ServerReflection,
    grpc::reflection::v1::ServerReflectionRequest,
    grpc::reflection::v1::ServerReflectionResponse>;
template class ReflectionService<
    grpc::reflection::v1alpha::ServerReflection,
    grpc::reflection::v1alpha::ServerReflectionRequest,
    grpc::reflection::v1alpha::ServerReflectionResponse>;

}  // namespace ladder::server
