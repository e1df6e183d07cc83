# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Writes the tables of operations and implementations with their source hashes, after compiling:
#   -DLIST= objects, operations and implementations (LeMethods.cmake)   -DOUT= the C file
#   -DSOURCES= for readers: every hash and the files that it stands for -DSOURCE_DIR= -DBINARY_DIR= -DNM=
#
# The files behind an implementation are those that the compiler read for its own object, for its
# operation's, and for every object of a family that these refer to, directly or through others; of an
# embedded kernel, the OpenCL sources. What lies outside the project belongs to the compiler's identity.
cmake_minimum_required(VERSION 3.22)
file(REAL_PATH "${SOURCE_DIR}" SOURCE_DIR)
file(REAL_PATH "${BINARY_DIR}" BINARY_DIR)

# project_files(OUT FOLDER TEXT): files of the project in a list of dependencies in make's syntax
function(project_files out folder text)
  string(REGEX REPLACE "^[^\n]*:[ \n\\]" "" text "${text}")
  string(REPLACE "\\\n" " " text "${text}")
  string(REPLACE "\\ " "\t" text "${text}")
  string(REGEX REPLACE "[ \n]+" ";" text "${text}")
  set(files "")
  foreach(file IN LISTS text)
    string(REPLACE "\t" " " file "${file}")
    if(file STREQUAL "")
      continue()
    endif()
    file(REAL_PATH "${file}" file BASE_DIRECTORY "${folder}")
    string(FIND "${file}" "${BINARY_DIR}/" generated)
    string(FIND "${file}" "${SOURCE_DIR}/" own)
    if(generated EQUAL 0)
      file(READ "${file}.d" made_from)
      project_files(more "${BINARY_DIR}" "${made_from}")
      list(APPEND files ${more})
    elseif(own EQUAL 0)
      file(RELATIVE_PATH file "${SOURCE_DIR}" "${file}")
      list(APPEND files "${file}")
    endif()
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# files_of_OBJECT, and the object of a source for an instruction set: object_ISA_SOURCE
macro(read_object isa object)
  file(STRINGS "${object}.deps" folder LIMIT_COUNT 1)
  file(READ "${object}.deps" deps)
  string(LENGTH "${folder}" length)
  string(SUBSTRING "${deps}" ${length} -1 deps)
  string(STRIP "${deps}" deps)
  project_files("files_of_${object}" "${folder}" "${deps}")
  list(GET "files_of_${object}" 0 source)
  set("object_${isa}_${source}" "${object}")
endmacro()

# defined_SYMBOL: the object; needed_OBJECT: symbols
macro(read_symbols)
  execute_process(COMMAND "${NM}" -P -g -A ${objects} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+: le_[A-Za-z0-9_]+ [A-Za-z]" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    string(REGEX MATCH "^(.+): ([^ ]+) (.)$" symbol "${symbol}")
    if(CMAKE_MATCH_3 STREQUAL "U")
      list(APPEND "needed_${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
    else()
      set("defined_${CMAKE_MATCH_2}" "${CMAKE_MATCH_1}")
    endif()
  endforeach()
endmacro()

# The files of objects and of all that these refer to.
function(files_behind out)
  set(todo "${ARGN}")
  set(done "")
  set(files "")
  while(todo)
    list(POP_FRONT todo object)
    if(object IN_LIST done)
      continue()
    endif()
    list(APPEND done "${object}")
    list(APPEND files ${files_of_${object}})
    foreach(symbol IN LISTS "needed_${object}")
      if(DEFINED "defined_${symbol}")
        list(APPEND todo "${defined_${symbol}}")
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# record(OUT WHAT FLAGS FILES...): a hash of names and contents; WHAT is for readers
function(record out what flags)
  set(text "${flags}")
  foreach(file IN LISTS ARGN)
    get_property(hash GLOBAL PROPERTY "sha_${file}")
    if(NOT hash)
      file(SHA256 "${SOURCE_DIR}/${file}" hash)
      set_property(GLOBAL PROPERTY "sha_${file}" ${hash})
    endif()
    string(APPEND text "\n${file} ${hash}")
  endforeach()
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 hash)
  string(REPLACE ";" "\n    " lines "${ARGN}")
  set_property(GLOBAL APPEND_STRING PROPERTY sources "${what} ${hash}\n    ${lines}\n")
  set(${out} ${hash} PARENT_SCOPE)
endfunction()

file(STRINGS "${LIST}" lines)
set(objects "")
set(maker_files "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^|]*)\\|([^|]*)\\|?(.*)$" line "${line}")
  if(CMAKE_MATCH_1 STREQUAL "maker")
    set(object "${CMAKE_MATCH_2}")
    read_object(maker "${object}")
    list(APPEND maker_files ${files_of_${object}})
  elseif(CMAKE_MATCH_1 STREQUAL "object")
    set(isa "${CMAKE_MATCH_2}")
    set(object "${CMAKE_MATCH_3}")
    if(object) # a library may be empty
      list(APPEND objects "${object}")
      read_object("${isa}" "${object}")
    endif()
  endif()
endforeach()
list(REMOVE_DUPLICATES maker_files)
list(SORT maker_files)
read_symbols()

record(maker_hash "(engine)" "" ${maker_files})
set(externs "")
set(filters "")
set(operations "")
set(implementations "")
foreach(line IN LISTS lines)
  string(REPLACE "|" ";" words "${line}")
  list(POP_FRONT words kind)
  if(kind STREQUAL "flags")
    string(REPLACE "flags|" "" line "${line}")
    list(POP_FRONT words isa)
    set("flags_${isa}" "${words}")
  elseif(kind STREQUAL "operation")
    list(POP_FRONT words operation source)
    file(REAL_PATH "${source}" source)
    file(RELATIVE_PATH source "${SOURCE_DIR}" "${source}")
    set("operation_${operation}" "${object_c_${source}}")
    files_behind(files "${object_c_${source}}")
    list(APPEND files ${maker_files})
    list(REMOVE_DUPLICATES files)
    list(SORT files)
    record(hash "${operation} (engine)" "" ${files})
    string(APPEND externs "extern const le_operation le_operation_${operation};\n")
    string(APPEND operations "    {&le_operation_${operation}, \"${hash}\"},\n")
  elseif(kind STREQUAL "filter")
    list(POP_FRONT words filter)
    string(APPEND externs "extern const le_filter le_filter_${filter};\n")
    string(APPEND filters "    &le_filter_${filter},\n")
  elseif(kind STREQUAL "implementation")
    list(POP_FRONT words operation name source isa)
    file(REAL_PATH "${source}" source)
    file(RELATIVE_PATH source "${SOURCE_DIR}" "${source}")
    files_behind(files "${object_${isa}_${source}}" "${operation_${operation}}")
    record(hash "${operation} ${name}" "${flags_${isa}}" ${files})
    string(APPEND externs "extern const le_implementation le_implementation_${operation}__${name};\n")
    string(APPEND implementations "    {&le_implementation_${operation}__${name}, \"${hash}\"},\n")
  endif()
endforeach()

get_property(sources GLOBAL PROPERTY sources)
file(WRITE "${SOURCES}" "${sources}")
file(WRITE "${OUT}" "/* Written by the build from the lists in methods/. */
#include \"call/registry.h\"
#include \"files/filters.h\"

${externs}
const le_builtin_operation le_builtin_operations[] = {
${operations}    {NULL, NULL},
};

const le_builtin_implementation le_builtin_implementations[] = {
${implementations}    {NULL, NULL},
};

const le_filter *const le_builtin_filters[] = {
${filters}    NULL,
};

const char le_maker_hash[] = \"${maker_hash}\";
")
