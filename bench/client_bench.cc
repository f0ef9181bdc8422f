// Measures what the client adds to a bare gRPC loop that sends the same bytes,
// and whether it reads pictures from disk while it sends others. The server
// takes samples and does nothing with them.
//
//   client_bench [ROUNDS]

#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "bench/bench_store.h"
#include "bench/measure.h"
#include "client/command/input/input.h"
#include "client/command/input/read_ahead.h"
#include "ladder/client/client.h"
#include "ladder/client/predict_group.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunks = 512;
constexpr size_t kChunkSamples = 32;
constexpr int64_t kSide = 32;  // Tensors of 3 x 32 x 32: chunks of 393 kB.
constexpr size_t kPictures = 4000;
constexpr size_t kPictureBytes = 100'000;
constexpr size_t kReadAheadBytes = size_t{8} << 20;

class Sink final : public v1::DomainRouting::Service {
  grpc::Status PredictDomain(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::PredictDomainResponse,
                               v1::PredictDomainRequest>* stream) override {
    v1::PredictDomainResponse labels;
    for (v1::PredictDomainRequest request; stream->Read(&request);) {
      for (size_t i = 0; i < client::NumSamples(request.samples()); ++i) {
        labels.mutable_predictions()->add_labels(0);
      }
    }
    stream->Write(labels);
    v1::PredictDomainResponse end;
    end.mutable_end();
    stream->Write(end);
    return grpc::Status::OK;
  }
};

// The same chunk again and again, made of numbers each time.
class Chunks final : public client::SampleReader {
 public:
  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    if (num_read_ == kChunks) return std::nullopt;
    ++num_read_;
    return Chunk();
  }
  absl::Status Rewind() override {
    num_read_ = 0;
    return absl::OkStatus();
  }

  v1::Samples Chunk() const {
    return ValueOrDie(client::TensorSamples(values_, shape_));
  }

 private:
  const std::vector<int64_t> shape_ = {3, kSide, kSide};
  const std::vector<float> values_ =
      std::vector<float>(kChunkSamples * 3 * kSide * kSide, 0.5F);
  size_t num_read_ = 0;
};

class Ignore final : public client::AnswerSink {
  absl::Status OnAnswer(v1::PredictDomainResponse) override {
    return absl::OkStatus();
  }
  void OnRestart(const absl::Status& why) override { OkOrDie(why); }
};

void SendBare(v1::DomainRouting::Stub& stub) {
  grpc::ClientContext context;
  const auto stream = stub.PredictDomain(&context);
  const Chunks chunks;
  for (size_t i = 0; i < kChunks; ++i) {
    v1::PredictDomainRequest request;
    request.set_group("group");
    *request.mutable_samples() = chunks.Chunk();
    stream->Write(request);
  }
  stream->WritesDone();
  for (v1::PredictDomainResponse response; stream->Read(&response);) {
  }
  if (!stream->Finish().ok()) std::exit(EXIT_FAILURE);
}

void Send(const client::Client& client, client::SampleReader& samples) {
  Ignore sink;
  OkOrDie(client::PredictGroup(client, {.group = "group", .options = {}},
                               samples, sink));
}

void CompareSending(const client::Client& client, int rounds) {
  const auto stub = v1::DomainRouting::NewStub(client.channel());
  Chunks chunks;
  const auto send = [&] {
    OkOrDie(chunks.Rewind());
    Send(client, chunks);
  };
  SendBare(*stub);
  send();
  const PairedSeconds seconds =
      TimeInTurns(rounds, absl::ZeroDuration(), send, [&] { SendBare(*stub); });
  std::cout << std::fixed << std::setprecision(3) << "sending " << kChunks
            << " chunks of tensors: bare loop " << 1e3 * Median(seconds.second)
            << " ms, client " << 1e3 * Median(seconds.first) << " ms, ratio "
            << Median(seconds.Ratios()) << std::endl;
}

// Takes a file out of the page cache, so that it comes from the disk again.
void Forget(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY);
  fdatasync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

void MeasureOverlap(const client::Client& client, int rounds) {
  const TemporaryFolder folder;
  for (size_t i = 0; i < kPictures; ++i) {
    std::ofstream(folder.path() / absl::StrCat(i, ".jpg"), std::ios::binary)
        << std::string(kPictureBytes, static_cast<char>(i));
  }
  client::InputOptions options;
  options.path = folder.path();
  const client::Input input = ValueOrDie(client::OpenInput(options));
  const auto forget = [&] {
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      Forget(entry.path());
    }
  };
  const auto read = [&] {
    const auto reader = input.Open(0);
    while (ValueOrDie(reader->Next()).has_value()) {
    }
  };
  const auto send = [&] {
    const auto reader = client::ReadAhead(input.Open(0), kReadAheadBytes);
    Send(client, *reader);
  };
  const auto send_directly = [&] { Send(client, *input.Open(0)); };
  std::vector<double> reading;
  PairedSeconds from_memory;
  PairedSeconds from_disk;
  for (int round = 0; round < rounds; ++round) {
    forget();
    reading.push_back(Time(read));  // And now they are in memory.
    TimeRound(
        round, [] {}, send, send_directly, from_memory);
    TimeRound(round, forget, send, send_directly, from_disk);
  }
  const double sum = Median(reading) + Median(from_memory.first);
  std::cout << kPictures << " pictures of " << kPictureBytes / 1000
            << " kB: reading from disk " << 1e3 * Median(reading)
            << " ms, sending from memory " << 1e3 * Median(from_memory.first)
            << " ms, both " << 1e3 * Median(from_disk.first) << " ms, "
            << Median(from_disk.first) / sum << " of one after the other\n"
            << "reading ahead takes " << Median(from_disk.Ratios())
            << " of the time without it from disk, "
            << Median(from_memory.Ratios()) << " from memory" << std::endl;
}

int Main(int rounds) {
  Sink sink;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&sink);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const client::Client client = ValueOrDie(
      client::Client::Open({.address = absl::StrCat("127.0.0.1:", port)}));
  CompareSending(client, rounds);
  MeasureOverlap(client, rounds);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  return ladder::bench::Main(argc > 1 ? std::atoi(argv[1]) : 15);
}
