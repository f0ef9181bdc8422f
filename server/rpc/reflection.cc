#include "server/rpc/reflection.h"

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::DescriptorPool;
using ::google::protobuf::EnumDescriptor;
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
  const auto [entry, is_new] = files_.try_emplace(file.name());
  if (!is_new) return;
  FileDescriptorProto proto;
  file.CopyTo(&proto);
  proto.SerializeToString(&entry->second.serialized);
  for (int i = 0; i < file.dependency_count(); ++i) {
    entry->second.imports.push_back(file.dependency(i)->name());
    AddFile(*file.dependency(i));
  }
  for (int i = 0; i < file.message_type_count(); ++i) {
    AddMessage(*file.message_type(i));
  }
  for (int i = 0; i < file.enum_type_count(); ++i) AddEnum(*file.enum_type(i));
  for (int i = 0; i < file.service_count(); ++i) AddService(*file.service(i));
  for (int i = 0; i < file.extension_count(); ++i) {
    AddExtension(*file.extension(i));
  }
}

void ReflectionIndex::AddMessage(const Descriptor& message) {
  const std::string& file = message.file()->name();
  file_of_symbol_[message.full_name()] = file;
  extensions_.try_emplace(message.full_name());
  for (int i = 0; i < message.field_count(); ++i) {
    file_of_symbol_[message.field(i)->full_name()] = file;
  }
  for (int i = 0; i < message.oneof_decl_count(); ++i) {
    file_of_symbol_[message.oneof_decl(i)->full_name()] = file;
  }
  for (int i = 0; i < message.nested_type_count(); ++i) {
    AddMessage(*message.nested_type(i));
  }
  for (int i = 0; i < message.enum_type_count(); ++i) {
    AddEnum(*message.enum_type(i));
  }
  for (int i = 0; i < message.extension_count(); ++i) {
    AddExtension(*message.extension(i));
  }
}

void ReflectionIndex::AddEnum(const EnumDescriptor& enumeration) {
  const std::string& file = enumeration.file()->name();
  file_of_symbol_[enumeration.full_name()] = file;
  for (int i = 0; i < enumeration.value_count(); ++i) {
    file_of_symbol_[enumeration.value(i)->full_name()] = file;
  }
}

void ReflectionIndex::AddService(const ServiceDescriptor& service) {
  const std::string& file = service.file()->name();
  file_of_symbol_[service.full_name()] = file;
  for (int i = 0; i < service.method_count(); ++i) {
    file_of_symbol_[service.method(i)->full_name()] = file;
  }
}

void ReflectionIndex::AddExtension(const FieldDescriptor& extension) {
  const std::string& file = extension.file()->name();
  file_of_symbol_[extension.full_name()] = file;
  extensions_[extension.containing_type()->full_name()][extension.number()] =
      file;
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileNamed(
    absl::string_view name) const {
  const auto asked = files_.find(name);
  if (asked == files_.end()) return Unknown("file", name);
  Files files;
  std::vector<const File*> pending = {&asked->second};
  std::set<absl::string_view> seen = {asked->first};
  while (!pending.empty()) {
    const File& file = *pending.back();
    pending.pop_back();
    files.push_back(file.serialized);
    for (const std::string& import : file.imports) {
      if (seen.insert(import).second) pending.push_back(&files_.at(import));
    }
  }
  return files;
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileWithSymbol(
    absl::string_view symbol) const {
  const auto found = file_of_symbol_.find(symbol);
  if (found == file_of_symbol_.end()) return Unknown("symbol", symbol);
  return FileNamed(found->second);
}

absl::StatusOr<ReflectionIndex::Files> ReflectionIndex::FileWithExtension(
    absl::string_view message, int number) const {
  const auto known = extensions_.find(message);
  if (known == extensions_.end()) return Unknown("message", message);
  const auto extension = known->second.find(number);
  if (extension == known->second.end()) {
    return Unknown("extension", absl::StrCat(number, " of ", message));
  }
  return FileNamed(extension->second);
}

absl::StatusOr<std::vector<int>> ReflectionIndex::ExtensionNumbers(
    absl::string_view message) const {
  const auto known = extensions_.find(message);
  if (known == extensions_.end()) return Unknown("message", message);
  std::vector<int> numbers;
  for (const auto& [number, file] : known->second) numbers.push_back(number);
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
