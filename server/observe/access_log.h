#ifndef LADDER_SERVER_OBSERVE_ACCESS_LOG_H_
#define LADDER_SERVER_OBSERVE_ACCESS_LOG_H_

#include "server/observe/log.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Logs one line for every group that has ended: as an error if the fault is the
// server's, else as information. Thread-safe.
class AccessLog final : public ServingObserver {
 public:
  // `logger` must outlive this.
  explicit AccessLog(const Logger& logger) : logger_(logger) {}

  void OnGroup(const GroupReport& report) override;

 private:
  const Logger& logger_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_ACCESS_LOG_H_
