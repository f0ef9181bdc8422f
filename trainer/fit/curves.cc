#include "trainer/fit/curves.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files/durable_file.h"

namespace ladder::trainer {

absl::StatusOr<Curves> Curves::Open(std::filesystem::path path,
                                    uint64_t last_step) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Curves(std::move(path));
  std::ifstream file(path);
  std::string kept;
  std::string line;
  while (std::getline(file, line)) {
    uint64_t step = 0;
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    const bool is_row = absl::SimpleAtoi(fields.front(), &step);
    if (!is_row || step <= last_step) absl::StrAppend(&kept, line, "\n");
  }
  absl::Status status = base::ReplaceFile(path, kept);
  if (!status.ok()) return status;
  return Curves(std::move(path));
}

absl::Status Curves::Add(
    uint64_t step, const std::vector<std::pair<std::string, double>>& losses) {
  std::ofstream file(path_, std::ios::app);
  if (file.is_open() && file.tellp() == std::ofstream::pos_type(0)) {
    file << "step";
    for (const auto& [name, value] : losses) file << ',' << name;
    file << '\n';
  }
  file << step;
  for (const auto& [name, value] : losses) file << ',' << value;
  file << '\n' << std::flush;
  if (file.good()) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("writing ", path_.string()));
}

}  // namespace ladder::trainer
