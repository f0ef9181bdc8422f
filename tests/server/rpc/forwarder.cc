#include "tests/server/rpc/forwarder.h"

#include <arpa/inet.h>
#include <grpcpp/create_channel.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

sockaddr_in LocalAddress(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Forwarder::Forwarder(int server_port)
    : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = LocalAddress(0);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  bind(listener_, generic, size);
  listen(listener_, 1);
  getsockname(listener_, generic, &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this, server_port] {
    client_ = accept(listener_, nullptr, nullptr);
    server_ = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in to = LocalAddress(server_port);
    connect(server_, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    copying_.emplace_back([this] { Copy(client_, server_); });
    copying_.emplace_back([this] { Copy(server_, client_); });
  });
}

Forwarder::~Forwarder() {
  Cut();
  for (std::thread& thread : copying_) thread.join();
  for (const int file : {client_, server_, listener_}) close(file);
}

std::shared_ptr<grpc::Channel> Forwarder::NewChannel() const {
  return grpc::CreateChannel(absl::StrCat("127.0.0.1:", port_),
                             grpc::InsecureChannelCredentials());
}

void Forwarder::Cut() {
  shutdown(listener_, SHUT_RDWR);
  if (accepting_.joinable()) accepting_.join();
  shutdown(client_, SHUT_RDWR);
  shutdown(server_, SHUT_RDWR);
}

void Forwarder::Copy(int from, int to) {
  char buffer[1 << 14];
  for (;;) {
    const ssize_t n = recv(from, buffer, sizeof(buffer), 0);
    if (n <= 0) return;
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t more =
          send(to, buffer + sent, static_cast<size_t>(n - sent), MSG_NOSIGNAL);
      if (more <= 0) return;
      sent += more;
    }
  }
}

}  // namespace ladder::server
