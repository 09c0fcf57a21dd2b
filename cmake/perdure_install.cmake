# Installs the library, its public headers and what find_package(perdure) reads.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/perdure")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/perdureConfig.cmake.in" "${PROJECT_BINARY_DIR}/perdureConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/perdureConfigVersion.cmake" COMPATIBILITY SameMinorVersion)

install(TARGETS perdure EXPORT perdure_targets COMPONENT cpp
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cpp
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT cpp)
install(EXPORT perdure_targets NAMESPACE perdure:: DESTINATION "${package_dir}" COMPONENT cpp)
install(FILES "${PROJECT_BINARY_DIR}/perdureConfig.cmake" "${PROJECT_BINARY_DIR}/perdureConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/perdure_dependencies.cmake"
        DESTINATION "${package_dir}" COMPONENT cpp)
