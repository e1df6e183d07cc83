#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Installs into an empty folder, moves it, and builds a consumer against it: with find_package (shared
# and static) and with pkg-config; so are the installed examples.
# usage: package.sh SOURCE_FOLDER BUILD_FOLDER C_COMPILER [C_FLAGS]
set -eu
source_folder=$1 build_folder=$2 compiler=$3 flags=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LE_DB=:memory:
expected="2 3 4 6 "

check() {
    got=$("$@")
    [ "$got" = "$expected" ] || { echo "$1 printed '$got', expected '$expected'"; exit 1; }
    echo "$1: good"
}

cmake --install "$build_folder" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
prefix=$folder/moved

cmake -G Ninja -S "$source_folder/tests/package" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" >"$folder/log" || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" >"$folder/log" || { cat "$folder/log"; exit 1; }
check "$folder/build/with_shared"
check "$folder/build/with_static"

pc=$(dirname "$(find "$prefix" -name liquid_engine.pc)")
export PKG_CONFIG_PATH="$pc"
# shellcheck disable=SC2046,SC2086 # these are lists of words
"$compiler" $flags "$source_folder/tests/package/consumer.c" -o "$folder/with_pc" \
    $(pkg-config --cflags --libs liquid_engine)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir liquid_engine)
export LD_LIBRARY_PATH
check "$folder/with_pc"

docs=share/doc/liquid_engine
for file in bin/le-run share/man/man1/le-run.1 share/bash-completion/completions/le-run \
    share/liquid_engine/web_128.h5 $docs/README.md $docs/docs/environment.md $docs/docs/images/web.png; do
    [ -e "$prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
for source in "$source_folder"/examples/*.c; do
    grep -q 'liquid_engine/le_mpi' "$source" && continue # needs a build with MPI
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046,SC2086
    "$compiler" $flags "$prefix/$docs/examples/$name.c" -o "$folder/$name" \
        $(pkg-config --cflags --libs liquid_engine) -lm
done
"$folder/01_hello_run" >/dev/null
"$prefix/bin/le-run" --version
