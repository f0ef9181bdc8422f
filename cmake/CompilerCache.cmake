# Repeated builds (presets, fresh clones, branches) share compiled objects.
find_program(LADDER_CCACHE ccache)
if(LADDER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LADDER_CCACHE})
endif()
