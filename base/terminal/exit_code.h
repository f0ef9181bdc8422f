#ifndef LADDER_BASE_TERMINAL_EXIT_CODE_H_
#define LADDER_BASE_TERMINAL_EXIT_CODE_H_

namespace ladder::base {

// Our commands end with one of these.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnavailable = 3;  // Nobody answers; try again later.
inline constexpr int kExitInterrupted = 130;

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_EXIT_CODE_H_
