#include "server/security/certificate_watcher.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"

namespace ladder::server {
namespace {

std::shared_ptr<grpc::ServerCredentials> MakeCredentials(
    const std::string& key_and_chain,
    const std::optional<MemoryFile>& client_ca) {
  constexpr unsigned kRefreshSeconds = 1;  // The least that gRPC knows.
  // gRPC reads key and chain one after the other. It compares the modification
  // time before and after, so from one file it never gets a mixed pair.
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          /*private_key_path=*/key_and_chain,
          /*identity_certificate_path=*/key_and_chain,
          client_ca ? client_ca->path() : "", kRefreshSeconds));
  options.watch_identity_key_cert_pairs();
  if (client_ca) {
    options.watch_root_certs();
    options.set_cert_request_type(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CertificateWatcher>> CertificateWatcher::Create(
    TlsFiles files, CertificateWatcherOptions options) {
  if (options.interval <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("certificate reload interval: expected more than 0, got ",
                     absl::FormatDuration(options.interval)));
  }
  LADDER_ASSIGN_OR_RETURN(TlsIdentity identity,
                          ReadTlsIdentity(files, options.now()));
  LADDER_ASSIGN_OR_RETURN(MemoryFile key_and_chain,
                          MemoryFile::Create(identity.key_and_chain));
  std::optional<MemoryFile> client_ca;
  if (!identity.client_ca.empty()) {
    LADDER_ASSIGN_OR_RETURN(client_ca, MemoryFile::Create(identity.client_ca));
  }
  return std::unique_ptr<CertificateWatcher>(new CertificateWatcher(
      std::move(files), std::move(options), std::move(identity),
      std::move(key_and_chain), std::move(client_ca)));
}

CertificateWatcher::CertificateWatcher(TlsFiles files,
                                       CertificateWatcherOptions options,
                                       TlsIdentity identity,
                                       MemoryFile key_and_chain,
                                       std::optional<MemoryFile> client_ca)
    : files_(std::move(files)),
      options_(std::move(options)),
      used_(std::move(identity)),
      key_and_chain_(std::move(key_and_chain)),
      client_ca_(std::move(client_ca)),
      credentials_(MakeCredentials(key_and_chain_.path(), client_ca_)),
      thread_(options_.interval, [this] { CheckNow().IgnoreError(); }) {}

absl::Status CertificateWatcher::CheckNow() {
  const base::MutexLock check_lock(check_mutex_);
  absl::StatusOr<TlsIdentity> found = ReadTlsIdentity(files_, options_.now());
  absl::Status now_known;
  bool changed = false;
  {
    const base::MutexLock lock(mutex_);
    const bool is_new =
        found.ok() && (found->key_and_chain != used_.key_and_chain ||
                       found->client_ca != used_.client_ca);
    now_known = is_new ? Use(*std::move(found)) : found.status();
    changed = is_new || now_known != last_check_;
    last_check_ = now_known;
    if (!now_known.ok()) ++num_failed_checks_;
  }
  if (changed && options_.on_change) options_.on_change(now_known);
  return now_known;
}

absl::Status CertificateWatcher::Use(TlsIdentity found) {
  // Should the second step fail, the next look finds it still to be done.
  if (client_ca_ && found.client_ca != used_.client_ca) {
    LADDER_RETURN_IF_ERROR(client_ca_->Replace(found.client_ca));
    used_.client_ca = found.client_ca;
  }
  LADDER_RETURN_IF_ERROR(key_and_chain_.Replace(found.key_and_chain));
  used_ = std::move(found);
  return absl::OkStatus();
}

absl::Time CertificateWatcher::Expires() const {
  const base::MutexLock lock(mutex_);
  return used_.expires;
}

uint64_t CertificateWatcher::NumFailedChecks() const {
  const base::MutexLock lock(mutex_);
  return num_failed_checks_;
}

}  // namespace ladder::server
