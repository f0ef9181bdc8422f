#ifndef LADDER_SERVER_RPC_REFLECTION_H_
#define LADDER_SERVER_RPC_REFLECTION_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/rpc/call.h"
#include "server/rpc/call_table.h"

namespace ladder::server {

// What can be told about a server's services: the files that declare them, the
// files that those import, and everything declared in either. Other files of
// the same program do not exist here.
//
// A pool of its own, because one with files to fall back on, as the program's
// own has, remembers every unknown name that it was asked for, and callers can
// ask for as many as they like. Immutable and thread-safe.
class ReflectionIndex {
 public:
  // `services` are full names, listed as they come. Nothing but the name can be
  // told of those that `pool` does not know.
  ReflectionIndex(const google::protobuf::DescriptorPool& pool,
                  std::vector<std::string> services);

  const std::vector<std::string>& Services() const { return services_; }

  // Serialised FileDescriptorProtos: first that of the file asked for, then all
  // that it imports, directly or not, each once.
  using Files = std::vector<std::string>;

  // NotFound if there is no such file, symbol, or extension.
  absl::StatusOr<Files> FileNamed(const std::string& name) const;
  absl::StatusOr<Files> FileWithSymbol(const std::string& symbol) const;
  absl::StatusOr<Files> FileWithExtension(const std::string& message,
                                          int number) const;

  // Ascending; maybe none. NotFound if there is no such message.
  absl::StatusOr<std::vector<int>> ExtensionNumbers(
      const std::string& message) const;

 private:
  // Adds the file behind all that it imports.
  void AddFile(const google::protobuf::FileDescriptor& file);

  const std::vector<std::string> services_;
  google::protobuf::DescriptorPool pool_;
};

// Adds gRPC server reflection, by both names that the protocol has, which
// answers from `index`. The library has such a service too, but it answers
// everybody. Both must outlive the table.
void AddReflection(const RpcServices& services, const ReflectionIndex& index,
                   CallTable& table);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_REFLECTION_H_
