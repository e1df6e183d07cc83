# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# What cmake --install gives: headers, libraries, CMake package, pkg-config file, documentation, example
# programs. The tools install themselves (tools/CMakeLists.txt).
include(CMakePackageConfigHelpers)

# the library calls its own functions, whoever else has some of the same names
target_link_options(liquid_engine_shared PRIVATE "LINKER:--as-needed" "LINKER:-Bsymbolic-functions")
set_target_properties(liquid_engine_shared PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
if(SKBUILD) # tools/python has its own way with the library
  return()
endif()
set(map ${PROJECT_SOURCE_DIR}/engine/liquid_engine.map)
target_link_options(liquid_engine_shared PRIVATE "LINKER:--version-script=${map}")
set_target_properties(liquid_engine_shared PROPERTIES LINK_DEPENDS ${map})

install(DIRECTORY engine/include/liquid_engine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/liquid_engine)
install(TARGETS liquid_engine_shared EXPORT liquid_engineTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT liquid_engineTargets NAMESPACE liquid_engine:: DESTINATION ${package})
# The static library has the dependencies of its own that a consumer must link: asked for by name.
install(TARGETS liquid_engine_static EXPORT liquid_engineStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT liquid_engineStaticTargets NAMESPACE liquid_engine:: DESTINATION ${package})

configure_package_config_file(cmake/liquid_engineConfig.cmake.in
  ${PROJECT_BINARY_DIR}/liquid_engineConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/liquid_engineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/liquid_engineConfig.cmake
  ${PROJECT_BINARY_DIR}/liquid_engineConfigVersion.cmake DESTINATION ${package})

# The prefix is found from the file's own place, so that an installed tree may be moved.
file(RELATIVE_PATH LE_PREFIX_FROM_PC /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" LE_PREFIX_FROM_PC "${LE_PREFIX_FROM_PC}")
set(LE_PC_OPTIONAL "")
if(LE_WITH_HDF5)
  string(APPEND LE_PC_OPTIONAL " hdf5")
endif()
if(TIFF_FOUND)
  string(APPEND LE_PC_OPTIONAL " libtiff-4")
endif()
if(CFITSIO_FOUND)
  string(APPEND LE_PC_OPTIONAL " cfitsio")
  if(WCSLIB_FOUND)
    string(APPEND LE_PC_OPTIONAL " wcslib")
  endif()
endif()
if(LIBDEFLATE_FOUND)
  string(APPEND LE_PC_OPTIONAL " libdeflate")
endif()
if(KISSFFT_FOUND)
  string(APPEND LE_PC_OPTIONAL " kissfft-float")
endif()
configure_file(cmake/liquid_engine.pc.in ${PROJECT_BINARY_DIR}/liquid_engine.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/liquid_engine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# as in the source folder, so that README's links hold
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c" PATTERN data EXCLUDE)
