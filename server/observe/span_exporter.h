#ifndef LADDER_SERVER_OBSERVE_SPAN_EXPORTER_H_
#define LADDER_SERVER_OBSERVE_SPAN_EXPORTER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/observe/log.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Sends a span for every group, with a child for every stage, to the
// OpenTelemetry collector at `endpoint`, http(s)://HOST:PORT, by OTLP over
// gRPC. A group's span continues the caller's trace and is sent if the caller's
// is sampled; without such a trace it begins one. Spans wait in a bounded queue
// and are dropped if it is full; those that wait at the end are sent then.
//
// `logger`, which must outlive the result, is told what cannot be sent. One at
// a time in a process, because OpenTelemetry has one log. Unimplemented if this
// was built without OpenTelemetry.
absl::StatusOr<std::unique_ptr<ServingObserver>> MakeSpanExporter(
    const std::string& endpoint, const Logger& logger);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SPAN_EXPORTER_H_
