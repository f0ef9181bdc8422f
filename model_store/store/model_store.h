#ifndef LADDER_MODEL_STORE_STORE_MODEL_STORE_H_
#define LADDER_MODEL_STORE_STORE_MODEL_STORE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_info.h"
#include "model_store/store/store_options.h"

namespace ladder::model_store {

class StoreCore;

// Serves the bundles of a directory `<store>/<model>/<version>/`: loads what
// the policies ask for, swaps versions without a gap, keeps the reason of what
// failed. docs/architecture.md tells a version's life.
//
// Whoever asks gets a handle that keeps its version in memory, retired or not;
// handles may outlive the store. Asking never waits for loading or for the
// disk. Thread-safe; all calls must have returned before the destructor, which
// calls off loads in progress and waits for them to end.
class ModelStore {
 public:
  // Looks at `directory` once and begins to load unless the mode is kExplicit.
  // `loader` must outlive the store. InvalidArgument if an option is out of
  // range; NotFound or InvalidArgument, naming the path, if it is no directory.
  static absl::StatusOr<std::unique_ptr<ModelStore>> Open(
      std::filesystem::path directory, ModelLoader& loader,
      StoreOptions options);
  ~ModelStore();

  // The highest served version, the one given, or the one with that label.
  // NotFound if it does not exist or is not to be served, naming what is;
  // Unavailable while it is loading for the first time or draining;
  // FailedPrecondition, with the reason, if it could not be loaded.
  absl::StatusOr<ModelHandle> Get(absl::string_view model) const;
  absl::StatusOr<ModelHandle> GetVersion(absl::string_view model,
                                         uint64_t version) const;
  absl::StatusOr<ModelHandle> GetLabelled(absl::string_view model,
                                          absl::string_view label) const;

  StoreInfo List() const;
  absl::StatusOr<ModelInfo> Describe(absl::string_view model) const;

  // OK if each of `models` has a served version; else Unavailable, saying of
  // each other one why not.
  absl::Status CheckReady(std::span<const std::string> models) const;

  // Returns when nothing is loading or about to, and all observers are told.
  void WaitUntilIdle() const;

  // Looks at the directory now. In mode kPoll begins to load, and retires, what
  // the policies say; otherwise only List gets to know. The status is also
  // List's: not ok if the directory is unreadable or was emptied, which leaves
  // all that is served as it is.
  absl::Status Poll();

  // Looks at `model` now, tries again what has failed, and waits for the end of
  // it, or for `stop` (Cancelled; loading goes on). In mode kExplicit, the
  // policy is followed from now on, or `version` is served beside what is
  // served already; in kPoll the policy is in force anyway. OK if `version`, or
  // what the policy asks for, is then served as it is on disk. NotFound if it
  // is not on disk; FailedPrecondition if the policy does not choose it, if it
  // has been replaced in place, or in mode kNone; else the reason of the load.
  absl::Status Load(absl::string_view model, std::optional<uint64_t> version,
                    const std::stop_token& stop = {});

  // Stops serving `version`, or the whole model; calls off what is loading.
  // Memory is returned once the last handle is gone. FailedPrecondition unless
  // the mode is kExplicit, or if `version` has a label; NotFound if it is not
  // loaded.
  absl::Status Unload(absl::string_view model, std::optional<uint64_t> version);

  // Gives `label` (a letter, then as a model's name) to `version`, which must
  // be served and is from then on, whatever the policy says.
  absl::Status SetLabel(absl::string_view model, absl::string_view label,
                        uint64_t version);
  absl::Status RemoveLabel(absl::string_view model, absl::string_view label);

 private:
  explicit ModelStore(std::unique_ptr<StoreCore> core);

  const std::unique_ptr<StoreCore> core_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_MODEL_STORE_H_
