// Predicts for one group of samples, of which each is a line of numbers:
//   predict_group ADDRESS MODEL < SAMPLES

#include <cstdint>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ladder/client/client.h"

using ladder::client::Client;
using ladder::client::PredictionStream;
using ladder::client::TensorSamples;

// Sends a chunk for each line. An error is one of the input.
absl::Status Send(PredictionStream& stream, const std::string& model) {
  ladder::v1::GroupOptions options;
  options.mutable_model()->set_name(model);
  // Once it is not, Finish says why.
  bool is_open = stream.Begin("camera 7", options).ok();
  for (std::string line; is_open && std::getline(std::cin, line);) {
    std::istringstream text(line);
    const std::vector<float> numbers{std::istream_iterator<float>(text), {}};
    const std::vector<int64_t> shape{static_cast<int64_t>(numbers.size())};
    auto chunk = TensorSamples(numbers, shape);
    if (!chunk.ok()) return chunk.status();
    is_open = stream.Send("camera 7", *std::move(chunk)).ok();
  }
  stream.CloseInput();
  return absl::OkStatus();
}

absl::Status Predict(const Client& client, const std::string& model) {
  PredictionStream stream = client.Predict({.timeout = absl::Minutes(1)});
  absl::Status unreadable;
  std::jthread sender([&] {
    unreadable = Send(stream, model);
    if (!unreadable.ok()) stream.Cancel();
  });
  while (const auto answer = stream.Read()) {
    for (const auto& source : answer->routing().sources()) {
      std::cout << source.source() << ": " << source.weight() << '\n';
    }
    for (const uint32_t label : answer->predictions().labels()) {
      std::cout << "class " << label << '\n';
    }
    if (answer->routing().coverage().verdict() == ladder::v1::Coverage::OUT) {
      stream.Cancel();  // Predictions would be worth nothing.
    }
  }
  sender.join();
  const absl::Status status = stream.Finish();
  return unreadable.ok() ? status : unreadable;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: predict_group ADDRESS MODEL < SAMPLES\n";
    return 2;
  }
  const absl::StatusOr<Client> client = Client::Open({.address = argv[1]});
  const absl::Status status =
      client.ok() ? Predict(*client, argv[2]) : client.status();
  if (!status.ok()) std::cerr << "predict_group: " << status << '\n';
  return status.ok() ? 0 : 1;
}
