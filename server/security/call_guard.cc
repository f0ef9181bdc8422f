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
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/files/fault.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"

namespace ladder::server {
namespace {

constexpr size_t kMinLength = 16;
constexpr size_t kMaxLength = 1024;
constexpr size_t kMaxTokens = 1000;
constexpr size_t kMaxNameLength = 64;

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

bool MayBeInName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("-._", c);
}

absl::Status CheckOwner(absl::string_view name) {
  if (name.size() <= kMaxNameLength &&
      std::all_of(name.begin(), name.end(), MayBeInName)) {
    return absl::OkStatus();
  }
  // It may be a token in the wrong place, and is not quoted.
  return absl::InvalidArgumentError(
      absl::StrCat("expected a name of at most ", kMaxNameLength,
                   " letters, digits and -._ in front of the token"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(std::string path) {
  std::unique_ptr<TokenFile> file(new TokenFile(std::move(path)));
  LADDER_RETURN_IF_ERROR(file->Reload());
  return file;
}

absl::Status TokenFile::Reload() {
  absl::StatusOr<Tokens> tokens = Read();
  const base::MutexLock lock(mutex_);
  if (!tokens.ok()) {
    ++num_failed_reloads_;
    return tokens.status();
  }
  tokens_ = std::make_shared<const Tokens>(*std::move(tokens));
  return absl::OkStatus();
}

absl::StatusOr<TokenFile::Tokens> TokenFile::Read() const {
  LADDER_ASSIGN_OR_RETURN(std::string content, base::ReadSmallFile(path_));
  absl::StatusOr<Tokens> tokens = Parse(content);
  OPENSSL_cleanse(content.data(), content.size());
  if (!tokens.ok()) return base::AtPlace(path_, tokens.status());
  return tokens;
}

absl::StatusOr<TokenFile::Tokens> TokenFile::Parse(absl::string_view content) {
  Tokens tokens;
  size_t line_number = 0;
  for (const absl::string_view raw : absl::StrSplit(content, '\n')) {
    ++line_number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line.front() == '#') continue;
    const size_t gap = line.find_last_of(" \t");
    const bool has_owner = gap != absl::string_view::npos;
    const absl::string_view token = has_owner ? line.substr(gap + 1) : line;
    const absl::string_view owner =
        has_owner ? absl::StripAsciiWhitespace(line.substr(0, gap)) : "";
    absl::Status valid = CheckToken(token);
    valid.Update(CheckOwner(owner));
    if (!valid.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": ", valid.message()));
    }
    if (tokens.size() == kMaxTokens) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", line_number, ": expected at most ", kMaxTokens, " tokens"));
    }
    tokens.push_back(
        {DigestOf(token),
         has_owner ? std::string(owner) : absl::StrCat("line ", line_number)});
  }
  if (tokens.empty()) {
    return absl::InvalidArgumentError("expected at least one token, got none");
  }
  return tokens;
}

TokenFile::Digest TokenFile::DigestOf(absl::string_view token) {
  static_assert(std::tuple_size_v<Digest> == SHA256_DIGEST_LENGTH);
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         digest.data());
  return digest;
}

absl::StatusOr<std::string> TokenFile::Check(
    absl::string_view authorization) const {
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
  const std::shared_ptr<const Tokens> tokens = Current();
  const Token* found = nullptr;
  // There is no early exit, which would tell how near a guess came.
  for (const Token& known : *tokens) {
    const bool matches = CRYPTO_memcmp(presented.data(), known.digest.data(),
                                       presented.size()) == 0;
    found = matches ? &known : found;
  }
  if (found == nullptr) {
    return absl::UnauthenticatedError(
        absl::StrCat(kExpected, ", got a token that is not known"));
  }
  return found->owner;
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

std::shared_ptr<const TokenFile::Tokens> TokenFile::Current() const {
  const base::MutexLock lock(mutex_);
  return tokens_;
}

absl::StatusOr<std::string> CallGuard::Check(const Metadata& metadata) const {
  if (tokens_ == nullptr) return "";
  const auto [first, last] = metadata.equal_range("authorization");
  const auto count = std::distance(first, last);
  if (count > 1) {
    return absl::UnauthenticatedError(absl::StrCat(
        "expected one 'authorization' in the metadata, got ", count));
  }
  if (count == 0) return tokens_->Check("");
  return tokens_->Check({first->second.data(), first->second.size()});
}

absl::StatusOr<std::string> CallGuard::Identify(
    const grpc::ServerContextBase& context) const {
  LADDER_ASSIGN_OR_RETURN(const std::string owner,
                          Check(context.client_metadata()));
  return owner.empty() ? ClientOf(context) : absl::StrCat("token ", owner);
}

std::string CallGuard::ClientOf(const grpc::ServerContextBase& context) const {
  const auto certificate = context.auth_context();
  if (certificate != nullptr && certificate->IsPeerAuthenticated()) {
    const auto names = certificate->GetPeerIdentity();
    if (!names.empty()) {
      return absl::StrCat("certificate ",
                          absl::string_view(names[0].data(), names[0].size()));
    }
  }
  std::vector<absl::string_view> forwarded;
  const auto [first, last] =
      context.client_metadata().equal_range("x-forwarded-for");
  for (auto header = first; header != last; ++header) {
    forwarded.emplace_back(header->second.data(), header->second.size());
  }
  return absl::StrCat(
      "address ",
      ClientAddress(context.peer(), absl::StrJoin(forwarded, ","), proxies_));
}

}  // namespace ladder::server
