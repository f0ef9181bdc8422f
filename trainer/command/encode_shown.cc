#include "trainer/command/encode_shown.h"

#include "absl/strings/str_cat.h"
#include "routing/thread_pool.h"
#include "trainer/encode/encode_samples.h"

namespace ladder::trainer {

absl::StatusOr<EncodedSamples> EncodeShown(const model_store::Model& model,
                                           const Dataset& dataset,
                                           const std::vector<size_t>& samples,
                                           absl::string_view stage,
                                           const routing::Execution& execution,
                                           FitObserver& observer) {
  BrokenSamples broken;
  auto encoded =
      EncodeSamples(model, dataset, samples,
                    {.loader = {.num_threads = execution.pool->num_threads()},
                     .stop = execution.stop,
                     .on_progress =
                         [&](size_t done) {
                           observer.Progress({.stage = stage,
                                              .done = done,
                                              .total = samples.size(),
                                              .samples = done});
                         }},
                    broken);
  if (!encoded.ok()) return encoded;
  for (const auto& [reason, count] : broken.counts()) {
    observer.Message(absl::StrCat(count, " samples skipped: ", reason));
  }
  return encoded;
}

}  // namespace ladder::trainer
