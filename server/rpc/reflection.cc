#include "server/rpc/reflection.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/rpc/stream_call.h"

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
  error.set_error_message(ErrorText(status.message()));
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

// One stream: a question, its answer, the next question.
template <typename Request, typename Response>
class ReflectionCall final : public StreamCall {
 public:
  static CallReactor* Start(const RpcServices& services,
                            const ReflectionIndex& index,
                            grpc::CallbackServerContext& context) {
    const std::shared_ptr<ReflectionCall> call(
        new ReflectionCall(services, index, context));
    call->Begin();
    return call.get();
  }

 private:
  ReflectionCall(const RpcServices& services, const ReflectionIndex& index,
                 grpc::CallbackServerContext& context)
      : StreamCall(services, "ServerReflectionInfo", context), index_(index) {}

  absl::Status Accept() override {
    LADDER_ASSIGN_OR_RETURN(const auto request, TakeMessage<Request>());
    AnswerQuestion(index_, *request, response_);
    const base::MutexLock lock(mutex_);
    has_answer_ = true;
    return absl::OkStatus();
  }
  bool CanRead() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !has_answer_ && !writing_;
  }
  bool IsWorking() const override { return false; }
  bool IsAnswered() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !has_answer_ && !writing_;
  }
  bool ChooseAnswer() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::exchange(has_answer_, false);
  }
  absl::Status SerializeAnswer(grpc::ByteBuffer& bytes) override {
    return SerializeMessage(response_, bytes);
  }

  const ReflectionIndex& index_;
  Response response_;  // Made while none is written.
  bool has_answer_ ABSL_GUARDED_BY(mutex_) = false;
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

void AddReflection(const RpcServices& services, const ReflectionIndex& index,
                   CallTable& table) {
  namespace v1 = grpc::reflection::v1;
  namespace v1alpha = grpc::reflection::v1alpha;
  const auto name_of = [](const std::string& service) {
    return absl::StrCat("/", service, "/ServerReflectionInfo");
  };
  table[name_of(v1::ServerReflection::service_full_name())] =
      [&services,
       &index](grpc::CallbackServerContext& context) -> CallReactor* {
    return ReflectionCall<v1::ServerReflectionRequest,
                          v1::ServerReflectionResponse>::Start(services, index,
                                                               context);
  };
  table[name_of(v1alpha::ServerReflection::service_full_name())] =
      [&services,
       &index](grpc::CallbackServerContext& context) -> CallReactor* {
    return ReflectionCall<v1alpha::ServerReflectionRequest,
                          v1alpha::ServerReflectionResponse>::Start(services,
                                                                    index,
                                                                    context);
  };
}

}  // namespace ladder::server
