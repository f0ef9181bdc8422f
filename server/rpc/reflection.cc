#include "server/rpc/reflection.h"

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::DescriptorPool;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::FileDescriptor;
using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::ServiceDescriptor;

// A caller's own text comes back to it, but not without end.
absl::Status Unknown(absl::string_view what, absl::string_view name) {
  constexpr size_t kMaxName = 256;
  return absl::NotFoundError(
      absl::StrCat(what, " not found: ", name.substr(0, kMaxName)));
}

// The file itself, and all that it imports, each once.
ReflectionIndex::Files WithImports(const FileDescriptor& asked) {
  ReflectionIndex::Files files;
  std::vector<const FileDescriptor*> pending = {&asked};
  std::set<const FileDescriptor*> seen = {&asked};
  while (!pending.empty()) {
    const FileDescriptor& file = *pending.back();
    pending.pop_back();
    FileDescriptorProto proto;
    file.CopyTo(&proto);
    files.push_back(proto.SerializeAsString());
    for (int i = 0; i < file.dependency_count(); ++i) {
      if (seen.insert(file.dependency(i)).second) {
        pending.push_back(file.dependency(i));
      }
    }
  }
  return files;
}

template <typename Response>
void FillError(const absl::Status& status, Response& response) {
  auto& error = *response.mutable_error_response();
  error.set_error_code(static_cast<int>(status.code()));
  error.set_error_message(std::string(status.message()));
}

template <typename Response>
void FillFiles(absl::StatusOr<ReflectionIndex::Files> files,
               Response& response) {
  if (!files.ok()) return FillError(files.status(), response);
  auto& answer = *response.mutable_file_descriptor_response();
  for (std::string& file : *files) {
    answer.add_file_descriptor_proto(std::move(file));
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
void AnswerQuestion(const ReflectionIndex& index, const Request& request,
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
class ReflectionStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ReflectionStream(const ReflectionIndex& index, const absl::Status& admission,
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
      AnswerQuestion(index_, request, response);
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

ReflectionIndex::ReflectionIndex(const DescriptorPool& pool,
                                 std::vector<std::string> services)
    : services_(std::move(services)) {
  for (const std::string& name : services_) {
    const ServiceDescriptor* const service = pool.FindServiceByName(name);
    if (service != nullptr) AddFile(*service->file());
  }
}

void ReflectionIndex::AddFile(const FileDescriptor& file) {
  if (pool_.FindFileByName(file.name()) != nullptr) return;
  for (int i = 0; i < file.dependency_count(); ++i) {
    AddFile(*file.dependency(i));
  }
  FileDescriptorProto proto;
  file.CopyTo(&proto);
  pool_.BuildFile(proto);
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileNamed(
    const std::string& name) const {
  const FileDescriptor* const file = pool_.FindFileByName(name);
  if (file == nullptr) return Unknown("file", name);
  return WithImports(*file);
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileWithSymbol(
    const std::string& symbol) const {
  const FileDescriptor* const file = pool_.FindFileContainingSymbol(symbol);
  // A package is none: it may be spread over many files.
  if (file == nullptr || absl::StartsWith(absl::StrCat(file->package(), "."),
                                          absl::StrCat(symbol, "."))) {
    return Unknown("symbol", symbol);
  }
  return WithImports(*file);
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileWithExtension(
    const std::string& message, int number) const {
  const Descriptor* const known = pool_.FindMessageTypeByName(message);
  if (known == nullptr) return Unknown("message", message);
  const FieldDescriptor* const extension =
      pool_.FindExtensionByNumber(known, number);
  if (extension == nullptr) {
    return Unknown("extension", absl::StrCat(number, " of ", message));
  }
  return WithImports(*extension->file());
}

absl::StatusOr<std::vector<int>> ReflectionIndex::ExtensionNumbers(
    const std::string& message) const {
  const Descriptor* const known = pool_.FindMessageTypeByName(message);
  if (known == nullptr) return Unknown("message", message);
  std::vector<const FieldDescriptor*> extensions;
  pool_.FindAllExtensions(known, &extensions);
  std::vector<int> numbers;
  for (const FieldDescriptor* extension : extensions) {
    numbers.push_back(extension->number());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

template <typename Protocol, typename Request, typename Response>
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
ReflectionService<Protocol, Request, Response>::ServerReflectionInfo(
    grpc::CallbackServerContext* context) {
  return new ReflectionStream<Request, Response>(index_, guard_(*context),
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
