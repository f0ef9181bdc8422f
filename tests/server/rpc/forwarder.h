#ifndef LADDER_TESTS_SERVER_RPC_FORWARDER_H_
#define LADDER_TESTS_SERVER_RPC_FORWARDER_H_

#include <grpcpp/channel.h>

#include <memory>
#include <thread>
#include <vector>

namespace ladder::server {

// Stands between a client and a server of this machine, for one connection, and
// can go away without a word.
class Forwarder {
 public:
  explicit Forwarder(int server_port);
  ~Forwarder();

  // A channel through it.
  std::shared_ptr<grpc::Channel> NewChannel() const;

  void Cut();

 private:
  void Copy(int from, int to);

  const int listener_;
  int server_ = -1;
  int client_ = -1;
  int port_ = 0;
  std::thread accepting_;
  std::vector<std::thread> copying_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_RPC_FORWARDER_H_
