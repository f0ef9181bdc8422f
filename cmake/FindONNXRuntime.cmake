# Finds ONNX Runtime's library and C++ headers and defines ONNXRuntime::ONNXRuntime.
#
# Looks in ONNXRUNTIME_ROOT (-DONNXRUNTIME_ROOT=DIR, or LADDER_ONNXRUNTIME_ROOT in
# the environment): the vendor's unpacked archive. Otherwise in .deps/onnxruntime,
# where scripts/setup puts it.

if(DEFINED ENV{LADDER_ONNXRUNTIME_ROOT})
  set(_default_root $ENV{LADDER_ONNXRUNTIME_ROOT})
else()
  set(_default_root ${PROJECT_SOURCE_DIR}/.deps/onnxruntime)
endif()
set(ONNXRUNTIME_ROOT ${_default_root} CACHE PATH
  "Folder with ONNX Runtime's include/ and lib/")
unset(_default_root)

find_path(ONNXRUNTIME_INCLUDE_DIR onnxruntime_cxx_api.h
  HINTS ${ONNXRUNTIME_ROOT}/include
  PATH_SUFFIXES onnxruntime onnxruntime/core/session
  NO_DEFAULT_PATH)
find_library(ONNXRUNTIME_LIBRARY onnxruntime
  HINTS ${ONNXRUNTIME_ROOT}/lib
  NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ONNXRuntime
  REQUIRED_VARS ONNXRUNTIME_LIBRARY ONNXRUNTIME_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "looked in ${ONNXRUNTIME_ROOT}, run scripts/setup or pass -DONNXRUNTIME_ROOT=DIR")

if(ONNXRuntime_FOUND AND NOT TARGET ONNXRuntime::ONNXRuntime)
  add_library(ONNXRuntime::ONNXRuntime SHARED IMPORTED)
  set_target_properties(ONNXRuntime::ONNXRuntime PROPERTIES
    IMPORTED_LOCATION ${ONNXRUNTIME_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ONNXRUNTIME_INCLUDE_DIR})
endif()
mark_as_advanced(ONNXRUNTIME_INCLUDE_DIR ONNXRUNTIME_LIBRARY)
