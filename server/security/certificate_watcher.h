#ifndef LADDER_SERVER_SECURITY_CERTIFICATE_WATCHER_H_
#define LADDER_SERVER_SECURITY_CERTIFICATE_WATCHER_H_

#include <grpcpp/security/server_credentials.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "base/system/threads.h"
#include "server/security/memory_file.h"
#include "server/security/tls_identity.h"

namespace ladder::server {

struct CertificateWatcherOptions {
  // How often to look at the files. If infinite, only CheckNow does so.
  absl::Duration interval = absl::Seconds(30);
  // Told that other files are in use (OK), that the files cannot be used (why;
  // once, not at every look), or that they are again those in use (OK). Not at
  // the start. Must not call the watcher's CheckNow.
  std::function<void(const absl::Status&)> on_change = nullptr;
  std::function<absl::Time()> now = [] { return absl::Now(); };
};

// Serves TLS (1.2 or later) from files that may change while the server runs,
// with client certificates required if there is a client CA. New files are
// checked first; if they cannot be used, those in use stay. Connections that
// are open go on.
//
// gRPC reloads certificates by watching files, takes whatever it finds, and
// fails all handshakes after it has taken a wrong pair. So it does not watch
// the files themselves but copies in memory, which hold nothing unchecked.
//
// Thread-safe.
class CertificateWatcher {
 public:
  // An error if the files cannot be used now, or if the interval is not
  // positive.
  static absl::StatusOr<std::unique_ptr<CertificateWatcher>> Create(
      TlsFiles files, CertificateWatcherOptions options);

  // They serve any number of ports. They may outlive the watcher and then
  // keep what was in use.
  std::shared_ptr<grpc::ServerCredentials> Credentials() const {
    return credentials_;
  }

  // Looks at the files. OK if they are in use now: handshakes see them within
  // about a second. Otherwise what is wrong with them.
  absl::Status CheckNow();

  // When the certificate in use expires.
  absl::Time Expires() const;

  // How many looks found files that cannot be used.
  uint64_t NumFailedChecks() const;

 private:
  CertificateWatcher(TlsFiles files, CertificateWatcherOptions options,
                     TlsIdentity identity, MemoryFile key_and_chain,
                     std::optional<MemoryFile> client_ca);

  absl::Status Use(TlsIdentity found) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TlsFiles files_;
  const CertificateWatcherOptions options_;

  base::Mutex check_mutex_;  // Held during a check. Taken before mutex_.
  mutable base::Mutex mutex_;
  TlsIdentity used_ ABSL_GUARDED_BY(mutex_);
  // What the last look at the files found.
  absl::Status last_check_ ABSL_GUARDED_BY(mutex_);
  uint64_t num_failed_checks_ ABSL_GUARDED_BY(mutex_) = 0;
  MemoryFile key_and_chain_ ABSL_GUARDED_BY(mutex_);
  std::optional<MemoryFile> client_ca_ ABSL_GUARDED_BY(mutex_);

  std::shared_ptr<grpc::ServerCredentials> credentials_;
  base::PeriodicThread thread_;  // Last: ends before the rest.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_CERTIFICATE_WATCHER_H_
