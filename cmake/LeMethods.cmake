# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The build writes the tables of operations and implementations; no file registers itself.
#
#   le_add_operation(NAME SOURCE)                  const le_operation le_operation_NAME
#   le_add_implementation(OPERATION NAME SOURCE [FLAGS flags...] [ALSO files...])
#                                                  const le_implementation le_implementation_OPERATION__NAME
#   le_add_method_sources(SOURCE...)               shared code of a family
#   le_add_kernel(FAMILY/NAME)                     cl/FAMILY/NAME.cl -> const le_cl_source le_cl_FAMILY_NAME
#
# An implementation's source hash covers SOURCE, ALSO and FLAGS: it tells stored samples of an older
# version apart.

add_library(le_methods OBJECT)
set_property(GLOBAL PROPERTY LE_OPERATIONS "")
set_property(GLOBAL PROPERTY LE_IMPLEMENTATIONS "")

function(le_add_method_sources)
  foreach(source IN LISTS ARGN)
    target_sources(le_methods PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()

function(le_add_operation name source)
  target_sources(le_methods PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set_property(GLOBAL APPEND PROPERTY LE_OPERATIONS ${name})
endfunction()

function(le_add_implementation operation name source)
  cmake_parse_arguments(ARG "" "" "FLAGS;ALSO" ${ARGN})
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  get_source_file_property(known ${path} LE_KNOWN)
  target_sources(le_methods PRIVATE ${path})
  if(ARG_FLAGS)
    set_source_files_properties(${path} TARGET_DIRECTORY le_methods PROPERTIES COMPILE_OPTIONS "${ARG_FLAGS}")
  endif()
  set(hash "${ARG_FLAGS}")
  foreach(file IN ITEMS ${source} ${ARG_ALSO})
    file(SHA256 ${CMAKE_CURRENT_SOURCE_DIR}/${file} one)
    string(APPEND hash "${one}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  string(SHA256 hash "${hash}")
  string(SUBSTRING ${hash} 0 16 hash)
  set_property(GLOBAL APPEND PROPERTY LE_IMPLEMENTATIONS "${operation}__${name}:${hash}")
endfunction()

function(le_add_kernel path)
  string(MAKE_C_IDENTIFIER "${path}" id)
  set(in ${PROJECT_SOURCE_DIR}/cl/${path}.cl)
  set(out ${PROJECT_BINARY_DIR}/cl/${id}.c)
  file(GLOB_RECURSE includes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cl/*.clh)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -DID=${id} -DNAME=${path} -DCL_DIR=${PROJECT_SOURCE_DIR}/cl
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedCl.cmake
    DEPENDS ${in} ${includes} ${PROJECT_SOURCE_DIR}/cmake/EmbedCl.cmake
    COMMENT "Embedding cl/${path}.cl" VERBATIM)
  # the command belongs to this directory, the target to another one
  add_custom_target(le_kernel_${id} DEPENDS ${out})
  set_source_files_properties(${out} TARGET_DIRECTORY le_methods PROPERTIES GENERATED TRUE)
  add_dependencies(le_methods le_kernel_${id})
  target_sources(le_methods PRIVATE ${out})
endfunction()

function(le_write_method_table out)
  get_property(operations GLOBAL PROPERTY LE_OPERATIONS)
  get_property(implementations GLOBAL PROPERTY LE_IMPLEMENTATIONS)
  set(ext "")
  set(ops "")
  set(impls "")
  foreach(x IN LISTS operations)
    string(APPEND ext "extern const le_operation le_operation_${x};\n")
    string(APPEND ops "    &le_operation_${x},\n")
  endforeach()
  foreach(x IN LISTS implementations)
    string(REPLACE ":" ";" x "${x}")
    list(GET x 0 name)
    list(GET x 1 hash)
    string(APPEND ext "extern const le_implementation le_implementation_${name};\n")
    string(APPEND impls "    {&le_implementation_${name}, \"${hash}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"/* Written by the build from methods/CMakeLists.txt. */
#include \"call/registry.h\"

@ext@
const le_operation *const le_builtin_operations[] = {
@ops@    NULL,
};

const le_builtin_implementation le_builtin_implementations[] = {
@impls@    {NULL, NULL},
};
")
endfunction()

# Puts the parts together: one shared and one static library.
function(le_finish_library)
  set(table ${PROJECT_BINARY_DIR}/le_method_table.c)
  le_write_method_table(${table})
  set(private SQLite::SQLite3 cjson hdf5::hdf5 PNG::PNG ZLIB::ZLIB PkgConfig::XXHASH PkgConfig::HWLOC
      Threads::Threads m ${CMAKE_DL_LIBS})
  if(TIFF_FOUND)
    list(APPEND private PkgConfig::TIFF)
  endif()
  if(LIBDEFLATE_FOUND)
    list(APPEND private PkgConfig::LIBDEFLATE)
  endif()
  foreach(kind IN ITEMS shared static)
    string(TOUPPER ${kind} KIND)
    add_library(liquid_engine_${kind} ${KIND} ${table})
    target_sources(liquid_engine_${kind} PRIVATE
      $<TARGET_OBJECTS:le_engine> $<TARGET_OBJECTS:le_benchdb> $<TARGET_OBJECTS:le_methods>)
    target_include_directories(liquid_engine_${kind}
      PRIVATE ${PROJECT_SOURCE_DIR}/engine
      INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_include_directories(liquid_engine_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/engine/include)
    target_link_libraries(liquid_engine_${kind} PRIVATE ${private})
    le_compile_options(liquid_engine_${kind})
    set_target_properties(liquid_engine_${kind} PROPERTIES OUTPUT_NAME liquid_engine
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endforeach()
  set_target_properties(liquid_engine_shared PROPERTIES EXPORT_NAME liquid_engine)
  add_library(liquid_engine::liquid_engine ALIAS liquid_engine_shared)
  add_library(liquid_engine::liquid_engine_static ALIAS liquid_engine_static)
endfunction()
