# ladder::warnings: linked PRIVATE by our own targets only, so that a warning in
# somebody else's header never breaks the build.
add_library(ladder_warnings INTERFACE)
add_library(ladder::warnings ALIAS ladder_warnings)
target_compile_options(ladder_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wconversion -Wno-sign-conversion -Werror)
