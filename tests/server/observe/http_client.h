#ifndef LADDER_TESTS_SERVER_OBSERVE_HTTP_CLIENT_H_
#define LADDER_TESTS_SERVER_OBSERVE_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// A connection to a port of this machine, for bytes as they are.
class HttpClient {
 public:
  explicit HttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                         sizeof(address)) == 0;
  }
  ~HttpClient() { close(socket_); }

  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }

  // False if the other side has gone.
  bool Send(absl::string_view bytes) {
    return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  // True as soon as the other side has sent something or closed.
  bool HasReply(int within_ms) const {
    pollfd waiting = {.fd = socket_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, within_ms) > 0;
  }

  // All that comes until the other side closes.
  std::string ReadAll() {
    std::string text;
    char buffer[4096];
    for (;;) {
      const ssize_t n = recv(socket_, buffer, sizeof(buffer), 0);
      if (n <= 0) return text;
      text.append(buffer, static_cast<size_t>(n));
    }
  }

 private:
  const int socket_;
  bool connected_;
};

inline std::string Request(int port, absl::string_view method,
                           absl::string_view path,
                           absl::string_view headers = "") {
  HttpClient client(port);
  client.Send(absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: here\r\n",
                           headers, "\r\n"));
  return client.ReadAll();
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_OBSERVE_HTTP_CLIENT_H_
