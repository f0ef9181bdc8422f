#include "server/security/tls_identity.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/security/pem.h"
#include "tests/server/security/test_certificates.h"
#include "tests/server/security/tls_directory.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsIdentityTest : public ::testing::Test {
 protected:
  // The files' error, which names `file` and says `what`.
  void ExpectError(const TlsFiles& files, const std::string& file,
                   const std::string& what) const {
    const absl::Status status = ReadTlsIdentity(files, absl::Now()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(file), HasSubstr(what)));
  }

  TestAuthority authority_{"authority"};
  TlsDirectory directory_;
  TlsFiles files_ = directory_.Files();
};

TEST_F(TlsIdentityTest, HoldsTheKeyTheWholeChainAndItsEnd) {
  const absl::Time end = absl::FromTimeT(absl::ToTimeT(absl::Now()) + 12345);
  const TestCertificate pair =
      authority_.Issue({.serial = 7, .not_after = end});
  directory_.WriteChain(
      absl::StrCat(pair.certificate, "a remark\n", authority_.certificate()));
  directory_.WriteKey(pair.key);

  const TlsIdentity identity = ReadTlsIdentity(files_, absl::Now()).value();

  EXPECT_EQ(identity.key_and_chain,
            absl::StrCat(pair.key, pair.certificate, authority_.certificate()));
  EXPECT_EQ(identity.client_ca, "");
  EXPECT_EQ(identity.expires, end);
}

TEST_F(TlsIdentityTest, OneFileMayHoldBothKeyAndChain) {
  const TestCertificate pair = authority_.Issue();
  directory_.WriteChain(absl::StrCat(pair.certificate, pair.key));
  files_.private_key = files_.certificate_chain;

  EXPECT_EQ(ReadTlsIdentity(files_, absl::Now())->key_and_chain,
            absl::StrCat(pair.key, pair.certificate));
}

TEST_F(TlsIdentityTest, TheClientCaMayHaveSeveralCertificates) {
  const std::string both =
      absl::StrCat(authority_.certificate(), TestAuthority("b").certificate());
  directory_.WritePair(authority_.Issue());
  directory_.WriteClientCa(both);

  EXPECT_EQ(ReadTlsIdentity(directory_.MutualFiles(), absl::Now())->client_ca,
            both);
}

TEST_F(TlsIdentityTest, AKeyOfAnotherCertificateIsRefused) {
  directory_.WriteChain(authority_.Issue().certificate);
  directory_.WriteKey(authority_.Issue().key);

  ExpectError(files_, files_.private_key, "expected the private key of");
}

TEST_F(TlsIdentityTest, AKeyOfAnotherKindIsRefused) {
  directory_.WriteChain(authority_.Issue().certificate);
  directory_.WriteKey(authority_.Issue({.rsa_bits = 2048}).key);

  ExpectError(files_, files_.private_key, "expected the private key of");
}

TEST_F(TlsIdentityTest, AnEncryptedKeyIsRefusedByName) {
  const TestCertificate pair = authority_.Issue();
  directory_.WriteChain(pair.certificate);
  directory_.WriteKey(Encrypted(pair.key, "password"));

  ExpectError(files_, files_.private_key, "without a password");
}

TEST_F(TlsIdentityTest, ACertificateOutsideItsTimeIsRefused) {
  directory_.WritePair(authority_.Issue({.not_after = absl::Now()}));
  ExpectError(files_, files_.certificate_chain, "expired on");

  directory_.WritePair(
      authority_.Issue({.not_before = absl::Now() + absl::Hours(1)}));
  ExpectError(files_, files_.certificate_chain, "not valid before");
}

TEST_F(TlsIdentityTest, AWeakKeyIsRefusedAsOpenSslWould) {
  directory_.WritePair(authority_.Issue({.rsa_bits = 1024}));

  ExpectError(files_, files_.certificate_chain, "key too small");
}

TEST_F(TlsIdentityTest, FilesWithoutWhatTheyShouldHoldAreRefused) {
  const TestCertificate pair = authority_.Issue();
  directory_.WriteChain(pair.key);
  directory_.WriteKey(pair.key);
  ExpectError(files_, files_.certificate_chain, "expected PEM certificates");

  directory_.WriteChain(pair.certificate);
  directory_.WriteKey(pair.certificate);
  ExpectError(files_, files_.private_key, "expected a PEM private key");

  directory_.WriteKey(pair.key);
  directory_.WriteClientCa("");
  ExpectError(directory_.MutualFiles(), directory_.MutualFiles().client_ca,
              "expected PEM certificates");
}

TEST_F(TlsIdentityTest, ATruncatedFileIsRefused) {
  const TestCertificate pair = authority_.Issue();
  const auto half = [](const std::string& text) {
    return text.substr(0, text.size() / 2);
  };
  directory_.WriteKey(pair.key);
  directory_.WriteChain(half(pair.certificate));
  ExpectError(files_, files_.certificate_chain, "certificate 1 is broken");

  directory_.WriteChain(
      absl::StrCat(pair.certificate, half(authority_.certificate())));
  ExpectError(files_, files_.certificate_chain, "certificate 2 is broken");

  directory_.WriteChain(pair.certificate);
  directory_.WriteKey(half(pair.key));
  ExpectError(files_, files_.private_key, "expected a PEM private key");
}

TEST_F(TlsIdentityTest, NoErrorHoldsAnythingOfTheKey) {
  const TestCertificate pair = authority_.Issue();
  directory_.WriteChain(pair.certificate);
  const std::string secret = pair.key.substr(40, 20);
  for (const std::string& key :
       {authority_.Issue().key, pair.key.substr(0, 90),
        absl::StrCat(pair.key.substr(0, 60), "!", pair.key.substr(61))}) {
    directory_.WriteKey(key);
    const absl::Status status = ReadTlsIdentity(files_, absl::Now()).status();

    EXPECT_FALSE(status.ok());
    EXPECT_THAT(status.ToString(), ::testing::Not(HasSubstr(secret)));
  }
}

TEST_F(TlsIdentityTest, AMissingFileIsNotFound) {
  directory_.WriteKey(authority_.Issue().key);

  const absl::Status status = ReadTlsIdentity(files_, absl::Now()).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(files_.certificate_chain));
}

}  // namespace
}  // namespace ladder::server
