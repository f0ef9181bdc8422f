#ifndef LADDER_BASE_VERSION_H_
#define LADDER_BASE_VERSION_H_

namespace ladder {

// The project's version, such as "0.1.0", of which CMakeLists.txt is the
// source.
extern const char kVersion[];

}  // namespace ladder

#endif  // LADDER_BASE_VERSION_H_
