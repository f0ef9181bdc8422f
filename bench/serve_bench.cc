// PredictDomain, from the caller's tensors to its predictions over loopback,
// against a program that calls ONNX Runtime by itself on the same graphs, batch
// and threads: what routing, batching, gRPC and the rest cost. Server and
// client share the machine, which the reference has for itself.
//
//   serve_bench STORE MODEL [GROUP_SIZE [ROUNDS]]

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/system/control_group.h"
#include "bench/bare_session.h"
#include "bench/measure.h"
#include "ladder/v1/domain_routing.grpc.pb.h"
#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"
#include "model_store/format/find_bundles.h"
#include "routing/thread_pool.h"
#include "server/server.h"

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBatch = 32;
constexpr int kLatencyCalls = 200;
// Threads of the one side spin for a while after their turn.
constexpr absl::Duration kBetweenTurns = absl::Milliseconds(200);
constexpr absl::Duration kBetweenCalls = absl::Milliseconds(5);

// Encoder and heads, batch by batch.
class Reference {
 public:
  Reference(const fs::path& bundle, const model_store::Manifest& manifest)
      : encoder_(bundle / model_store::kEncoderFile, base::GrantedCpus()),
        // More would spin between batches and be in the encoder's way.
        heads_(bundle / model_store::kHeadsFile, /*threads=*/1),
        shape_(model_store::SampleShape(manifest.input)),
        weights_(manifest.num_sources(),
                 1.0F / static_cast<float>(manifest.num_sources())) {
    shape_.insert(shape_.begin(), kBatch);
  }

  void Predict(std::vector<float>& batch) {
    std::vector<Ort::Value> codes = encoder_.Encode(batch, shape_);
    std::vector<Ort::Value> inputs;
    inputs.push_back(std::move(codes.front()));
    inputs.push_back(BareSession::Tensor(
        weights_, {1, static_cast<int64_t>(weights_.size())}));
    heads_.Run({"z_c", "weights"}, inputs, {"logits"});
  }

 private:
  BareSession encoder_;
  BareSession heads_;
  std::vector<int64_t> shape_;
  std::vector<float> weights_;
};

v1::PredictDomainRequest Message(const model_store::Manifest& manifest,
                                 size_t num_rows) {
  v1::PredictDomainRequest request;
  request.set_group("group");
  v1::Tensor& tensor = *request.mutable_samples()->mutable_tensor();
  tensor.add_shape(static_cast<int64_t>(num_rows));
  size_t size = num_rows;
  for (const int64_t side : model_store::SampleShape(manifest.input)) {
    tensor.add_shape(side);
    size *= static_cast<size_t>(side);
  }
  const std::vector<float> values(size, 0.5F);
  tensor.set_float32(values.data(), size * sizeof(float));
  return request;
}

class BenchClient {
 public:
  BenchClient(int port, std::string model) : model_(std::move(model)) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxSendMessageSize(-1);
    stub_ = v1::DomainRouting::NewStub(grpc::CreateCustomChannel(
        absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials(),
        arguments));
  }

  // One group of `num_messages` times `message`; how many predictions came.
  size_t Predict(v1::PredictDomainRequest message, size_t num_messages) {
    grpc::ClientContext context;
    const auto stream = stub_->PredictDomain(&context);
    message.mutable_options()->mutable_model()->set_name(model_);
    std::thread writer([&] {
      for (size_t i = 0; i < num_messages; ++i) {
        stream->Write(message);
        message.clear_options();
      }
      stream->WritesDone();
    });
    size_t num_predictions = 0;
    for (v1::PredictDomainResponse response; stream->Read(&response);) {
      num_predictions +=
          static_cast<size_t>(response.predictions().labels_size());
    }
    writer.join();
    const grpc::Status status = stream->Finish();
    if (!status.ok()) {
      std::cerr << status.error_message() << '\n';
      std::exit(EXIT_FAILURE);
    }
    return num_predictions;
  }

 private:
  const std::string model_;
  std::unique_ptr<v1::DomainRouting::Stub> stub_;
};

// Answers every message by an empty one.
class Echo final : public v1::DomainRouting::CallbackService {
 public:
  class Reactor : public grpc::ServerBidiReactor<v1::PredictDomainRequest,
                                                 v1::PredictDomainResponse> {
   public:
    Reactor() { StartRead(&request_); }

   private:
    void OnReadDone(bool ok) override {
      if (ok) return StartWrite(&response_);
      Finish(grpc::Status::OK);
    }
    void OnWriteDone(bool) override { StartRead(&request_); }
    void OnDone() override { delete this; }

    v1::PredictDomainRequest request_;
    v1::PredictDomainResponse response_;
  };

  grpc::ServerBidiReactor<v1::PredictDomainRequest, v1::PredictDomainResponse>*
  PredictDomain(grpc::CallbackServerContext*) override {
    return new Reactor;
  }
};

void CompareThroughput(Reference& reference, BenchClient& client,
                       const model_store::Manifest& manifest, size_t group_size,
                       int rounds) {
  const v1::PredictDomainRequest message = Message(manifest, kBatch);
  const size_t num_messages = group_size / kBatch;
  const std::string& bytes = message.samples().tensor().float32();
  std::vector<float> batch(bytes.size() / sizeof(float), 0.5F);
  const auto run_reference = [&] {
    for (size_t i = 0; i < num_messages; ++i) reference.Predict(batch);
  };
  const auto run_server = [&] {
    if (client.Predict(message, num_messages) != num_messages * kBatch) {
      std::exit(EXIT_FAILURE);
    }
  };
  reference.Predict(batch);
  client.Predict(message, 1);
  const PairedSeconds seconds =
      TimeInTurns(rounds, kBetweenTurns, run_reference, run_server);
  const auto samples = static_cast<double>(num_messages * kBatch);
  std::cout << "samples per second: ONNX Runtime alone " << std::fixed
            << std::setprecision(1) << samples / Median(seconds.first)
            << ", PredictDomain " << samples / Median(seconds.second)
            << ", ratio " << std::setprecision(3) << Median(seconds.Ratios())
            << std::endl;
}

