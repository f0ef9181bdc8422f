#ifndef LADDER_TESTS_SERVER_SCHEDULING_OWNERS_H_
#define LADDER_TESTS_SERVER_SCHEDULING_OWNERS_H_

#include <map>
#include <mutex>

#include "server/scheduling/work_account.h"

namespace ladder::server {

// Calls of one caller, by number. Thread-safe.
class Owners {
 public:
  WorkOwner operator[](int call) {
    const std::lock_guard lock(mutex_);
    return calls_.try_emplace(call, WorkOwner{.caller = caller_}).first->second;
  }

 private:
  std::mutex mutex_;
  const std::shared_ptr<WorkAccount> caller_ = std::make_shared<WorkAccount>();
  std::map<int, WorkOwner> calls_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SCHEDULING_OWNERS_H_
