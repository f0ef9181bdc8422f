#ifndef LADDER_SERVER_OBSERVE_STORE_CONTENTS_H_
#define LADDER_SERVER_OBSERVE_STORE_CONTENTS_H_

#include <functional>
#include <vector>

#include "model_store/store/store_info.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ladder::server {

// What the model store serves at the moment of a scrape:
//   ladder_model_info{model, version, sha256}  1 for every served version
//   ladder_model_served_versions{model}        how many; 0 is an alarm
//   ladder_store_readable                      0 or 1
// Thread-safe.
class StoreContents final : public prometheus::Collectable {
 public:
  // `list` is ModelStore::List.
  explicit StoreContents(std::function<model_store::StoreInfo()> list);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::function<model_store::StoreInfo()> list_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_STORE_CONTENTS_H_
