#include "server/rpc/call_registry.h"

#include <utility>

#include "base/system/mutex.h"
#include "server/rpc/stream_call.h"

namespace ladder::server {

CallRegistry::Presence::Presence(CallRegistry& registry) : registry_(registry) {
  const base::MutexLock lock(registry_.mutex_);
  ++registry_.num_present_;
}

CallRegistry::Presence::~Presence() {
  // Notified under the lock: the registry may be gone right after it.
  const base::MutexLock lock(registry_.mutex_);
  if (--registry_.num_present_ == 0) registry_.emptied_.notify_all();
}

void CallRegistry::WaitUntilEmpty() {
  base::MutexLock lock(mutex_);
  emptied_.wait(lock, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return num_present_ == 0;
  });
}

void CallRegistry::Add(std::weak_ptr<StreamCall> call) {
  const base::MutexLock lock(mutex_);
  // Forgets those that are gone whenever the memory would have to grow.
  if (calls_.size() == calls_.capacity()) {
    std::erase_if(calls_, [](const auto& c) { return c.expired(); });
  }
  calls_.push_back(std::move(call));
}

void CallRegistry::CheckTimes(absl::Time now) {
  for (const auto& call : Living()) call->CheckTime(now);
}

void CallRegistry::AbortAll(const absl::Status& status) {
  for (const auto& call : Living()) call->Abort(status);
}

std::vector<std::shared_ptr<StreamCall>> CallRegistry::Living() {
  std::vector<std::shared_ptr<StreamCall>> living;
  const base::MutexLock lock(mutex_);
  for (const auto& call : calls_) {
    if (auto held = call.lock()) living.push_back(std::move(held));
  }
  return living;
}

}  // namespace ladder::server
