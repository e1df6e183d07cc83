#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Configures as plainly as can be where a package of the tests is missing: it succeeds, and one line says
# that tests are off and which package they need.
# usage: without_tests.sh SOURCE_FOLDER CMAKE C_COMPILER
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

configure() { # CMAKE_ARGUMENTS...
    rm -rf "$folder/build"
    "$cmake" -S "$source_folder" -B "$folder/build" -DCMAKE_C_COMPILER="$compiler" "$@" >"$folder/log" 2>&1 ||
        { cat "$folder/log"; exit 1; }
    grep -i 'tests are off' "$folder/log" >"$folder/lines" || true
}

expect() { # LINES WORDS...
    [ "$(wc -l <"$folder/lines")" -eq "$1" ] || { cat "$folder/log"; echo "expected $1 line(s)"; exit 1; }
    shift
    for word in "$@"; do
        grep -q "$word" "$folder/lines" || { cat "$folder/lines"; echo "'$word' is not named"; exit 1; }
    done
}

source_folder=$1 cmake=$2 compiler=$3
configure
expect 0
configure -DCMAKE_DISABLE_FIND_PACKAGE_cmocka=ON
expect 1 cmocka
! grep -q dlpack "$folder/lines" || { echo "dlpack is named, which is there"; exit 1; }
configure -DCMAKE_DISABLE_FIND_PACKAGE_cmocka=ON -DCMAKE_DISABLE_FIND_PACKAGE_dlpack=ON
expect 1 cmocka dlpack
[ ! -e "$folder/build/CTestTestfile.cmake" ] || { echo "there are tests all the same"; exit 1; }
