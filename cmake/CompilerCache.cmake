# Repeated builds (presets, fresh clones, branches) share compiled objects:
# paths below the project's root count as relative, and precompiled headers do
# not keep ccache from answering.
find_program(LADDER_CCACHE ccache)
if(LADDER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${LADDER_CCACHE})
  # By this ccache recognises a precompiled header of GCC.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
