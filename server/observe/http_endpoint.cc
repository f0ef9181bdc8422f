#include "server/observe/http_endpoint.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "CivetServer.h"
#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "prometheus/text_serializer.h"

namespace ladder::server {
namespace {

HttpReply ReplyHealth(const std::function<absl::Status()>& check) {
  const absl::Status status = check();
  if (status.ok()) return {.body = "ok\n"};
  const std::string reason =
      absl::StrReplaceAll(status.message(), {{"\n", " "}, {"\r", " "}});
  return {.status = 503, .body = absl::StrCat(reason, "\n")};
}

absl::Status CheckOptions(const HttpEndpointOptions& options) {
  // Civetweb would take some other characters for options of its own.
  const size_t odd = options.host.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-");
  if (options.host.empty() || odd != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("host: expected an address, got \"", options.host, "\""));
  }
  if (options.port < 0 || options.port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("port: expected 0 to 65535, got ", options.port));
  }
  if (options.num_threads < 1 || options.num_threads > 64) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_threads: expected 1 to 64, got ", options.num_threads));
  }
  if (options.request_timeout < absl::Milliseconds(1) ||
      options.request_timeout > absl::Hours(1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_timeout: expected 1ms to 1h, got ",
                     absl::FormatDuration(options.request_timeout)));
  }
  return absl::OkStatus();
}

std::string AddressText(const HttpEndpointOptions& options) {
  return absl::StrContains(options.host, ':')
             ? absl::StrCat("[", options.host, "]:", options.port)
             : absl::StrCat(options.host, ":", options.port);
}

void Send(mg_connection* connection, const HttpReply& reply, bool with_body) {
  std::string text = absl::StrCat(
      "HTTP/1.1 ", reply.status, " ",
      mg_get_response_code_text(connection, reply.status),
      "\r\nContent-Type: ", reply.content_type,
      "\r\nContent-Length: ", reply.body.size(),
      "\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n",
      reply.status == 405 ? "Allow: GET, HEAD\r\n" : "", "\r\n");
  if (with_body) text += reply.body;
  mg_write(connection, text.data(), text.size());
}

// Connects and goes away.
void Knock(const std::string& host, int port) {
  char error[128];
  mg_connection* connection = mg_connect_client(
      host.c_str(), port, /*use_ssl=*/0, error, sizeof(error));
  if (connection != nullptr) mg_close_connection(connection);
}

}  // namespace

HttpReply AnswerHttp(const HttpPages& pages, absl::string_view method,
                     absl::string_view path) {
  if (method != "GET" && method != "HEAD") {
    return {.status = 405, .body = "expected GET or HEAD\n"};
  }
  if (path == "/metrics" && pages.metrics) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = prometheus::TextSerializer().Serialize(pages.metrics())};
  }
  if ((path == "/v2/health/live" || path == "/livez") && pages.live) {
    return ReplyHealth(pages.live);
  }
  if ((path == "/v2/health/ready" || path == "/readyz") && pages.ready) {
    return ReplyHealth(pages.ready);
  }
  return {.status = 404, .body = "no such page\n"};
}

// Everything that civetweb's callbacks see.
class HttpEndpoint::Server {
 public:
  Server(const HttpEndpointOptions& options, HttpPages pages)
      : options_(options), pages_(std::move(pages)) {}

  ~Server() {
    if (civet_ == nullptr) return;
    // Civetweb only looks whether to stop when somebody connects, or after two
    // seconds.
    std::atomic<bool> stopped = false;
    std::thread knocking([this, &stopped, port = port()] {
      while (!stopped) {
        Knock(options_.host, port);
        absl::SleepFor(absl::Milliseconds(5));
      }
    });
    civet_->close();
    stopped = true;
    knocking.join();
  }

  absl::Status Start() {
    const auto timeout_ms = absl::ToInt64Milliseconds(options_.request_timeout);
    const std::vector<std::string> settings = {
        "listening_ports",    AddressText(options_),
        "num_threads",        absl::StrCat(options_.num_threads),
        "request_timeout_ms", absl::StrCat(timeout_ms),
        "enable_keep_alive",  "no",
        "decode_url",         "no"};
    CivetCallbacks callbacks;
    callbacks.begin_request = &Server::OnRequest;
    callbacks.log_message = &Server::OnMessage;
    try {
      civet_ = std::make_unique<CivetServer>(settings, &callbacks, this);
    } catch (const CivetException& error) {
      const base::MutexLock lock(mutex_);
      return absl::UnavailableError(
          absl::StrCat("cannot listen at ", AddressText(options_), ": ",
                       message_.empty() ? error.what() : message_));
    }
    return absl::OkStatus();
  }

  int port() const {
    const std::vector<int> ports = civet_->getListeningPorts();
    return ports.empty() ? 0 : ports[0];
  }

 private:
  static Server& Of(const mg_connection* connection) {
    const auto* civet = static_cast<const CivetServer*>(
        mg_get_user_data(mg_get_context(connection)));
    return *static_cast<Server*>(const_cast<void*>(civet->getUserContext()));
  }

  static int OnRequest(mg_connection* connection) {
    const mg_request_info* request = mg_get_request_info(connection);
    const absl::string_view method = request->request_method;
    const HttpReply reply =
        AnswerHttp(Of(connection).pages_, method,
                   request->local_uri == nullptr ? "" : request->local_uri);
    Send(connection, reply, /*with_body=*/method != "HEAD");
    return reply.status;
  }

  // Keeps the first message, the reason if civetweb does not start.
  static int OnMessage(const mg_connection* connection, const char* message) {
    Server& server = Of(connection);
    const base::MutexLock lock(server.mutex_);
    if (server.message_.empty()) server.message_ = message;
    return 1;  // It is not to be written anywhere else.
  }

  const HttpEndpointOptions options_;
  const HttpPages pages_;
  base::Mutex mutex_;
  std::string message_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<CivetServer> civet_;
};

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Start(
    const HttpEndpointOptions& options, HttpPages pages) {
  LADDER_RETURN_IF_ERROR(CheckOptions(options));
  auto server = std::make_unique<Server>(options, std::move(pages));
  LADDER_RETURN_IF_ERROR(server->Start());
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(server)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Server> server)
    : server_(std::move(server)) {}

HttpEndpoint::~HttpEndpoint() = default;

int HttpEndpoint::port() const { return server_->port(); }

}  // namespace ladder::server
