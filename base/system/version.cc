#include "base/system/version.h"

namespace ladder::base {

const char kVersion[] = LADDER_VERSION;

}  // namespace ladder::base