void MeasureLatency(const model_store::Model& model, BenchClient& client,
                    BenchClient& echo) {
  v1::PredictDomainRequest message = Message(model.manifest(), 1);
  // Both sides compute the same: the weights' reasons are left out.
  message.mutable_options()->mutable_routing()->set_skip_diagnostics(true);
  const std::string& bytes = message.samples().tensor().float32();
  const std::vector<float> x(bytes.size() / sizeof(float), 0.5F);
  routing::ThreadPool pool(static_cast<int>(base::GrantedCpus()));
  const auto compute = [&] {
    const auto codes = ValueOrDie(model.Encode(x, 1, {}));
    const auto distances =
        ValueOrDie(model.StyleDistances(codes.z_s, {.pool = &pool})).distances;
    std::vector<float> weights(model.manifest().num_sources());
    weights[static_cast<size_t>(
        std::min_element(distances.begin(), distances.end()) -
        distances.begin())] = 1;
    ValueOrDie(
        model.Logits(codes.z_c, {weights.data(), 1, weights.size()}, {}));
  };
  std::vector<double> computing;
  std::vector<double> round_trip;
  std::vector<double> served;
  for (int i = 0; i < kLatencyCalls; ++i) {
    absl::SleepFor(kBetweenCalls);
    computing.push_back(Time(compute));
    absl::SleepFor(kBetweenCalls);
    round_trip.push_back(Time([&] { echo.Predict(message, 1); }));
    absl::SleepFor(kBetweenCalls);
    served.push_back(Time([&] { client.Predict(message, 1); }));
  }
  std::cout << "one sample, median ms: computing " << std::setprecision(3)
            << 1e3 * Median(computing) << ", empty stream "
            << 1e3 * Median(round_trip) << ", PredictDomain "
            << 1e3 * Median(served) << ", added "
            << 1e3 * (Median(served) - Median(computing) - Median(round_trip))
            << std::endl;
}

// The highest version of a model.
fs::path LatestBundle(const fs::path& model) {
  return ValueOrDie(model_store::FindBundles(model)).back().path;
}

class RunningServer {
 public:
  RunningServer(const fs::path& store, const std::string& model,
                size_t instances) {
    server::ServerConfig config;
    config.listen = {.grpc_address = "127.0.0.1",
                     .grpc_port = 0,
                     .allow_http = false,
                     .allow_metrics = false};
    config.models.repository = store.string();
    config.models.required = {model};
    config.engine.device = "cpu";
    config.engine.instances = instances;
    config.engine.batch_sizes = {1, kBatch};
    config.batching.max_queue_delay = absl::ZeroDuration();
    config.observe.access_log = false;
    server_ = ValueOrDie(server::Server::Start(config, logger_));
    while (!server_->Summary().has_value()) {
      absl::SleepFor(absl::Milliseconds(10));
    }
    OkOrDie(server_->CheckReady());
  }

  int port() const { return server_->ports().grpc; }

 private:
  const server::Logger logger_{{.level = server::LogLevel::kError}};
  std::unique_ptr<server::Server> server_;
};

void CompareThroughput(const fs::path& store, const std::string& model,
                       const model_store::Manifest& manifest, size_t group_size,
                       int rounds) {
  // Whole batches side by side: what throughput is best with.
  const RunningServer server(store, model, base::GrantedCpus());
  BenchClient client(server.port(), model);
  Reference reference(LatestBundle(store / model), manifest);
  CompareThroughput(reference, client, manifest, group_size, rounds);
}

void MeasureLatency(const fs::path& store, const std::string& model) {
  const RunningServer server(store, model, /*instances=*/1);
  BenchClient client(server.port(), model);

  Echo echo_service;
  int echo_port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &echo_port);
  builder.RegisterService(&echo_service);
  const std::unique_ptr<grpc::Server> echo_server = builder.BuildAndStart();
  BenchClient echo(echo_port, model);

  const auto engine = ValueOrDie(model_store::Engine::Create(
      {.device = "cpu", .batch_sizes = {1, kBatch}}));
  const auto loaded = ValueOrDie(engine->Load(LatestBundle(store / model), {}));
  MeasureLatency(*loaded, client, echo);
}

int Main(const fs::path& store, const std::string& model, size_t group_size,
         int rounds) {
  const model_store::Manifest manifest =
      ValueOrDie(model_store::ReadManifestFile(LatestBundle(store / model)))
          .manifest;
  std::cout << model << ": " << manifest.num_sources() << " sources, groups of "
            << group_size << " samples, batches of " << kBatch << ", "
            << base::GrantedCpus() << " threads, medians of " << rounds
            << " rounds\n";
  CompareThroughput(store, model, manifest, group_size, rounds);
  MeasureLatency(store, model);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "serve_bench STORE MODEL [GROUP_SIZE [ROUNDS]]\n";
    return EXIT_FAILURE;
  }
  return ladder::bench::Main(argv[1], argv[2],
                             argc > 3 ? std::stoul(argv[3]) : 4096,
                             argc > 4 ? std::atoi(argv[4]) : 5);
}
