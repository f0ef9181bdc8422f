#ifndef LADDER_TESTS_TESTDATA_H_
#define LADDER_TESTS_TESTDATA_H_

#include <filesystem>

namespace ladder {

// tests/testdata in the source tree.
std::filesystem::path TestdataFolder();

}  // namespace ladder

#endif  // LADDER_TESTS_TESTDATA_H_
