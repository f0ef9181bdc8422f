#include "client/command/watch/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ladder::client {
namespace {

constexpr size_t kMaxPageBytes = size_t{64} << 20;

struct Transfer {
  std::string body = {};
  std::stop_token stop;
};

// curl takes any other number than `size` for an error.
size_t AppendBody(const char* data, size_t, size_t size, void* transfer) {
  std::string& body = static_cast<Transfer*>(transfer)->body;
  if (body.size() + size > kMaxPageBytes) return 0;
  body.append(data, size);
  return size;
}

int ShouldStop(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(transfer)->stop.stop_requested() ? 1 : 0;
}

absl::Status FromCurl(CURLcode code, const std::string& url,
                      absl::string_view details) {
  const std::string message = absl::StrCat(
      url, ": ", details.empty() ? curl_easy_strerror(code) : details);
  switch (code) {
    case CURLE_OK:
      return absl::OkStatus();
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return absl::InvalidArgumentError(message);
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(message);
    case CURLE_ABORTED_BY_CALLBACK:
      return absl::CancelledError(absl::StrCat(url, ": stopped"));
    case CURLE_WRITE_ERROR:
      return absl::ResourceExhaustedError(absl::StrCat(
          url, ": expected at most ", kMaxPageBytes, " bytes, got more"));
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace

HttpClient::HttpClient(absl::Duration timeout)
    : timeout_(timeout), handle_(curl_easy_init(), &curl_easy_cleanup) {}

absl::StatusOr<std::string> HttpClient::Get(const std::string& url,
                                            std::stop_token stop) {
  CURL* const curl = handle_.get();
  if (curl == nullptr) return absl::InternalError("libcurl does not start");
  Transfer transfer = {.stop = std::move(stop)};
  std::array<char, CURL_ERROR_SIZE> details = {};
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // Signals are the program's.
  // 0 would mean no limit.
  curl_easy_setopt(
      curl, CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::max<int64_t>(
          1, absl::ToInt64Milliseconds(std::min(timeout_, absl::Hours(24))))));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &AppendBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &ShouldStop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  if (code != CURLE_OK) return FromCurl(code, url, details.data());

  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    const std::string message =
        absl::StrCat(url, ": expected HTTP status 200, got ", status);
    return status == 404 ? absl::NotFoundError(message)
                         : absl::FailedPreconditionError(message);
  }
  return std::move(transfer.body);
}

absl::StatusOr<std::string> MetricsUrl(absl::string_view address) {
  if (absl::StartsWith(address, "http://")) return std::string(address);
  if (address.empty() || absl::StrContains(address, '/') ||
      absl::StrContains(address, ' ')) {
    return absl::InvalidArgumentError(
        absl::StrCat("metrics address: expected HOST, HOST:PORT or "
                     "http://HOST:PORT/PATH, got \"",
                     address, "\""));
  }
  // The colons of an IPv6 address stand in brackets.
  const size_t host_end = std::min(address.rfind(']'), address.size());
  const absl::string_view after =
      host_end < address.size() ? address.substr(host_end) : address;
  const bool has_port = absl::StrContains(after, ':');
  return absl::StrCat("http://", address, has_port ? "" : ":8002", "/metrics");
}

}  // namespace ladder::client
