#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_TEXT_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_TEXT_H_

#include <string>

#include "model_store/inspect/bundle_summary.h"

namespace ladder::model_store {

// What routing adds to an encoder: the floats that the method needs, by the
// paper's formula, and the files that hold them.
std::string StorageText(const Manifest& manifest);

// All that a person wants to know of a bundle: what it takes and gives, its
// routing defaults, sources, calibration and files, and what routing costs in
// storage.
std::string BundleText(const BundleSummary& bundle);

// An object with path, sha256, size and the whole manifest.
std::string BundleJson(const BundleSummary& bundle);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_TEXT_H_
