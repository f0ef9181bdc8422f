#include "tests/server/rpc/raw_stream.h"

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>

namespace ladder::server {

grpc::Status SendRaw(TestServer& server, const std::string& method,
                     const std::vector<std::string>& messages) {
  grpc::CompletionQueue queue;
  // Waits for the one thing that was begun.
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  grpc::GenericStub stub(server.channel());
  const auto context = NewContext();
  const auto call = stub.PrepareCall(context.get(), method, &queue);
  call->StartCall(nullptr);
  bool alive = wait();
  for (const std::string& message : messages) {
    if (!alive) break;
    const grpc::Slice slice(message);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    alive = wait();
  }
  if (alive) {
    call->WritesDone(nullptr);
    wait();
  }
  grpc::ByteBuffer answer;
  do {
    call->Read(&answer, nullptr);
  } while (wait());
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  queue.Shutdown();
  while (wait()) {
  }
  return status;
}

}  // namespace ladder::server
