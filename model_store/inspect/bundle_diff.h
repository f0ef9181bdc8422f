#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_DIFF_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_DIFF_H_

#include <string>

#include "model_store/format/manifest.h"

namespace ladder::model_store {

// What two manifests do not have in common, a line for each; empty if nothing.
// Fields by their path ("routing.tau: 0.5 -> 0.7"); classes and sources that
// were added (+) or removed (-), sources by name; files by checksum.
std::string DiffManifests(const Manifest& a, const Manifest& b);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_DIFF_H_
