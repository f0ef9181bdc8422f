#ifndef LADDER_SERVER_GROUPS_CONTENT_BUFFER_H_
#define LADDER_SERVER_GROUPS_CONTENT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "model_store/engine/tensor.h"

namespace ladder::server {

// Encoded samples and who they are.
struct ContentRows {
  model_store::Tensor z_c = {};
  model_store::Tensor gate = {};       // Empty if it is not needed.
  std::vector<uint64_t> indices = {};  // In the group.
  std::vector<std::string> ids = {};   // One each, or none.
};

// The encoded samples of a group that wait to be predicted for, in order. One
// user at a time.
class ContentBuffer {
 public:
  size_t num_rows() const { return num_rows_; }

  void Push(ContentRows rows);

  // Removes the first `num_rows` rows, or all if there are fewer. Expects
  // num_rows() > 0. Errors as Model::Concatenate.
  absl::StatusOr<ContentRows> Take(const model_store::Model& model,
                                   size_t num_rows,
                                   const std::stop_token& stop);

 private:
  std::deque<ContentRows> pieces_;
  size_t num_rows_ = 0;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_CONTENT_BUFFER_H_
