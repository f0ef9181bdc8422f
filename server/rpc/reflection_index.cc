#include "server/rpc/reflection_index.h"

#include <google/protobuf/descriptor.pb.h>

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

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

}  // namespace ladder::server
