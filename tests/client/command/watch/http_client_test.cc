#include "client/command/watch/http_client.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Accepts one connection on a free port of the loopback and gives one answer;
// none at all if it is empty.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer)
      : listener_(socket(AF_INET, SOCK_STREAM, 0)), answer_(answer) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneAnswer() {
    shutdown(listener_, SHUT_RDWR);  // Nobody may ever have connected.
    thread_.join();
    close(listener_);
  }

  std::string Url() const {
    return absl::StrCat("http://127.0.0.1:", port_, "/metrics");
  }
  // Once the answer was given.
  std::string TakeRequest() {
    thread_.join();
    thread_ = std::thread([] {});
    return request_;
  }

 private:
  void Serve() {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    char buffer[4096];
    while (request_.find("\r\n\r\n") == std::string::npos) {
      const ssize_t n = read(connection, buffer, sizeof(buffer));
      if (n <= 0) break;
      request_.append(buffer, static_cast<size_t>(n));
    }
    if (answer_.empty()) {
      // Until the caller gives up.
      while (read(connection, buffer, sizeof(buffer)) > 0) {
      }
    } else {
      EXPECT_EQ(write(connection, answer_.data(), answer_.size()),
                static_cast<ssize_t>(answer_.size()));
    }
    close(connection);
  }

  const int listener_;
  const std::string answer_;
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

TEST(HttpClientTest, ReturnsTheBody) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n");
  HttpClient client(absl::InfiniteDuration());

  const auto body = client.Get(server.Url(), {});

  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(*body, "a 1\n");
  EXPECT_THAT(server.TakeRequest(), StartsWith("GET /metrics HTTP/1.1\r\n"));
}

TEST(HttpClientTest, OtherAnswersAreErrorsThatNameTheUrl) {
  HttpClient client(absl::InfiniteDuration());
  {
    OneAnswer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    const auto body = client.Get(server.Url(), {});
    EXPECT_EQ(body.status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(body.status().message(),
              server.Url() + ": expected HTTP status 200, got 404");
  }
  OneAnswer server("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.Get(server.Url(), {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(HttpClientTest, ACutBodyIsAnError) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na 1\n");
  HttpClient client(absl::InfiniteDuration());

  EXPECT_EQ(client.Get(server.Url(), {}).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(HttpClientTest, NobodyThereIsUnavailable) {
  std::string url;
  {
    OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    url = server.Url();
    EXPECT_TRUE(HttpClient(absl::InfiniteDuration()).Get(url, {}).ok());
  }
  HttpClient client(absl::InfiniteDuration());

  const auto body = client.Get(url, {});

  EXPECT_EQ(body.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(body.status().message()), StartsWith(url));
}

TEST(HttpClientTest, ASilentServerIsGivenUp) {
  OneAnswer server("");
  HttpClient client(absl::Milliseconds(50));

  EXPECT_EQ(client.Get(server.Url(), {}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(HttpClientTest, EndsWhenItIsToStop) {
  OneAnswer server("");
  HttpClient client(absl::InfiniteDuration());
  std::stop_source source;
  source.request_stop();

  EXPECT_EQ(client.Get(server.Url(), source.get_token()).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(HttpClientTest, TakesPlainHttpOnly) {
  HttpClient client(absl::InfiniteDuration());

  EXPECT_EQ(client.Get("file:///etc/hosts", {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(MetricsUrlTest, CompletesAnAddress) {
  EXPECT_EQ(*MetricsUrl("localhost"), "http://localhost:8002/metrics");
  EXPECT_EQ(*MetricsUrl("a.b:9"), "http://a.b:9/metrics");
  EXPECT_EQ(*MetricsUrl("[::1]"), "http://[::1]:8002/metrics");
  EXPECT_EQ(*MetricsUrl("[::1]:9"), "http://[::1]:9/metrics");
  EXPECT_EQ(*MetricsUrl("http://a/b"), "http://a/b");
}

TEST(MetricsUrlTest, SaysWhatAnAddressIs) {
  for (const char* address : {"", "https://a", "a/b", "a b"}) {
    EXPECT_THAT(std::string(MetricsUrl(address).status().message()),
                HasSubstr("expected HOST, HOST:PORT or"))
        << address;
  }
}

}  // namespace
}  // namespace ladder::client
