#include "server/config/server_flags.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "model_store/format/manifest.h"
#include "server/security/client_address.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::StoreModeName;

constexpr uint64_t kMaxPort = 65535;
constexpr uint64_t kMaxBatch = 65536;
constexpr uint64_t kNoMaximum = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMaxThreads = 4096;
// gRPC counts bytes of a message in an int.
constexpr uint64_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();
// Longer times are more likely a slip of units.
constexpr absl::Duration kDay = absl::Hours(24);
constexpr absl::Duration kYear = absl::Hours(365 * 24);

bool IsAddress(absl::string_view text) {
  return !text.empty() &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return absl::ascii_isspace(c); });
}

// The empty text stands for "not set".
bool IsCollectorUrlOrEmpty(absl::string_view text) {
  if (text.empty()) return true;
  if (!absl::ConsumePrefix(&text, "http://") &&
      !absl::ConsumePrefix(&text, "https://")) {
    return false;
  }
  const size_t colon = text.rfind(':');  // An IPv6 address has more of them.
  return colon != text.npos && colon != 0 &&
         text.find_first_of(" /?#@") == text.npos &&
         ParseWhole(text.substr(colon + 1), 1, kMaxPort).has_value();
}

bool IsDevice(absl::string_view text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  return absl::ConsumePrefix(&text, "cuda:") &&
         ParseWhole(text, 0, std::numeric_limits<int>::max()).has_value();
}

bool IsModelName(absl::string_view text) {
  return model_store::CheckModelName(text).ok();
}

bool IsModelNameOrEvery(absl::string_view text) {
  return text == ModelsConfig::kEveryModel || IsModelName(text);
}

FlagValue TextValue(std::string& field, std::string placeholder,
                    std::string expected,
                    bool (*accepts)(absl::string_view text)) {
  FlagValue value = {&field, std::move(placeholder), std::move(expected)};
  value.accepts = accepts;
  return value;
}

FlagValue AddressValue(std::string& field) {
  return TextValue(field, "ADDRESS", "a host name or address", IsAddress);
}

// Any text, the empty one included, which stands for "not set".
FlagValue FileValue(std::string& field) {
  return TextValue(field, "FILE", "a file", nullptr);
}

FlagValue BooleanValue(bool& field) {
  return {&field, "BOOL", "true or false"};
}

FlagValue PortValue(int& field) {
  return {&field, "PORT", absl::StrCat("a port from 0 to ", kMaxPort), 0,
          kMaxPort};
}

std::string RangeText(uint64_t min, uint64_t max) {
  return max == kNoMaximum ? absl::StrCat(min, " or more")
                           : absl::StrCat(min, " to ", max);
}

FlagValue CountValue(uint64_t& field, uint64_t min, uint64_t max) {
  return {&field, "N", absl::StrCat("a whole number, ", RangeText(min, max)),
          min, max};
}

FlagValue BytesValue(uint64_t& field, uint64_t min, uint64_t max) {
  return {&field,
          "BYTES",
          absl::StrCat("bytes, ", RangeText(min, max),
                       ", such as 1048576, 512KiB, 64MiB or 1GB"),
          min,
          max,
          /*has_suffix=*/true};
}

// A time is not shorter than a millisecond, unless zero is allowed.
FlagValue SecondsValue(absl::Duration& field, absl::Duration max,
                       bool zero_is_allowed = false) {
  const absl::Duration min = absl::Milliseconds(zero_is_allowed ? 0 : 1);
  return {&field, "SECONDS",
          absl::StrCat("seconds, ", absl::ToDoubleSeconds(min), " to ",
                       absl::ToInt64Seconds(max)),
          static_cast<uint64_t>(absl::ToInt64Microseconds(min)),
          static_cast<uint64_t>(absl::ToInt64Microseconds(max))};
}

FlagValue MicrosecondsValue(absl::Duration& field, absl::Duration max) {
  const auto limit = static_cast<uint64_t>(absl::ToInt64Microseconds(max));
  FlagValue value = {&field, "N",
                     absl::StrCat("microseconds, ", RangeText(0, limit)), 0,
                     limit};
  value.is_microseconds = true;
  return value;
}

// `field` is an enumeration whose values the words name in their order.
FlagValue ChoiceValue(FlagValue::Field field, std::string placeholder,
                      std::vector<absl::string_view> words) {
  FlagValue value = {field, std::move(placeholder),
                     absl::StrCat("one of ", absl::StrJoin(words, ", "))};
  value.words = std::move(words);
  return value;
}

