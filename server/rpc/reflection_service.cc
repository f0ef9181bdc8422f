#include "server/rpc/reflection_service.h"

#include <grpcpp/support/status.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/rpc/grpc_status.h"
#include "server/rpc/wire_message.h"

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
class Stream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Stream(const ReflectionIndex& index, const absl::Status& admission,
         uint64_t max_message_bytes)
      : index_(index), max_message_bytes_(max_message_bytes) {
    if (admission.ok()) {
      StartRead(&bytes_);
    } else {
      Finish(ToGrpc(admission));
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    Request request;
    absl::Status status = ParseMessage(bytes_, max_message_bytes_, request);
    bytes_.Clear();
    if (status.ok()) {
      Response response;
      Answer(index_, request, response);
      status = SerializeMessage(response, bytes_);
    }
    if (!status.ok()) return Finish(ToGrpc(status));
    StartWrite(&bytes_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    bytes_.Clear();
    StartRead(&bytes_);
  }

  void OnDone() override { delete this; }

 private:
  const ReflectionIndex& index_;
  const uint64_t max_message_bytes_;
  grpc::ByteBuffer bytes_;  // Being read or written.
};

}  // namespace

template <typename Protocol, typename Request, typename Response>
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
ReflectionService<Protocol, Request, Response>::ServerReflectionInfo(
    grpc::CallbackServerContext* context) {
  return new Stream<Request, Response>(index_, guard_(*context),
                                       max_message_bytes_);
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
