#ifndef LADDER_CLIENT_CLIENT_H_
#define LADDER_CLIENT_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/channel.h"
#include "ladder/client/client_options.h"
#include "ladder/client/prediction_stream.h"
#include "ladder/client/samples.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// A LADDER server, or several behind one address. Copies share the connections;
// all methods may be called from any thread. What is left of the errors after
// retries has the server's code and words.
class Client {
 public:
  // Connects when the first call is made. InvalidArgument if the token or a
  // file of the options cannot be used, NotFound if a file cannot be read.
  static absl::StatusOr<Client> Open(const ClientOptions& options);

  // Opens a call for any number of groups, which is not retried: see
  // PredictGroup. Waits for nothing: what cannot be reached, Finish tells.
  PredictionStream Predict(const CallOptions& call = {}) const;

  // Routes one group without predicting. `request` has its name and questions.
  // Errors of `samples` come back as they are.
  absl::StatusOr<v1::RouteDomainResponse> Route(
      const v1::RouteDomainRequest& request, SampleReader& samples,
      const CallOptions& call = {}) const;

  absl::StatusOr<v1::ListModelsResponse> ListModels(
      const CallOptions& call = {}) const;
  absl::StatusOr<v1::GetModelResponse> GetModel(
      const v1::ModelRef& model, const CallOptions& call = {}) const;
  absl::StatusOr<v1::ReloadModelResponse> ReloadModel(
      const v1::ReloadModelRequest& request,
      const CallOptions& call = {}) const;

  // OK if `service` is served, or the server as a whole if it is "". Not
  // retried: the answer is about now.
  absl::Status CheckHealth(const std::string& service,
                           const CallOptions& call = {}) const;

  const ClientOptions& options() const;
  // Serves calls of protocols that the client does not speak.
  const std::shared_ptr<grpc::Channel>& channel() const;

 private:
  class Impl;
  explicit Client(std::shared_ptr<const Impl> impl);

  std::shared_ptr<const Impl> impl_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_CLIENT_H_
