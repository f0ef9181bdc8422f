#ifndef LADDER_EXAMPLES_CHECK_OK_H_
#define LADDER_EXAMPLES_CHECK_OK_H_

#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"

namespace ladder::examples {

// Crashes with the message unless `status` is ok, as StatusOr::value() does:
// the demo makes its own input, so an error is a bug.
inline void CheckOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "ladder-demo: %s\n", status.ToString().c_str());
  std::abort();
}

}  // namespace ladder::examples

#endif  // LADDER_EXAMPLES_CHECK_OK_H_
