#ifndef LADDER_TRAINER_DATA_NAMES_H_
#define LADDER_TRAINER_DATA_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::trainer {

// Numbers the names of classes, domains or regions as they come, and in the end
// puts them in an order that does not depend on the order of the rows.
class Names {
 public:
  // The number of this name, a new one if it has not come before: 0, 1, ...
  int64_t Number(absl::string_view name);

  size_t size() const { return names_.size(); }

  // By value if all are decimal integers, else by their bytes.
  struct Sorted {
    std::vector<std::string> names = {};
    std::vector<int64_t> rank = {};  // By number: where the name is now.
  };
  Sorted Sort() const;

 private:
  absl::flat_hash_map<std::string, int64_t> numbers_;
  std::vector<std::string> names_;
};

// Names travel into the bundle and must be what its manifest accepts: 1 to 256
// bytes of UTF-8 without control characters. A fault (fault.h) that begins with
// `what` otherwise: "missing value" or "bad name".
absl::Status CheckName(absl::string_view what, absl::string_view name);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_NAMES_H_
