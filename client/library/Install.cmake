# Component client: what programs need that link ladder::client.
#
#   cmake --install build --prefix PREFIX --component client
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ladder)

set_target_properties(ladder_client PROPERTIES EXPORT_NAME client)
set_target_properties(ladder_proto_v1 PROPERTIES EXPORT_NAME proto_v1)
set_target_properties(ladder_proto_health PROPERTIES EXPORT_NAME proto_health)
install(TARGETS ladder_client ladder_proto_v1 ladder_proto_health
  EXPORT ladder-targets
  COMPONENT client
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ladder-targets
  NAMESPACE ladder::
  DESTINATION ${package}
  COMPONENT client)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/client/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT client)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ladder
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT client
  FILES_MATCHING PATTERN "*.pb.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/ladder
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ladder/proto
  COMPONENT client
  FILES_MATCHING PATTERN "*.proto")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ladder-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ladder-config.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/ladder-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/ladder-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/ladder-config-version.cmake
  DESTINATION ${package}
  COMPONENT client)
