#include "server/security/certificate_watcher.h"

#include <filesystem>
#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/security/loopback_tls.h"
#include "tests/server/security/test_certificates.h"
#include "tests/server/security/tls_directory.h"

namespace ladder::server {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Only so that a wait in vain ends; gRPC looks once a second.
constexpr absl::Duration kPatience = absl::Minutes(5);

// Looks at the files only when told to, and keeps what it was told.
class CertificateWatcherTest : public ::testing::Test {
 protected:
  std::unique_ptr<CertificateWatcher> Watch(const TlsFiles& files) {
    return CertificateWatcher::Create(files,
                                      {.interval = absl::InfiniteDuration(),
                                       .on_change =
                                           [this](const absl::Status& status) {
                                             told_.push_back(status.code());
                                           },
                                       .now = [this] { return now_; }})
        .value();
  }

  // Connects again and again until the server shows `serial`. Every connection
  // must succeed and see that one or `other`.
  void AwaitSerial(const EchoServer& server, long serial, long other) const {
    const absl::Time deadline = absl::Now() + kPatience;
    for (long seen = other; seen != serial;) {
      ASSERT_LT(absl::Now(), deadline);
      EchoClient client(server.port(), authority_.certificate());
      ASSERT_TRUE(client.Exchange()) << client.Finish().error_message();
      seen = client.PeerSerial();
      ASSERT_THAT(seen, AnyOf(serial, other));
    }
  }

