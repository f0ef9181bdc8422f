#ifndef LADDER_MODEL_STORE_STORE_STORE_OPTIONS_H_
#define LADDER_MODEL_STORE_STORE_STORE_OPTIONS_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "model_store/format/labels_file.h"
#include "model_store/store/store_info.h"
#include "model_store/store/version_policy.h"

namespace ladder::model_store {

// When versions are loaded and retired.
enum class StoreMode {
  kPoll,      // At the start, and whenever the directory changes.
  kExplicit,  // When Load and Unload are called.
  kNone,      // At the start only.
};

// "poll", "explicit" or "none".
absl::string_view StoreModeName(StoreMode mode);

struct ModelConfig {
  VersionPolicy policy = VersionPolicy::Latest(1);
  // Where the model's file of labels does not say otherwise. Their versions are
  // wanted whatever the policy says.
  Labels labels = {};
};

struct StoreOptions {
  StoreMode mode = StoreMode::kPoll;
  // How often kPoll looks, and the other modes at labels. Infinite: only when
  // Poll is called.
  absl::Duration poll_interval = absl::Seconds(5);
  // The policy of models that `models` does not name.
  VersionPolicy policy = VersionPolicy::Latest(1);
  std::map<std::string, ModelConfig> models = {};
  int parallel_loads = 1;
  StoreObserver* observer = nullptr;  // Must outlive the store.
  std::function<absl::Time()> now = [] { return absl::Now(); };

  // InvalidArgument, naming the option and its value.
  absl::Status Validate() const;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_OPTIONS_H_
