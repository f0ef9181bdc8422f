#ifndef LADDER_BASE_TERMINAL_INTERRUPT_H_
#define LADDER_BASE_TERMINAL_INTERRUPT_H_

#include <signal.h>

#include <stop_token>
#include <thread>

namespace ladder::base {

// While it lives, SIGINT and SIGTERM request a stop instead of ending the
// process; a second one ends it at once. To be made before other threads are,
// since they inherit that these signals are not theirs. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  sigset_t before_ = {};
  std::jthread waiter_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_INTERRUPT_H_
