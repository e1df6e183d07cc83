#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The lines for CMake of the pages for authors, as printed, put the printed sources into the tables.
# usage: pages.sh SOURCE_FOLDER CMAKE C_COMPILER
set -eu
source_folder=$1 cmake=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/p"
cp -r "$source_folder/engine" "$source_folder/methods" "$folder/p"
find "$folder/p/methods" -name CMakeLists.txt -exec rm {} +
sh "$source_folder/tests/package/page_code.sh" "$folder/p" "$source_folder"/docs/adding-*.md
cat >"$folder/p/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.22)
project(pages LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH $source_folder/cmake)
set(LE_WERROR ON)
include(LeCompile)
include(LeMethods)
add_library(le_engine OBJECT engine/chain/staged.c)
target_include_directories(le_engine PRIVATE engine engine/include)
target_compile_definitions(le_engine PRIVATE _GNU_SOURCE)
le_keep_dependencies(le_engine)
add_subdirectory(methods)
le_add_method_table()
PROJECT
cat >"$folder/p/methods/CMakeLists.txt" <<'METHODS'
add_subdirectory(simple)
add_subdirectory(volume)
METHODS
"$cmake" -S "$folder/p" -B "$folder/b" -DCMAKE_C_COMPILER="$compiler" >"$folder/log" 2>&1 &&
    "$cmake" --build "$folder/b" --target le_method_table >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for name in operation_exceeds implementation_exceeds__reference implementation_exceeds__c \
    implementation_composite__blocked; do
    grep -q "{&le_$name, \"[0-9a-f]\{16\}\"}" "$folder/b/le_method_table.c" || { echo "le_$name is not listed"; exit 1; }
done
