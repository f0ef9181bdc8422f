#ifndef LADDER_BASE_STATUS_MACROS_H_
#define LADDER_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Hands an error on to the caller. For functions that return a Status or a
// StatusOr; newer releases of Abseil have both macros themselves.

// Returns from the function if `expression`, a Status, is not OK.
#define LADDER_RETURN_IF_ERROR(expression)                             \
  if (absl::Status ladder_status = (expression); ladder_status.ok()) { \
  } else /* NOLINT: takes the semicolon that follows. */               \
    return ladder_status

// Assigns the value of `expression`, a StatusOr, to `target`, which may be a
// declaration; returns from the function if there is none. Not within an if
// without braces, since it is several statements.
//
//   LADDER_ASSIGN_OR_RETURN(const Manifest manifest, ReadManifest(path));
#define LADDER_ASSIGN_OR_RETURN(target, ...)                             \
  LADDER_ASSIGN_OR_RETURN_AS_(LADDER_STATUS_NAME_(ladder_or_, __LINE__), \
                              target, __VA_ARGS__)

#define LADDER_ASSIGN_OR_RETURN_AS_(name, target, ...) \
  auto name = (__VA_ARGS__);                           \
  if (!name.ok()) return std::move(name).status();     \
  target = *std::move(name)
#define LADDER_STATUS_NAME_(prefix, line) LADDER_STATUS_JOIN_(prefix, line)
#define LADDER_STATUS_JOIN_(prefix, line) prefix##line

#endif  // LADDER_BASE_STATUS_MACROS_H_
