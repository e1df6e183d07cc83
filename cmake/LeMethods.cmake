# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The build writes the tables of operations and implementations; no file registers itself. Sources are
# relative to the folder of the calling CMakeLists.txt.
#
#   le_add_operation(NAME SOURCE)                  const le_operation le_operation_NAME
#   le_add_implementation(OPERATION NAME SOURCE)   const le_implementation le_implementation_OPERATION__NAME
#   le_add_implementations(OPERATION SOURCE ISA c|avx2|avx512... [NAMES pattern...])
#                                                  one source, compiled once for each instruction set with
#                                                  LE_METHOD_ISA defined: 0, 2 or 512. A * in a pattern is the
#                                                  instruction set; usually there is one implementation, *
#   le_add_method_sources(SOURCE...)               shared code of a family
#   le_add_filter(NAME SOURCE)                     const le_filter le_filter_NAME, of HDF5 files
#   le_add_kernel(FAMILY/NAME)                     cl/FAMILY/NAME.cl -> const le_cl_source le_cl_FAMILY_NAME
#
# The source hash of an implementation tells stored samples of an older version apart. It is made after
# compiling, from the files that the compiler read: see MethodTable.cmake.

set(le_isa_number_c 0)
set(le_isa_number_avx2 2)
set(le_isa_number_avx512 512)
set(le_isa_flags_c "")
set(le_isa_flags_avx2 -mavx2 -mfma -mf16c)
set(le_isa_flags_avx512 -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c)
set(LE_ISAS "avx2;avx512" CACHE STRING "instruction sets of x86-64 beyond the usual one that implementations are compiled for")
set(le_isas c)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  list(APPEND le_isas ${LE_ISAS})
endif()

set_property(GLOBAL PROPERTY LE_OPERATIONS "")      # NAME|SOURCE
set_property(GLOBAL PROPERTY LE_IMPLEMENTATIONS "") # OPERATION|NAME|SOURCE|ISA
set_property(GLOBAL PROPERTY LE_FILTERS "")         # NAME|SOURCE
set_property(GLOBAL PROPERTY LE_METHOD_LIBRARIES "")

# Objects of the target keep the compiler's list of the files that they were made from.
function(le_keep_dependencies tgt)
  set_property(TARGET ${tgt} PROPERTY C_COMPILER_LAUNCHER
    sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/keep-dependencies.sh ${CMAKE_C_COMPILER_LAUNCHER})
endfunction()

# The objects of the families, one library for each instruction set; that of plain C is le_methods.
function(le_method_library isa out)
  set(name le_methods)
  if(NOT isa STREQUAL "c")
    string(APPEND name _${isa})
  endif()
  set(${out} ${name} PARENT_SCOPE)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} OBJECT)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/engine/include ${PROJECT_SOURCE_DIR}/methods)
  target_compile_definitions(${name} PRIVATE LE_METHOD_ISA=${le_isa_number_${isa}})
  target_compile_options(${name} PRIVATE ${le_isa_flags_${isa}})
  le_compile_options(${name})
  le_keep_dependencies(${name})
  set_property(GLOBAL APPEND PROPERTY LE_METHOD_LIBRARIES ${name})
endfunction()

function(le_add_method_sources)
  le_method_library(c library)
  foreach(source IN LISTS ARGN)
    target_sources(${library} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()

function(le_add_operation name source)
  le_add_method_sources(${source})
  set_property(GLOBAL APPEND PROPERTY LE_OPERATIONS "${name}|${CMAKE_CURRENT_SOURCE_DIR}/${source}")
endfunction()

function(le_add_filter name source)
  le_add_method_sources(${source})
  set_property(GLOBAL APPEND PROPERTY LE_FILTERS "${name}|${CMAKE_CURRENT_SOURCE_DIR}/${source}")
endfunction()

function(le_add_implementation operation name source)
  le_add_implementations(${operation} ${source} ISA c NAMES ${name})
endfunction()

function(le_add_implementations operation source)
  cmake_parse_arguments(ARG "" "" "ISA;NAMES" ${ARGN})
  if(NOT ARG_NAMES)
    set(ARG_NAMES *)
  endif()
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  foreach(isa IN LISTS ARG_ISA)
    if(NOT DEFINED le_isa_number_${isa})
      message(FATAL_ERROR "${operation}: there is no instruction set '${isa}'; there are c, avx2 and avx512")
    endif()
    if(NOT isa IN_LIST le_isas)
      continue()
    endif()
    le_method_library(${isa} library)
    target_sources(${library} PRIVATE ${path})
    foreach(name IN LISTS ARG_NAMES)
      string(REPLACE "*" "${isa}" name "${name}")
      set_property(GLOBAL APPEND PROPERTY LE_IMPLEMENTATIONS "${operation}|${name}|${path}|${isa}")
    endforeach()
  endforeach()
endfunction()

function(le_add_kernel path)
  string(MAKE_C_IDENTIFIER "${path}" id)
  set(in ${PROJECT_SOURCE_DIR}/cl/${path}.cl)
  set(out ${PROJECT_BINARY_DIR}/cl/${id}.c)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedCl.cmake)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -DID=${id} -DNAME=${path} -DCL_DIR=${PROJECT_SOURCE_DIR}/cl
            -P ${script}
    DEPENDS ${in} ${script} DEPFILE ${out}.d
    COMMENT "Embedding cl/${path}.cl" VERBATIM)
  # the command belongs to this directory, the target to another one
  add_custom_target(le_kernel_${id} DEPENDS ${out})
  set_source_files_properties(${out} TARGET_DIRECTORY le_methods PROPERTIES GENERATED TRUE)
  add_dependencies(le_methods le_kernel_${id})
  target_sources(le_methods PRIVATE ${out})
