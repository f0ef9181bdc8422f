// Stands for span_exporter.cc where there is no OpenTelemetry.

#include "server/observe/span_exporter.h"

namespace ladder::server {

absl::StatusOr<std::unique_ptr<ServingObserver>> MakeSpanExporter(
    const std::string& /*endpoint*/, const Logger& /*logger*/) {
  return absl::UnimplementedError(
      "--otlp-endpoint: expected a ladder-server that was built with "
      "OpenTelemetry, got one without");
}

}  // namespace ladder::server
