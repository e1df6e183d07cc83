#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Source hashes follow the files: a small project of families is configured, built, changed and built again,
# with Ninja and with make. After each change the hashes of those implementations alone differ that use the
# changed file.
# usage: hashes.sh SOURCE_FOLDER CMAKE C_COMPILER
set -eu
source_folder=$1 cmake=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

make_project() {
    rm -rf "$folder/p"
    mkdir -p "$folder/p/methods" "$folder/p/cl/fam"
    cp -r "$source_folder/engine" "$folder/p/engine"
    cd "$folder/p"
    cat >CMakeLists.txt <<PROJECT
cmake_minimum_required(VERSION 3.22)
project(hashes LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH $source_folder/cmake)
include(LeCompile)
include(LeMethods)
add_library(le_engine OBJECT engine/chain/maker.c)
le_keep_dependencies(le_engine)
add_subdirectory(methods)
le_add_method_table()
PROJECT
    cat >methods/CMakeLists.txt <<'METHODS'
le_add_method_sources(shared.c unused.c)
le_add_operation(op op.c)
le_add_implementation(op one one.c)
le_add_implementations(op rows.c ISA c)
le_add_kernel(fam/kernel)
le_add_implementation(op opencl opencl.c)
METHODS
    echo 'extern const char maker[]; const char maker[] = "1";' >engine/chain/maker.c
    echo 'extern const int le_operation_op; const int le_operation_op = 1;' >methods/op.c
    echo '#include "one.h"' >methods/one.c
    echo 'extern const int le__shared, *const le_implementation_op__one;
const int *const le_implementation_op__one = &le__shared;' >methods/one.h
    echo 'extern const int le_implementation_op__c; const int le_implementation_op__c = 1;' >methods/rows.c
    echo '#include "deep.h"' >methods/shared.c
    echo 'extern const int le__shared; const int le__shared = 1;' >methods/deep.h
    echo 'extern const int le__unused; const int le__unused = 1;' >methods/unused.c
    echo '#include "liquid_engine/le_method.h"
extern const le_cl_source le_cl_fam_kernel, *const le_implementation_op__opencl;
const le_cl_source *const le_implementation_op__opencl = &le_cl_fam_kernel;' >methods/opencl.c
    echo '#include "fam/part.clh"' >cl/fam/kernel.cl
    echo '/* part */' >cl/fam/part.clh
}

hashes() { # NAME HASH lines; those that the engine makes are "made"
    "$cmake" --build "$folder/b" --target le_method_table >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    sed -n -e 's/.*le_implementation_op__\([a-z]*\), "\([0-9a-f]\{16\}\)".*/\1 \2/p' \
        -e 's/.*le_operation_op, "\([0-9a-f]\{16\}\)".*/made \1/p' "$folder/b/le_method_table.c" | sort
}

changes() { # FILE TEXT NAMES...: appending the text changes the hashes of these, and of no other
    file=$1 text=$2
    shift 2
    hashes >"$folder/before"
    printf '%s\n' "$text" >>"$file"
    hashes >"$folder/after"
    got=$(diff "$folder/before" "$folder/after" | sed -n 's/^> \([a-z]*\) .*/\1/p' | tr '\n' ' ')
    [ "$got" = "${*:+$* }" ] || { echo "$generator: $file changed: $got; expected: $*"; exit 1; }
}

for generator in Ninja 'Unix Makefiles'; do
    make_project
    rm -rf "$folder/b"
    "$cmake" -G "$generator" -S "$folder/p" -B "$folder/b" -DCMAKE_C_COMPILER="$compiler" >"$folder/log" 2>&1 ||
        { cat "$folder/log"; exit 1; }
    [ "$(hashes | wc -l)" -eq 4 ] || { hashes; echo "$generator: expected four hashes"; exit 1; }
    changes methods/rows.c '/* changed */' c
    changes methods/one.h '/* changed */' one
    changes methods/deep.h '/* changed */' one
    changes methods/unused.c '/* changed */'
    changes cl/fam/part.clh '/* changed */' opencl
    changes methods/op.c '/* changed */' c made one opencl
    changes engine/chain/maker.c '/* changed */' made
    echo '/* new */' >methods/new.h
    changes methods/deep.h '#include "new.h"' one
    changes methods/new.h '/* changed */' one
    echo '/* new */' >cl/fam/new.clh
    changes cl/fam/part.clh '#include "fam/new.clh"' opencl
    changes cl/fam/new.clh '/* changed */' opencl
    echo "$generator: good"
done
