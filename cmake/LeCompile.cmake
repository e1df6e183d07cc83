# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# le_compile_options(target): language, warnings and sanitizers, the same for every target.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# x87 registers are wider than the numbers in memory: what compilers keep there changes results, and constants do not fit
# vectors. SSE2 is what the oldest machines with 32 bits that are of use have.
set(LE_ARITHMETIC)
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "86|AMD64|amd64")
  set(LE_ARITHMETIC -msse2 -mfpmath=sse -Wno-psabi)
endif()

# Python loads a library that clang has sanitized if the runtime is a library, too.
set(LE_SANITIZER_RUNTIME)
if(LE_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(folder ${runtime} DIRECTORY)
  set(LE_SANITIZER_RUNTIME -shared-libasan LINKER:-rpath,${folder})
endif()

function(le_compile_options tgt)
  # _GNU_SOURCE: sched_getaffinity, memfd_create, secure_getenv; the other: files beyond 2 GiB on 32 bits
  target_compile_definitions(${tgt} PRIVATE _GNU_SOURCE $<$<EQUAL:${CMAKE_SIZEOF_VOID_P},4>:_FILE_OFFSET_BITS=64>
    $<$<BOOL:${LE_WITH_OPENCL}>:LE_WITH_OPENCL=1>)
  target_compile_options(${tgt} PRIVATE
    -Wall -Wextra -Wshadow -Wconversion -pedantic -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
    -ffp-contract=off -fno-semantic-interposition -fno-math-errno -fno-trapping-math ${LE_ARITHMETIC}
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
    $<$<BOOL:${LE_WERROR}>:-Werror>)
  if(LE_SANITIZE)
    target_compile_options(${tgt} PRIVATE -fsanitize=${LE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${tgt} PUBLIC -fsanitize=${LE_SANITIZE} ${LE_SANITIZER_RUNTIME})
  endif()
  if(LE_FUZZ_ENGINE STREQUAL "libfuzzer") # what the fuzzer cannot see in the library it does not look for
    target_compile_options(${tgt} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
