#ifndef LADDER_CLIENT_COMMAND_OUTPUT_PREDICTION_ROWS_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_PREDICTION_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/command/output/output_options.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// A sample that a message is about.
struct AnsweredSample {
  uint64_t index = 0;        // In the group.
  size_t place = 0;          // Among the message's predictions or rejections.
  bool is_rejected = false;  // Which of both.
};

// The samples of a message whose parts fit together, ordered by their indices.
std::vector<AnsweredSample> AnsweredSamples(const v1::Predictions& predictions);

// Turns predictions into rows, one for each sample, rejected ones too. CSV has
// the columns group, index, id, label, class, probability (of the label),
// error; then, if asked for, top_1 and top_1_probability and so on, p_<class>
// and logit_<class>. JSON lines have the same, with arrays top, probabilities
// and logits. Immutable and thread-safe.
class PredictionRows {
 public:
  explicit PredictionRows(OutputFileOptions options);

  // The line that names the columns; empty for JSON lines.
  std::string Header() const;

  // Appends the message's rows. FailedPrecondition if it does not fit to the
  // options, as when the model was replaced by one of other classes; Internal
  // if its parts do not fit to each other; `rows` is then as before.
  absl::Status Append(absl::string_view group,
                      const v1::Predictions& predictions,
                      std::string& rows) const;

 private:
  absl::Status Check(const v1::Predictions& predictions) const;
  void AppendCsv(absl::string_view group, const v1::Predictions& predictions,
                 const AnsweredSample& sample, std::string& row) const;
  void AppendJson(absl::string_view group, const v1::Predictions& predictions,
                  const AnsweredSample& sample, std::string& row) const;
  absl::string_view ClassName(uint32_t label) const;  // Empty if not known.

  const OutputFileOptions options_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_PREDICTION_ROWS_H_
