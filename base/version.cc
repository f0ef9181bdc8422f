#include "base/version.h"

namespace ladder {

const char kVersion[] = LADDER_VERSION;

}  // namespace ladder
