#include "server/security/call_guard.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

absl::Status CallGuard::Check(const Metadata& metadata) const {
  if (tokens_ == nullptr) return absl::OkStatus();
  const auto [first, last] = metadata.equal_range("authorization");
  const auto count = std::distance(first, last);
  if (count > 1) {
    return absl::UnauthenticatedError(absl::StrCat(
        "expected one 'authorization' in the metadata, got ", count));
  }
  if (count == 0) return tokens_->Check("");
  return tokens_->Check({first->second.data(), first->second.size()});
}

}  // namespace ladder::server
