#include "server/observe/span_exporter.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "base/system/version.h"
#include "base/text/text.h"
#include "opentelemetry/exporters/otlp/otlp_grpc_exporter_factory.h"
#include "opentelemetry/exporters/otlp/otlp_grpc_exporter_options.h"
#include "opentelemetry/sdk/common/global_log_handler.h"
#include "opentelemetry/sdk/resource/resource_detector.h"
#include "opentelemetry/sdk/trace/batch_span_processor_factory.h"
#include "opentelemetry/sdk/trace/batch_span_processor_options.h"
#include "opentelemetry/sdk/trace/processor.h"
#include "opentelemetry/sdk/trace/samplers/always_on_factory.h"
#include "opentelemetry/sdk/trace/samplers/parent_factory.h"
#include "opentelemetry/sdk/trace/tracer_provider.h"
#include "opentelemetry/sdk/trace/tracer_provider_factory.h"
#include "opentelemetry/trace/span.h"
#include "opentelemetry/trace/tracer.h"
#include "routing/coverage.h"

namespace ladder::server {
namespace {

namespace api = opentelemetry::trace;
namespace nostd = opentelemetry::nostd;
namespace otlp = opentelemetry::exporter::otlp;
namespace sdk = opentelemetry::sdk;
namespace internal_log = sdk::common::internal_log;

constexpr char kName[] = "ladder-server";
// A collector that does not answer can hold up the server's end for as long.
constexpr auto kExportTimeout = std::chrono::seconds(2);

// OpenTelemetry would write to the standard output.
class LogForwarder final : public internal_log::LogHandler {
 public:
  explicit LogForwarder(const Logger& logger) : logger_(logger) {}

  void Handle(internal_log::LogLevel, const char*, int, const char* message,
              const sdk::common::AttributeMap&) noexcept override {
    logger_.Log(LogLevel::kWarn, "OpenTelemetry",
                {{"says", message == nullptr ? "" : message}});
  }

 private:
  const Logger& logger_;
};

template <size_t kBytes>
std::array<uint8_t, kBytes> BigEndian(std::array<uint64_t, kBytes / 8> words) {
  std::array<uint8_t, kBytes> bytes;
  for (size_t i = 0; i < kBytes; ++i) {
    bytes[i] = static_cast<uint8_t>(words[i / 8] >> (56 - 8 * (i % 8)));
  }
  return bytes;
}

api::SpanContext ParentOf(const GroupReport& report) {
  if (!report.trace.has_value()) return api::SpanContext::GetInvalid();
  const TraceContext& trace = *report.trace;
  const auto trace_id =
      BigEndian<16>({trace.trace_id_high, trace.trace_id_low});
  const auto span_id = BigEndian<8>({trace.span_id});
  return api::SpanContext(
      api::TraceId(trace_id), api::SpanId(span_id),
      api::TraceFlags(trace.sampled ? api::TraceFlags::kIsSampled : 0),
      /*is_remote=*/true);
}

// The steady clock's times only serve to take a difference.
std::chrono::nanoseconds SinceEpoch(absl::Time time) {
  return std::chrono::nanoseconds(absl::ToUnixNanos(time));
}

void SetBegin(absl::Time begin, api::StartSpanOptions& options) {
  options.start_system_time =
      opentelemetry::common::SystemTimestamp(SinceEpoch(begin));
  options.start_steady_time =
      opentelemetry::common::SteadyTimestamp(SinceEpoch(begin));
}

void EndAt(absl::Time end, api::Span& span) {
  api::EndSpanOptions options;
  options.end_steady_time =
      opentelemetry::common::SteadyTimestamp(SinceEpoch(end));
  span.End(options);
}

void Describe(const GroupReport& report, api::Span& span) {
  span.SetAttribute("rpc.system", "grpc");
  span.SetAttribute("rpc.method", report.rpc);
  span.SetAttribute("rpc.grpc.status_code",
                    static_cast<int>(report.status.code()));
  span.SetAttribute("ladder.request_id", report.request_id);
  // Attributes and messages travel as UTF-8, names may be anything.
  span.SetAttribute("ladder.group", base::ValidText(report.group));
  span.SetAttribute("ladder.model", report.model);
  span.SetAttribute("ladder.version", report.version);
  span.SetAttribute("ladder.samples", report.num_samples);
  span.SetAttribute("ladder.rejected", report.num_rejected);
  if (report.routed) {
    const absl::string_view verdict =
        routing::CoverageVerdictName(report.coverage.verdict);
    span.SetAttribute("ladder.method", report.method);
    span.SetAttribute("ladder.coverage",
                      nostd::string_view(verdict.data(), verdict.size()));
    span.SetAttribute("ladder.effective_experts", report.effective_experts);
  }
  if (!report.fallback.empty()) {
    span.SetAttribute("ladder.fallback", report.fallback);
  }
  if (!report.status.ok()) {
    span.SetStatus(api::StatusCode::kError,
                   base::ValidText(report.status.message()));
  }
}

class SpanExporter final : public ServingObserver {
 public:
  explicit SpanExporter(std::unique_ptr<sdk::trace::TracerProvider> provider)
      : provider_(std::move(provider)), tracer_(provider_->GetTracer(kName)) {}

