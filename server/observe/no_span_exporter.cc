// Takes the place of span_exporter.cc in builds without OpenTelemetry.

#include "server/observe/span_exporter.h"

namespace ladder::server {

absl::StatusOr<std::unique_ptr<ServingObserver>> MakeSpanExporter(
    const std::string& /*endpoint*/, const Logger& /*logger*/) {
  return absl::UnimplementedError(
      "--otlp-endpoint: expected a ladder-server that was built with "
      "OpenTelemetry, got one without");
}

}  // namespace ladder::server
