#ifndef LADDER_SERVER_RPC_REFLECTION_INDEX_H_
#define LADDER_SERVER_RPC_REFLECTION_INDEX_H_

#include <google/protobuf/descriptor.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// What can be told about a server's services: the files that declare them, the
// files that those import, and everything declared in either. Other files of
// the same program do not exist here.
//
// Built once, because a DescriptorPool remembers every unknown name that it was
// asked for, and callers can ask for as many as they like. Immutable and
// thread-safe. Keeps no reference to the pool.
class ReflectionIndex {
 public:
  // `services` are full names, listed as they come. Of those that `pool` does
  // not know nothing but the name can be told.
  ReflectionIndex(const google::protobuf::DescriptorPool& pool,
                  std::vector<std::string> services);

  const std::vector<std::string>& Services() const { return services_; }

  // Serialised FileDescriptorProtos: first that of the file asked for, then all
  // that it imports, directly or not, each once. Valid as long as the index.
  using Files = std::vector<absl::string_view>;

  // NotFound if there is no such file, symbol, or extension.
  absl::StatusOr<Files> FileNamed(absl::string_view name) const;
  absl::StatusOr<Files> FileWithSymbol(absl::string_view symbol) const;
  absl::StatusOr<Files> FileWithExtension(absl::string_view message,
                                          int number) const;

  // Ascending; maybe none. NotFound if there is no such message.
  absl::StatusOr<std::vector<int>> ExtensionNumbers(
      absl::string_view message) const;

 private:
  struct File {
    std::string serialized = {};
    std::vector<std::string> imports = {};
  };

  void AddFile(const google::protobuf::FileDescriptor& file);
  void AddMessage(const google::protobuf::Descriptor& message);
  void AddEnum(const google::protobuf::EnumDescriptor& enumeration);
  void AddService(const google::protobuf::ServiceDescriptor& service);
  void AddExtension(const google::protobuf::FieldDescriptor& extension);

  const std::vector<std::string> services_;
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, std::string, std::less<>> file_of_symbol_;
  // By message; its extensions' files by number. Has messages without any.
  std::map<std::string, std::map<int, std::string>, std::less<>> extensions_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_REFLECTION_INDEX_H_