  TestAuthority authority_{"authority"};
  TestAuthority stranger_{"stranger"};
  TlsDirectory directory_;
  absl::Time now_ = absl::Now();
  std::vector<absl::StatusCode> told_;
};

TEST_F(CertificateWatcherTest, ServesTlsToWhoTrustsItsAuthority) {
  directory_.WritePair(authority_.Issue({.serial = 11}));
  const auto watcher = Watch(directory_.Files());
  const EchoServer server(watcher->Credentials());

  EchoClient client(server.port(), authority_.certificate());
  ASSERT_TRUE(client.Exchange());
  EXPECT_EQ(client.PeerSerial(), 11);
  EXPECT_TRUE(client.Finish().ok());

  EchoClient distrustful(server.port(), stranger_.certificate());
  EXPECT_FALSE(distrustful.Exchange());
  EXPECT_EQ(distrustful.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(CertificateWatcherTest, WithAClientCaClientsNeedItsCertificate) {
  directory_.WritePair(authority_.Issue());
  directory_.WriteClientCa(authority_.certificate());
  const auto watcher = Watch(directory_.MutualFiles());
  const EchoServer server(watcher->Credentials());

  EchoClient known(server.port(), authority_.certificate(), authority_.Issue());
  EXPECT_TRUE(known.Exchange());
  EXPECT_TRUE(known.Finish().ok());

  EchoClient unnamed(server.port(), authority_.certificate());
  EXPECT_FALSE(unnamed.Exchange());
  EXPECT_EQ(unnamed.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);

  EchoClient unknown(server.port(), authority_.certificate(),
                     stranger_.Issue());
  EXPECT_FALSE(unknown.Exchange());
  EXPECT_EQ(unknown.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(CertificateWatcherTest, NewConnectionsSeeTheNewCertificateOldOnesGoOn) {
  directory_.WritePair(authority_.Issue({.serial = 1}));
  const auto watcher = Watch(directory_.Files());
  const EchoServer server(watcher->Credentials());
  EchoClient open(server.port(), authority_.certificate());
  ASSERT_TRUE(open.Exchange());

  const absl::Time end = absl::FromTimeT(absl::ToTimeT(now_)) + absl::Hours(99);
  directory_.WritePair(authority_.Issue({.serial = 2, .not_after = end}));
  ASSERT_TRUE(watcher->CheckNow().ok());
  AwaitSerial(server, /*serial=*/2, /*other=*/1);

  EXPECT_TRUE(open.Exchange());
  EXPECT_EQ(open.PeerSerial(), 1);
  EXPECT_TRUE(open.Finish().ok());
  EXPECT_EQ(watcher->Expires(), end);
  EXPECT_THAT(told_, ::testing::ElementsAre(absl::StatusCode::kOk));
}

TEST_F(CertificateWatcherTest, ABadPairIsToldOnceAndTheOldOneStays) {
  const TestCertificate old_pair = authority_.Issue({.serial = 1});
  directory_.WritePair(old_pair);
  const auto watcher = Watch(directory_.Files());
  const EchoServer server(watcher->Credentials());
  const absl::Time end = watcher->Expires();

  // The new certificate is there, its key is not.
  const TestCertificate new_pair =
      authority_.Issue({.serial = 2, .not_after = now_ + absl::Hours(99)});
  directory_.WriteChain(new_pair.certificate);
  for (int look = 0; look < 3; ++look) {
    const absl::Status bad = watcher->CheckNow();
    EXPECT_EQ(bad.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(bad.message()),
                HasSubstr(directory_.Files().private_key));
  }
  EXPECT_THAT(told_,
              ::testing::ElementsAre(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(watcher->NumFailedChecks(), 3u);
  EXPECT_EQ(watcher->Expires(), end);
  EchoClient client(server.port(), authority_.certificate());
  EXPECT_TRUE(client.Exchange());
  EXPECT_EQ(client.PeerSerial(), 1);

  // No connection fails until the key has come and is in use.
  directory_.WriteKey(new_pair.key);
  ASSERT_TRUE(watcher->CheckNow().ok());
  AwaitSerial(server, /*serial=*/2, /*other=*/1);
  EXPECT_EQ(watcher->NumFailedChecks(), 3u);
  EXPECT_THAT(told_, ::testing::ElementsAre(absl::StatusCode::kInvalidArgument,
                                            absl::StatusCode::kOk));
}

TEST_F(CertificateWatcherTest, PuttingTheOldFilesBackIsToldAsRecovery) {
  const TestCertificate pair = authority_.Issue();
  directory_.WritePair(pair);
  const auto watcher = Watch(directory_.Files());

  directory_.WriteKey("rubbish");
  EXPECT_FALSE(watcher->CheckNow().ok());
  directory_.WriteKey(pair.key);
  EXPECT_TRUE(watcher->CheckNow().ok());
  EXPECT_TRUE(watcher->CheckNow().ok());

  EXPECT_THAT(told_, ::testing::ElementsAre(absl::StatusCode::kInvalidArgument,
                                            absl::StatusCode::kOk));
}

TEST_F(CertificateWatcherTest, AnotherClientCaIsTakenToo) {
  directory_.WritePair(authority_.Issue());
  directory_.WriteClientCa(authority_.certificate());
  const auto watcher = Watch(directory_.MutualFiles());
  const EchoServer server(watcher->Credentials());

  directory_.WriteClientCa(stranger_.certificate());
  ASSERT_TRUE(watcher->CheckNow().ok());

  const auto is_served = [&](const TestCertificate& identity) {
    return EchoClient(server.port(), authority_.certificate(), identity)
        .Exchange();
  };
  const TestCertificate of_new_ca = stranger_.Issue();
  const absl::Time deadline = absl::Now() + kPatience;
  while (!is_served(of_new_ca)) ASSERT_LT(absl::Now(), deadline);
  EXPECT_FALSE(is_served(authority_.Issue()));
}

TEST_F(CertificateWatcherTest, AMissingOrBrokenClientCaChangesNothing) {
  directory_.WritePair(authority_.Issue());
  directory_.WriteClientCa(authority_.certificate());
  const auto watcher = Watch(directory_.MutualFiles());
  const EchoServer server(watcher->Credentials());

  directory_.WriteClientCa("");
  EXPECT_EQ(watcher->CheckNow().code(), absl::StatusCode::kInvalidArgument);

  EchoClient unnamed(server.port(), authority_.certificate());
  EXPECT_FALSE(unnamed.Exchange());
  EchoClient known(server.port(), authority_.certificate(), authority_.Issue());
  EXPECT_TRUE(known.Exchange());
}

TEST_F(CertificateWatcherTest, ACertificateThatExpiresInUseIsToldAndKept) {
  directory_.WritePair(authority_.Issue());
  const auto watcher = Watch(directory_.Files());
  const absl::Time end = watcher->Expires();

  now_ = end;

  EXPECT_THAT(std::string(watcher->CheckNow().message()),
              HasSubstr("expired on"));
  EXPECT_THAT(told_,
              ::testing::ElementsAre(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(watcher->Expires(), end);
}

TEST_F(CertificateWatcherTest, ServesSeveralPortsAndOutlivesItsWatcher) {
  directory_.WritePair(authority_.Issue({.serial = 1}));
  auto watcher = Watch(directory_.Files());
  const EchoServer first(watcher->Credentials());
  const EchoServer second(watcher->Credentials());

  directory_.WritePair(authority_.Issue({.serial = 2}));
  ASSERT_TRUE(watcher->CheckNow().ok());
  watcher.reset();

  AwaitSerial(first, /*serial=*/2, /*other=*/1);
  AwaitSerial(second, /*serial=*/2, /*other=*/1);
}

TEST_F(CertificateWatcherTest, LooksByItselfAtEveryInterval) {
  directory_.WritePair(authority_.Issue());
  std::latch told(1);
  absl::Status status;
  const auto watcher =
      CertificateWatcher::Create(directory_.Files(),
                                 {.interval = absl::Milliseconds(1),
                                  .on_change =
                                      [&](const absl::Status& found) {
                                        status = found;
                                        told.count_down();
                                      }})
          .value();

  std::filesystem::remove(directory_.Files().private_key);
  told.wait();

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST_F(CertificateWatcherTest, RefusesToStartWithWhatItCannotServe) {
  EXPECT_EQ(CertificateWatcher::Create(directory_.Files(), {}).status().code(),
            absl::StatusCode::kNotFound);

  directory_.WritePair(authority_.Issue());
  EXPECT_EQ(CertificateWatcher::Create(directory_.Files(),
                                       {.interval = absl::ZeroDuration()})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::server
