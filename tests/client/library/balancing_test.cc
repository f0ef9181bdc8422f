// Several servers behind one address.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ladder/client/client.h"
#include "tests/client/library/fake_server.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::client {
namespace {

grpc::Status Agree(int, grpc::ServerContext&, FakeServer::PredictStream*) {
  return grpc::Status::OK;
}

TEST(BalancingTest, ServersTakeTurns) {
  const FakeServer a(Agree);
  const FakeServer b(Agree);
  const Client client =
      Client::Open(
          {.address = absl::StrCat("ipv4:", a.address(), ",", b.address())})
          .value();
  // Until it is connected to both.
  ASSERT_TRUE(server::Eventually([&] {
    return client.ListModels().ok() && a.num_calls() > 0 && b.num_calls() > 0;
  }));
  const int a_before = a.num_calls();
  const int b_before = b.num_calls();

  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.ListModels().ok());

  EXPECT_EQ(a.num_calls() - a_before, 10);
  EXPECT_EQ(b.num_calls() - b_before, 10);
}

TEST(BalancingTest, AServerThatIsAwayIsLeftOut) {
  const FakeServer a(Agree);
  int port = 0;
  {
    const FakeServer b(Agree);
    port = b.port();
  }
  const Client client =
      Client::Open(
          {.address = absl::StrCat("ipv4:", a.address(), ",127.0.0.1:", port)})
          .value();

  for (int i = 0; i < 10; ++i) EXPECT_TRUE(client.ListModels().ok());

  EXPECT_EQ(a.num_calls(), 10);
}

}  // namespace
}  // namespace ladder::client
