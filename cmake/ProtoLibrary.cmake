# ladder_add_proto_library(NAME PROTOS FILE... [LIBRARIES OTHER...])
#
# A static library NAME with the messages and gRPC services of the .proto FILEs,
# which are named relative to proto/, the import root: a file is imported, and
# its generated headers are included, by that name.
#
#   include(ProtoLibrary)
#   ladder_add_proto_library(ladder_proto_v1
#     PROTOS ladder/v1/routing.proto ladder/v1/types.proto)
#   add_library(ladder::proto_v1 ALIAS ladder_proto_v1)
#
#   import "ladder/v1/types.proto";           // in routing.proto
#   #include "ladder/v1/routing.grpc.pb.h"    // in C++; messages: routing.pb.h
#
# LIBRARIES are the proto libraries whose files these FILEs import. A file without
# services has no .grpc.pb.h. Generated code lies in the build tree; its
# headers are system headers and it is compiled without ladder::warnings. The
# call may stand in any folder.
function(ladder_add_proto_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PROTOS;LIBRARIES")
  set(root ${PROJECT_SOURCE_DIR}/proto)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})

  set(sources)
  foreach(proto IN LISTS arg_PROTOS)
    string(REGEX REPLACE "\\.proto$" "" stem ${generated}/${proto})
    set(outputs ${stem}.pb.cc ${stem}.pb.h)
    set(grpc_options)
    file(STRINGS ${root}/${proto} services REGEX "^service ")
    if(services)
      list(APPEND outputs ${stem}.grpc.pb.cc ${stem}.grpc.pb.h)
      set(grpc_options --grpc_out=${generated}
        --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
    endif()
    # Imports are part of every output's dependencies; protoc lists them itself.
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND protobuf::protoc
        --proto_path=${root}
        --cpp_out=${generated}
        ${grpc_options}
        --dependency_out=${stem}.pb.d
        ${root}/${proto}
      DEPENDS ${root}/${proto} protobuf::protoc
      DEPFILE ${stem}.pb.d
      COMMENT "Generating C++ of ${proto}"
      VERBATIM)
    list(APPEND sources ${outputs})
  endforeach()

  add_library(${name} STATIC ${sources})
  # Generated files repeat names that only their own file may see.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${name} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${generated}>)
  target_link_libraries(${name}
    PUBLIC gRPC::grpc++ protobuf::libprotobuf ${arg_LIBRARIES})
endfunction()
