#include "server/security/call_guard.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/files/fault.h"
#include "base/files/small_file.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"

namespace ladder::server {
namespace {

constexpr size_t kMinLength = 16;
constexpr size_t kMaxLength = 1024;
constexpr size_t kMaxTokens = 1000;

bool MayBeInToken(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("-._~+/=", c);
}

absl::Status CheckToken(absl::string_view token) {
  if (token.size() < kMinLength || token.size() > kMaxLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a token of ", kMinLength, " to ", kMaxLength,
                     " characters, got ", token.size()));
  }
  if (!std::all_of(token.begin(), token.end(), MayBeInToken)) {
    return absl::InvalidArgumentError(
        "expected a token of letters, digits and -._~+/= alone");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(std::string path) {
  std::unique_ptr<TokenFile> file(new TokenFile(std::move(path)));
  LADDER_RETURN_IF_ERROR(file->Reload());
  return file;
}

absl::Status TokenFile::Reload() {
  absl::StatusOr<Digests> digests = Read();
  const base::MutexLock lock(mutex_);
  if (!digests.ok()) {
    ++num_failed_reloads_;
    return digests.status();
  }
  digests_ = std::make_shared<const Digests>(*std::move(digests));
  return absl::OkStatus();
}

absl::StatusOr<TokenFile::Digests> TokenFile::Read() const {
  LADDER_ASSIGN_OR_RETURN(std::string content, base::ReadSmallFile(path_));
  absl::StatusOr<Digests> digests = Parse(content);
  OPENSSL_cleanse(content.data(), content.size());
  if (!digests.ok()) return base::AtPlace(path_, digests.status());
  return digests;
}

absl::StatusOr<TokenFile::Digests> TokenFile::Parse(absl::string_view content) {
  Digests digests;
  size_t line_number = 0;
  for (const absl::string_view raw : absl::StrSplit(content, '\n')) {
    ++line_number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line.front() == '#') continue;
    const absl::Status valid = CheckToken(line);
    if (!valid.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": ", valid.message()));
    }
    if (digests.size() == kMaxTokens) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", line_number, ": expected at most ", kMaxTokens, " tokens"));
    }
    digests.push_back(DigestOf(line));
  }
  if (digests.empty()) {
    return absl::InvalidArgumentError("expected at least one token, got none");
  }
  return digests;
}

TokenFile::Digest TokenFile::DigestOf(absl::string_view token) {
  static_assert(std::tuple_size_v<Digest> == SHA256_DIGEST_LENGTH);
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         digest.data());
  return digest;
}

absl::Status TokenFile::Check(absl::string_view authorization) const {
  constexpr absl::string_view kExpected =
      "expected the metadata 'authorization: Bearer TOKEN'";
  constexpr absl::string_view kScheme = "Bearer ";
  if (authorization.empty()) {
    return absl::UnauthenticatedError(absl::StrCat(kExpected, ", got none"));
  }
  if (!absl::StartsWithIgnoreCase(authorization, kScheme)) {
    return absl::UnauthenticatedError(
        absl::StrCat(kExpected, ", got another scheme"));
  }
  const absl::string_view token =
      absl::StripAsciiWhitespace(authorization.substr(kScheme.size()));

  const Digest presented = DigestOf(token);
  const std::shared_ptr<const Digests> digests = Current();
  unsigned matches = 0;
  // There is no early exit, which would tell how near a guess came.
  for (const Digest& digest : *digests) {
    matches |= static_cast<unsigned>(
        CRYPTO_memcmp(presented.data(), digest.data(), digest.size()) == 0);
  }
  if (matches == 0) {
    return absl::UnauthenticatedError(
        absl::StrCat(kExpected, ", got a token that is not known"));
  }
  return absl::OkStatus();
}

uint64_t TokenFile::NumFailedReloads() const {
  const base::MutexLock lock(mutex_);
  return num_failed_reloads_;
}

std::string TokenFile::Warning() const {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  const bool readable_by_all =
      !error && (status.permissions() & std::filesystem::perms::others_read) !=
                    std::filesystem::perms::none;
  if (!readable_by_all) return "";
  return absl::StrCat(path_,
                      ": every user of this machine can read the tokens");
}

std::shared_ptr<const TokenFile::Digests> TokenFile::Current() const {
  const base::MutexLock lock(mutex_);
  return digests_;
}

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
