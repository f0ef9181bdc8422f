#include "trainer/network/domain_index.h"

namespace ladder::trainer {

DomainIndex::DomainIndex(int64_t num_sources, int64_t num_classes)
    : index_(register_parameter("index", torch::linspace(-1, 1, num_sources))),
      direction_(register_parameter("direction", torch::zeros({num_classes}))) {
}

torch::Tensor DomainIndex::Offsets() const {
  return index_.unsqueeze(1) * direction_.unsqueeze(0);
}

}  // namespace ladder::trainer
