#include "tests/testdata.h"

namespace ladder {

std::filesystem::path TestdataFolder() { return LADDER_TESTDATA_DIR; }

}  // namespace ladder