// With `wildcard`, "*" is a name as well.
FlagValue ModelNamesValue(std::vector<std::string>& field, bool wildcard) {
  FlagValue value = {
      &field, "MODEL,...",
      absl::StrCat("names of models (letters, digits, '_', '-' and '.', the "
                   "first not a '.')",
                   wildcard ? " or *" : "", " with commas in between")};
  value.accepts = wildcard ? IsModelNameOrEvery : IsModelName;
  return value;
}

FlagValue AddressesValue(std::vector<std::string>& field) {
  FlagValue value = {&field, "ADDRESS,...",
                     "addresses or ranges of them, such as 10.0.0.0/8, with "
                     "commas in between"};
  value.accepts = [](absl::string_view text) {
    return AddressRange::Parse(text).ok();
  };
  return value;
}

// Adds the flags that stand under one title.
class FlagSection {
 public:
  // `flags` must outlive the section.
  FlagSection(absl::string_view title, std::vector<Flag>& flags)
      : title_(title), flags_(flags) {}

  FlagSection& Add(absl::string_view name, FlagValue value,
                   absl::string_view meaning) {
    flags_.push_back({.section = title_,
                      .name = std::string(name),
                      .value = std::move(value),
                      .meaning = std::string(meaning)});
    return *this;
  }

  // Another name of the flag that was added last.
  FlagSection& Alias(absl::string_view alias) {
    flags_.back().alias = std::string(alias);
    return *this;
  }

 private:
  const std::string title_;
  std::vector<Flag>& flags_;
};

void AddListening(ListenConfig& listen, std::vector<Flag>& flags) {
  FlagSection("Listening", flags)
      .Add("--grpc-address", AddressValue(listen.grpc_address),
           "Address that the gRPC services listen on.")
      .Add("--grpc-port", PortValue(listen.grpc_port),
           "Port of the gRPC services. 0 takes any free port, here and below; "
           "the ports taken are printed at the start.")
      .Add("--http-address", AddressValue(listen.http_address),
           "Address of the plain HTTP ports: probes and metrics.")
      .Add("--allow-http", BooleanValue(listen.allow_http),
           "Answer liveness and readiness probes over HTTP.")
      .Add("--http-port", PortValue(listen.http_port),
           "Port of the probes: /v2/health/live and /v2/health/ready.")
      .Add("--allow-metrics", BooleanValue(listen.allow_metrics),
           "Serve metrics for Prometheus.")
      .Add("--metrics-port", PortValue(listen.metrics_port),
           "Port of /metrics.");
}

void AddModels(ModelsConfig& models, std::vector<Flag>& flags) {
  FlagSection("Models", flags)
      .Add("--model-repository",
           TextValue(models.repository, "DIRECTORY", "a directory", nullptr),
           "Where the models are, as DIRECTORY/MODEL/VERSION/. Required.")
      .Alias("--model-store")
      .Add("--model-control-mode",
           ChoiceValue(&models.control_mode, "MODE",
                       {StoreModeName(StoreMode::kPoll),
                        StoreModeName(StoreMode::kExplicit),
                        StoreModeName(StoreMode::kNone)}),
           "poll follows the directory, none loads what is there at the start, "
           "explicit loads --load-model and what is asked for by RPC.")
      .Add("--repository-poll-secs", SecondsValue(models.poll_interval, kDay),
           "How often poll looks at the directory.")
      .Add("--load-model", ModelNamesValue(models.load, /*wildcard=*/true),
           "Models to load at the start in mode explicit; * for all.")
      .Add("--required-models",
           ModelNamesValue(models.required, /*wildcard=*/false),
           "The server is ready while each of these has a served version. If "
           "none are named: those that are to be loaded at the start, unless "
           "they have been removed since.")
      .Add("--version-policy",
           FlagValue{&models.policy, "POLICY",
                     "latest:N, all or specific:N,N,... with positive numbers"},
           "Versions to serve: latest:N (the N highest that load), all, or "
           "specific:N,N,...")
      .Add("--model-version-policy",
           FlagValue{&models.policies, "MODEL=POLICY",
                     "MODEL=latest:N, MODEL=all or MODEL=specific:N,N,..., "
                     "several with semicolons in between, each model once"},
           "Versions to serve of single models, such as "
           "'birds=latest:2;fish=all'.")
      .Add("--model-labels",
           FlagValue{&models.labels, "MODEL:LABEL=VERSION",
                     "MODEL:LABEL=VERSION, several with commas in between, "
                     "each label once; a label begins with a letter"},
           "Names for versions, such as birds:stable=3,birds:canary=4, where "
           "the model's labels.json does not say otherwise. A version with a "
           "label is served whatever the policy says.");
}

