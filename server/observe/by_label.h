#ifndef LADDER_SERVER_OBSERVE_BY_LABEL_H_
#define LADDER_SERVER_OBSERVE_BY_LABEL_H_

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/observe/label_text.h"

namespace ladder::server {

// One T for every value of a label, made when the value is first seen. Spares
// the hot path the map of labels that prometheus::Family::Add wants, and bounds
// how many series there can be: beyond `max_values` all new values share the T
// of "other".
//
// Thread-safe, unless T's own use is not. Never forgets a value.
template <typename T>
class ByLabel {
 public:
  using Make = std::function<T(const std::string& value)>;

  ByLabel(size_t max_values, Make make)
      : max_values_(max_values), make_(std::move(make)) {}

  // Valid for as long as this.
  T& Get(absl::string_view value) {
    const std::lock_guard lock(mutex_);
    if (const auto it = values_.find(value); it != values_.end()) {
      return it->second;
    }
    const std::string key(values_.size() < max_values_ ? value : "other");
    const auto it = values_.find(key);
    if (it != values_.end()) return it->second;
    return values_.emplace(key, make_(LabelText(key))).first->second;
  }

 private:
  const size_t max_values_;
  const Make make_;
  std::mutex mutex_;
  absl::node_hash_map<std::string, T> values_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_BY_LABEL_H_
