#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The exported symbols are those of the public headers, no more and no fewer; and little is kept for each thread.
# usage: symbols.sh SOURCE_FOLDER SHARED_LIBRARY   (-w SOURCE_FOLDER: writes the symbol map anew)
set -eu
export LC_ALL=C

# names of all LE_API functions: comments away, one declaration a line
public() {
    cat "$1"/engine/include/liquid_engine/*.h | sed 's:/\*.*\*/::' | tr '\n' ' ' |
        sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/::g' | tr ';{}' '[\n*]' |
        sed -n 's/.*LE_API[^(]*[ *]\(le_[a-z0-9_]*\)(.*/\1/p' | sort -u
}

map() {
    echo "LE_0.1 {"
    echo "global:"
    public "$1" | sed 's/.*/    &;/'
    echo "local:"
    echo "    *;"
    echo "};"
}

if [ "$1" = -w ]; then
    map "$2" >"$2/engine/liquid_engine.map"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
map "$1" >"$folder/map"
if ! diff "$1/engine/liquid_engine.map" "$folder/map" >&2; then
    echo "engine/liquid_engine.map differs from the headers; write it with tests/package/symbols.sh -w ." >&2
    exit 1
fi
public "$1" >"$folder/public"
nm -D --defined-only "$2" | sed -n 's/.* T \([^@]*\).*/\1/p' | sort -u >"$folder/exported"
if ! diff "$folder/public" "$folder/exported" >&2; then
    echo "declared (<) and exported (>) functions differ" >&2
    exit 1
fi
# Programs that open the library at run time have about a kilobyte for such variables of all libraries.
kept=$(readelf -lW "$2" | awk '$1 == "TLS" { print $6 }')
if [ "$((kept))" -gt 512 ]; then
    echo "the library keeps $((kept)) bytes for each thread; expected 512 at most (engine/core/thread_local.h)" >&2
    exit 1
fi
echo "$(wc -l <"$folder/public") symbols"