void AddEngine(EngineConfig& engine, std::vector<Flag>& flags) {
  FlagSection("Execution", flags)
      .Add("--device",
           TextValue(engine.device, "DEVICE", "auto, cpu, cuda or cuda:N",
                     IsDevice),
           "auto takes CUDA if it can be had and the CPU otherwise; cpu; cuda "
           "or cuda:N, which stops if it cannot be had.")
      .Add("--threads", CountValue(engine.threads, 0, kMaxThreads),
           "CPU threads for models; 0 for what the control group grants.")
      .Add("--instances", CountValue(engine.instances, 1, kMaxThreads),
           "Runs of a model at the same time, which share the threads.")
      .Add("--batch-sizes",
           FlagValue{&engine.batch_sizes, "N,N,...",
                     absl::StrCat("ascending numbers from 1 to ", kMaxBatch,
                                  ", such as 1,8,32"),
                     1, kMaxBatch},
           "Sizes that are warmed and that batches are padded to, ascending.")
      .Add("--deterministic", BooleanValue(engine.deterministic),
           "Equal bits whatever else is served: only the largest of "
           "--batch-sizes is used.")
      .Add("--host-memory-limit",
           BytesValue(engine.host_memory_limit, 0, kNoMaximum),
           "Memory for what models compute on the host, weights excepted; 0 "
           "for no limit.")
      .Add("--cuda-option",
           FlagValue{&engine.cuda_options, "KEY=VALUE",
                     "KEY=VALUE, several with commas in between, each once"},
           "Options of ONNX Runtime's CUDA provider, by its own names.");
}

void AddBatching(BatchingConfig& batching, std::vector<Flag>& flags) {
  constexpr absl::Duration kMaxDelay = absl::Seconds(10);
  FlagSection("Batching", flags)
      .Add("--max-batch-size",
           CountValue(batching.max_batch_size, 0, kNoMaximum),
           "Samples of all streams that are put together into one batch; 0 for "
           "the largest of --batch-sizes.")
      .Add("--max-queue-delay-microseconds",
           MicrosecondsValue(batching.max_queue_delay, kMaxDelay),
           "How long a sample waits for others to fill its batch.")
      .Add(BatchingConfig::kMaxQueuedSamplesFlag,
           CountValue(batching.max_queued_samples, 1, kNoMaximum),
           "Samples that may wait for a batch; more are refused.");
}

void AddLimits(LimitsConfig& limits, std::vector<Flag>& flags) {
  using Limits = LimitsConfig;
  FlagSection("Limits", flags)
      .Add(Limits::kMaxMessageBytesFlag,
           BytesValue(limits.max_message_bytes, 1024, kMaxMessageBytes),
           "Size of one received message.")
      .Add("--max-group-samples",
           CountValue(limits.max_group_samples, 1, kNoMaximum),
           "Samples in one group.")
      .Add("--max-group-bytes",
           BytesValue(limits.max_group_bytes, 1, kNoMaximum),
           "Memory that one group may take.")
      .Add(Limits::kMaxGroupsPerStreamFlag,
           CountValue(limits.max_groups_per_stream, 1, kNoMaximum),
           "Groups open at once on one stream.")
      .Add(Limits::kMaxConcurrentStreamsFlag,
           CountValue(limits.max_concurrent_streams, 1,
                      std::numeric_limits<int32_t>::max()),
           "Streams open at once, of all clients.")
      .Add(Limits::kMaxStreamsPerClientFlag,
           CountValue(limits.max_streams_per_client, 1,
                      std::numeric_limits<int32_t>::max()),
           "Streams open at once of one client: of one token's owner, one "
           "certificate's name or one address.")
      .Add("--max-image-pixels",
           CountValue(limits.max_image_pixels, 1, kNoMaximum),
           "Width times height of one picture, checked before decoding.")
      .Add("--max-inflight-bytes",
           BytesValue(limits.max_inflight_bytes, 0, kNoMaximum),
           "Memory that all calls in flight may take; 0 for half of what the "
           "control group or the machine has.")
      .Add(Limits::kMaxStreamSecondsFlag,
           SecondsValue(limits.max_stream_time, kYear),
           "How long a stream may stay open.")
      .Add(Limits::kMaxIdleSecondsFlag,
           SecondsValue(limits.max_idle_time, kYear),
           "How long a stream may stay open without a message.")
      .Add(Limits::kMaxNameBytesFlag,
           CountValue(limits.max_name_bytes, 1, 65536),
           "Length of a group's name or a sample's id.");
}