  ~SpanExporter() override {
    provider_->Shutdown();
    // The logger may be gone from now on.
    internal_log::GlobalLogHandler::SetLogHandler(
        nostd::shared_ptr<internal_log::LogHandler>(
            new internal_log::NoopLogHandler));
  }

  void OnGroup(const GroupReport& report) override {
    api::StartSpanOptions options;
    options.kind = api::SpanKind::kServer;
    options.parent = ParentOf(report);
    SetBegin(report.started, options);
    const auto span = tracer_->StartSpan(report.rpc, options);
    if (span->IsRecording()) {
      Describe(report, *span);
      AddStages(report, span->GetContext());
    }
    EndAt(report.started + report.duration, *span);
  }

 private:
  void AddStages(const GroupReport& report, const api::SpanContext& parent) {
    for (size_t i = 0; i < kNumStages; ++i) {
      const TimeRange& range = report.stage_ranges[i];
      if (range.empty()) continue;
      const absl::string_view name = StageName(static_cast<Stage>(i));
      api::StartSpanOptions options;
      options.parent = parent;
      SetBegin(range.begin, options);
      const auto span = tracer_->StartSpan(
          nostd::string_view(name.data(), name.size()), options);
      span->SetAttribute("ladder.busy_seconds",
                         absl::ToDoubleSeconds(report.stages[i]));
      EndAt(range.end, *span);
    }
  }

  const std::unique_ptr<sdk::trace::TracerProvider> provider_;
  const nostd::shared_ptr<api::Tracer> tracer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ServingObserver>> MakeSpanExporter(
    const std::string& endpoint, const Logger& logger) {
  internal_log::GlobalLogHandler::SetLogHandler(
      nostd::shared_ptr<internal_log::LogHandler>(new LogForwarder(logger)));
  // It warns of every single span that it drops.
  internal_log::GlobalLogHandler::SetLogLevel(internal_log::LogLevel::Error);
  otlp::OtlpGrpcExporterOptions options;  // Its defaults are OTEL_* variables.
  options.endpoint = endpoint;
  options.use_ssl_credentials = absl::StartsWith(endpoint, "https:");
  options.timeout = kExportTimeout;
  const sdk::resource::Resource resource =
      sdk::resource::Resource::Create(
          {{"service.name", kName}, {"service.version", base::kVersion}})
          .Merge(sdk::resource::OTELResourceDetector().Detect());
  return std::make_unique<SpanExporter>(
      sdk::trace::TracerProviderFactory::Create(
          sdk::trace::BatchSpanProcessorFactory::Create(
              otlp::OtlpGrpcExporterFactory::Create(options), {}),
          resource,
          sdk::trace::ParentBasedSamplerFactory::Create(
              sdk::trace::AlwaysOnSamplerFactory::Create())));
}

}  // namespace ladder::server
