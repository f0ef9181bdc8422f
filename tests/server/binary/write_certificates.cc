// Makes certificates for the moment, as PEM files:  write_certificates FOLDER
// Two authorities, "ours" and "others", each with a server at 127.0.0.1 of
// serial 1, another of serial 2 that is valid for a day longer, and a client:
// ours.pem, ours-server-1.pem, ours-server-1.key, ...

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/server/security/test_certificates.h"

namespace {

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

void WritePair(const std::string& path,
               const ladder::server::TestCertificate& pair) {
  Write(absl::StrCat(path, ".pem"), pair.certificate);
  Write(absl::StrCat(path, ".key"), pair.key);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_certificates FOLDER\n";
    return 2;
  }
  for (const std::string name : {"ours", "others"}) {
    const ladder::server::TestAuthority authority(name);
    const std::string path = absl::StrCat(argv[1], "/", name);
    Write(absl::StrCat(path, ".pem"), authority.certificate());
    WritePair(absl::StrCat(path, "-server-1"), authority.Issue({.serial = 1}));
    WritePair(absl::StrCat(path, "-server-2"),
              authority.Issue(
                  {.serial = 2, .not_after = absl::Now() + absl::Hours(48)}));
    WritePair(absl::StrCat(path, "-client"), authority.Issue({.serial = 3}));
  }
}
