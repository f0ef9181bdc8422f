#include "base/terminal/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include "base/terminal/exit_code.h"

namespace ladder::base {
namespace {

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Waits in pieces, because nothing but a signal would end a longer wait.
void Wait(const std::stop_token& end, std::stop_source source) {
  const sigset_t signals = Signals();
  const timespec piece = {.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!end.stop_requested()) {
    if (sigtimedwait(&signals, /*info=*/nullptr, &piece) < 0) continue;
    if (source.stop_requested()) _exit(kExitInterrupted);
    source.request_stop();
  }
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  waiter_ = std::jthread(
      [source = source_](const std::stop_token& end) { Wait(end, source); });
}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, /*oldset=*/nullptr);
}

}  // namespace ladder::base
