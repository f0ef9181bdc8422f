#include "server/rpc/call_table.h"

#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

class UnknownMethod final : public CallReactor {
 public:
  explicit UnknownMethod(const std::string& method) {
    Finish(
        {grpc::StatusCode::UNIMPLEMENTED,
         absl::StrCat("expected a method that this server has, got ", method)});
  }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerGenericBidiReactor* TableService::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const auto found = table_.find(context->method());
  if (found == table_.end()) return new UnknownMethod(context->method());
  return found->second(*context);
}

}  // namespace ladder::server