endfunction()

# An object library, le_method_table, with the tables and hashes. The engine's own implementations
# (staged, in slabs) are made by the sources of its folder chain/.
function(le_add_method_table)
  set(list ${PROJECT_BINARY_DIR}/le_method_objects.txt)
  set(table ${PROJECT_BINARY_DIR}/le_method_table.c)
  get_property(libraries GLOBAL PROPERTY LE_METHOD_LIBRARIES)
  get_property(operations GLOBAL PROPERTY LE_OPERATIONS)
  get_property(implementations GLOBAL PROPERTY LE_IMPLEMENTATIONS)
  get_property(filters GLOBAL PROPERTY LE_FILTERS)
  set(makers $<FILTER:$<TARGET_OBJECTS:le_engine>,INCLUDE,/chain/>)
  set(objects ${makers})
  set(lines "maker|$<JOIN:${makers},\nmaker|>\n")
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^le_methods_?" "" isa "${library}")
    if(isa STREQUAL "")
      set(isa c)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
    string(APPEND lines "flags|${isa}|${le_isa_flags_${isa}}\n")
    string(APPEND lines "object|${isa}|$<JOIN:$<TARGET_OBJECTS:${library}>,\nobject|${isa}|>\n")
  endforeach()
  foreach(kind IN ITEMS operation implementation filter)
    foreach(line IN LISTS ${kind}s)
      string(APPEND lines "${kind}|${line}\n")
    endforeach()
  endforeach()
  file(GENERATE OUTPUT ${list} CONTENT "${lines}")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/MethodTable.cmake)
  add_custom_command(OUTPUT ${table} BYPRODUCTS ${PROJECT_BINARY_DIR}/le_method_sources.txt
    COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DOUT=${table} -DSOURCES=${PROJECT_BINARY_DIR}/le_method_sources.txt
            -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DBINARY_DIR=${PROJECT_BINARY_DIR} -DNM=${CMAKE_NM} -P ${script}
    DEPENDS ${list} ${script} ${objects} COMMENT "Writing the tables of methods" VERBATIM)
  add_library(le_method_table OBJECT ${table})
  target_include_directories(le_method_table PRIVATE ${PROJECT_SOURCE_DIR}/engine/include
    ${PROJECT_SOURCE_DIR}/engine)
  le_compile_options(le_method_table)
  add_dependencies(le_method_table le_engine ${libraries})
endfunction()

# Puts the parts together: one shared and one static library.
function(le_finish_library)
  le_add_method_table()
  set(objects "")
  get_property(libraries GLOBAL PROPERTY LE_METHOD_LIBRARIES)
  foreach(library IN ITEMS le_engine le_benchdb le_report ${libraries} le_method_table)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  set(private SQLite::SQLite3 cjson PNG::PNG ZLIB::ZLIB PkgConfig::XXHASH
      PkgConfig::LZ4 PkgConfig::ZSTD Threads::Threads m ${CMAKE_DL_LIBS})
  if(LE_WITH_HDF5)
    list(APPEND private hdf5::hdf5)
  endif()
  if(TIFF_FOUND)
    list(APPEND private PkgConfig::TIFF)
  endif()
  if(CFITSIO_FOUND)
    list(APPEND private PkgConfig::CFITSIO)
    if(WCSLIB_FOUND)
      list(APPEND private PkgConfig::WCSLIB)
    endif()
  endif()
  if(LIBDEFLATE_FOUND)
    list(APPEND private PkgConfig::LIBDEFLATE)
  endif()
  if(KISSFFT_FOUND)
    list(APPEND private PkgConfig::KISSFFT)
  endif()
  foreach(kind IN ITEMS shared static)
    string(TOUPPER ${kind} KIND)
    add_library(liquid_engine_${kind} ${KIND} ${objects})
    target_include_directories(liquid_engine_${kind}
      PRIVATE ${PROJECT_SOURCE_DIR}/engine
      INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_include_directories(liquid_engine_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/engine/include)
    target_link_libraries(liquid_engine_${kind} PRIVATE ${private})
    le_compile_options(liquid_engine_${kind})
    set_target_properties(liquid_engine_${kind} PROPERTIES OUTPUT_NAME liquid_engine
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
  endforeach()
  set_target_properties(liquid_engine_shared PROPERTIES EXPORT_NAME liquid_engine)
  add_library(liquid_engine::liquid_engine ALIAS liquid_engine_shared)
  add_library(liquid_engine::liquid_engine_static ALIAS liquid_engine_static)
endfunction()
