#include "model_store/format/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "absl/base/macros.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

std::string Sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  const int succeeded = EVP_Digest(bytes.data(), bytes.size(), digest.data(),
                                   &size, EVP_sha256(), /*impl=*/nullptr);
  ABSL_HARDENING_ASSERT(succeeded == 1);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

}  // namespace ladder::model_store
