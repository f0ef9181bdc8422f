#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/security/call_guard.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kFirst[] = "first-token-of-25-letters";
constexpr char kSecond[] = "second.token/of+26~letters=";

class TokenFileTest : public ::testing::Test {
 protected:
  std::string path() const { return directory_.path() / "tokens"; }

  void Write(const std::string& content) const {
    std::ofstream(path(), std::ios::binary) << content;
  }

  absl::Status OpenError(const std::string& content) const {
    Write(content);
    return TokenFile::Open(path()).status();
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(TokenFileTest, EveryTokenOfTheFileOpens) {
  Write(absl::StrCat("# who: batch jobs\n", kFirst, "\n\n  # another\n",
                     kSecond, "\n"));
  const auto tokens = TokenFile::Open(path()).value();

  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kSecond)).ok());
  EXPECT_TRUE(tokens->Check(absl::StrCat("bearer  ", kSecond, " ")).ok());
}

TEST_F(TokenFileTest, ATokenTellsWhoseItIs) {
  Write(
      absl::StrCat("# who may call\nfield-team ", kFirst, "\n", kSecond, "\n"));
  const auto tokens = TokenFile::Open(path()).value();

  EXPECT_EQ(*tokens->Check(absl::StrCat("Bearer ", kFirst)), "field-team");
  EXPECT_EQ(*tokens->Check(absl::StrCat("Bearer ", kSecond)), "line 3");
  EXPECT_FALSE(tokens->Check(absl::StrCat("Bearer field-team ", kFirst)).ok());
}

TEST_F(TokenFileTest, WindowsLineEndsAndAMissingLastOneAreFine) {
  Write(absl::StrCat(kFirst, "\r\n\r\n", kSecond));
  const auto tokens = TokenFile::Open(path()).value();

  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kSecond)).ok());
}

TEST_F(TokenFileTest, AnythingElseIsUnauthenticatedAndNotRepeated) {
  Write(kFirst);
  const auto tokens = TokenFile::Open(path()).value();

  const std::string almost = absl::StrCat("Bearer ", kFirst, "x");
  for (const std::string& header :
       {std::string(), std::string("Bearer"), std::string("Bearer "),
        std::string(kFirst), absl::StrCat("Basic ", kFirst),
        absl::StrCat("Bearer Bearer ", kFirst), almost,
        almost.substr(0, almost.size() - 2), std::string("Bearer # comment"),
        std::string("Bearer \0", 8)}) {
    const absl::Status status = tokens->Check(header).status();

    EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated) << header;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("authorization: Bearer TOKEN"),
                      Not(HasSubstr("first-token"))));
  }
}

TEST_F(TokenFileTest, ABadLineIsNamedByItsNumberAlone) {
  const struct {
    std::string line;
    std::string expected;
  } cases[] = {
      {"secret-too-short", ""},  // 16 letters: just long enough.
      {"secret-tooshort", "line 2: expected a token of 16 to 1024 characters"},
      {"secret-" + std::string(1018, 'x'), "got 1025"},
      {"owner secret-secret{secret}", "letters, digits and -._~+/= alone"},
      {"secret/owner secret-secret-secret", "a name of at most 64 letters"},
      {std::string(65, 's') + " secret-secret-secret",
       "a name of at most 64 letters"},
      {"secret-secret-s\xc3\xa9", "letters, digits and -._~+/= alone"},
  };
  for (const auto& [line, expected] : cases) {
    const absl::Status status =
        OpenError(absl::StrCat("# first\n", line, "\n"));

    if (expected.empty()) {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(path()), HasSubstr("line 2"),
                      HasSubstr(expected), Not(HasSubstr("secret"))));
  }
}

TEST_F(TokenFileTest, AFileWithoutTokensOrWithTooManyIsRefused) {
  EXPECT_THAT(std::string(OpenError("# nothing\n\n").message()),
              HasSubstr("at least one token"));

  std::string many;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&many, kFirst, i, "\n");
  EXPECT_TRUE(OpenError(many).ok());
  EXPECT_THAT(std::string(OpenError(absl::StrCat(many, kSecond)).message()),
              HasSubstr("line 1001: expected at most 1000 tokens"));
}

TEST_F(TokenFileTest, WhatIsNoSmallFileIsRefused) {
  EXPECT_EQ(TokenFile::Open(path()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenError(std::string((1 << 20) + 1, '#')).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TokenFile::Open(std::filesystem::path(path()).parent_path())
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TokenFileTest, ReloadTakesTheNewTokensAndForgetsTheOld) {
  Write(kFirst);
  const auto tokens = TokenFile::Open(path()).value();

  Write(kSecond);
  ASSERT_TRUE(tokens->Reload().ok());

  EXPECT_FALSE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kSecond)).ok());
}

TEST_F(TokenFileTest, ABadFileKeepsTheOldTokens) {
  Write(kFirst);
  const auto tokens = TokenFile::Open(path()).value();

  Write(absl::StrCat(kSecond, "\nshort\n"));
  EXPECT_EQ(tokens->Reload().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  EXPECT_FALSE(tokens->Check(absl::StrCat("Bearer ", kSecond)).ok());

  std::filesystem::remove(path());
  EXPECT_EQ(tokens->Reload().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  EXPECT_EQ(tokens->NumFailedReloads(), 2u);

  Write(kSecond);
  EXPECT_TRUE(tokens->Reload().ok());
  EXPECT_EQ(tokens->NumFailedReloads(), 2u);
}

TEST_F(TokenFileTest, WarnsOfAFileThatEverybodyCanRead) {
  using std::filesystem::perms;
  Write(kFirst);
  const auto tokens = TokenFile::Open(path()).value();

  std::filesystem::permissions(path(), perms::owner_read);
  EXPECT_EQ(tokens->Warning(), "");

  std::filesystem::permissions(path(), perms::owner_read | perms::others_read);
  EXPECT_THAT(tokens->Warning(), HasSubstr(path()));
}

TEST_F(TokenFileTest, ATokenStaysGoodWhileOthersReload) {
  Write(kFirst);
  const auto tokens = TokenFile::Open(path()).value();

  std::vector<std::jthread> reloaders;
  for (int i = 0; i < 2; ++i) {
    reloaders.emplace_back([&] {
      for (int n = 0; n < 200; ++n) EXPECT_TRUE(tokens->Reload().ok());
    });
  }
  for (int n = 0; n < 200; ++n) {
    EXPECT_TRUE(tokens->Check(absl::StrCat("Bearer ", kFirst)).ok());
  }
}

}  // namespace
}  // namespace ladder::server