void AddLifeCycle(LifeCycleConfig& life_cycle, std::vector<Flag>& flags) {
  FlagSection("Life cycle", flags)
      .Add(
          "--exit-timeout-secs",
          SecondsValue(life_cycle.exit_timeout, kDay, /*zero_is_allowed=*/true),
          "After SIGTERM, how long calls in flight may take to finish. The "
          "process ends at most 10 seconds later.")
      .Alias("--exit-timeout");
}

void AddSecurity(SecurityConfig& security, std::vector<Flag>& flags) {
  FlagSection("Security", flags)
      .Add("--tls-certificate", FileValue(security.tls_certificate),
           "The server's certificate chain, PEM. Without it gRPC is "
           "plaintext.")
      .Add("--tls-key", FileValue(security.tls_key),
           "The certificate's private key, PEM.")
      .Add("--tls-client-ca", FileValue(security.tls_client_ca),
           "Clients must show a certificate that one of these has signed, "
           "PEM.")
      .Add("--tls-reload-secs",
           SecondsValue(security.tls_reload_interval, kDay),
           "How often the files of this section are looked at for changes.")
      .Add("--auth-token-file", FileValue(security.auth_token_file),
           "Bearer tokens, one per line, behind the name of its owner if it "
           "has one; every RPC but health needs one.")
      .Add("--trusted-proxies", AddressesValue(security.trusted_proxies),
           "Proxies whose x-forwarded-for says which client a call is from.")
      .Add("--enable-reflection", BooleanValue(security.enable_reflection),
           "Tell clients which RPCs there are.")
      .Add("--allow-model-control", BooleanValue(security.allow_model_control),
           "Let clients load, unload and reload models.")
      .Add("--allow-label-control", BooleanValue(security.allow_label_control),
           "Let clients move labels from version to version.")
      .Add("--allow-compression", BooleanValue(security.allow_compression),
           "Take compressed messages. A small one can unpack to much memory: "
           "for trusted clients only.");
}

void AddObservability(ObserveConfig& observe, std::vector<Flag>& flags) {
  FlagSection("Observability", flags)
      .Add("--log-format",
           ChoiceValue(&observe.log_format, "FORMAT", {"text", "json"}),
           "text for people, json for machines.")
      .Add("--log-level",
           ChoiceValue(
               &observe.log_level, "LEVEL",
               {LogLevelName(LogLevel::kError), LogLevelName(LogLevel::kWarn),
                LogLevelName(LogLevel::kInfo), LogLevelName(LogLevel::kDebug)}),
           "The least important lines to log: error, warn, info or debug.")
      .Add("--access-log", BooleanValue(observe.access_log),
           "Log one line for every group.")
      .Add("--metrics-recent-groups",
           CountValue(observe.metrics_recent_groups, 0, 10'000),
           "Groups whose weights are metrics of their own, at most.")
      .Add("--metrics-group-expiry-secs",
           SecondsValue(observe.metrics_group_expiry, kYear),
           "How long after its end a group has metrics.")
      .Add("--otlp-endpoint",
           TextValue(observe.otlp_endpoint, "URL",
                     "http://HOST:PORT or https://HOST:PORT",
                     IsCollectorUrlOrEmpty),
           "OpenTelemetry collector that spans are exported to, such as "
           "http://localhost:4317; https for TLS.");
}

}  // namespace

std::string Flag::EnvironmentName() const {
  const std::string words =
      absl::StrReplaceAll(absl::StripPrefix(name, "--"), {{"-", "_"}});
  return absl::StrCat("LADDER_", absl::AsciiStrToUpper(words));
}

std::vector<Flag> ServerFlags(ServerConfig& config) {
  std::vector<Flag> flags;
  AddListening(config.listen, flags);
  AddModels(config.models, flags);
  AddEngine(config.engine, flags);
  AddBatching(config.batching, flags);
  AddLimits(config.limits, flags);
  AddLifeCycle(config.life_cycle, flags);
  AddSecurity(config.security, flags);
  AddObservability(config.observe, flags);
  return flags;
}

}  // namespace ladder::server
