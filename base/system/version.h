#ifndef LADDER_BASE_SYSTEM_VERSION_H_
#define LADDER_BASE_SYSTEM_VERSION_H_

namespace ladder::base {

// The project's version, such as "0.1.0", of which CMakeLists.txt is the
// source.
extern const char kVersion[];

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_VERSION_H_
