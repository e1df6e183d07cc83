#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# Who may include whom, and that the engine names no operation. usage: layers.sh SOURCE_DIR
set -u
cd "${1:?usage: layers.sh SOURCE_DIR}" || exit 2
bad=0

# includes FOLDER: file:header of every quoted include below it
includes() {
    grep -rnE '^#include "' --include='*.c' --include='*.h' "$1" |
        sed -E 's/^([^:]*):[0-9]+:#include "([^"]*)".*/\1 \2/'
}

complain() {
    printf '%s\n' "$1" >&2
    bad=1
}

# allowed FOLDER PATTERN RULE: headers included below FOLDER must exist there or match PATTERN
allowed() {
    while read -r file header; do
        [ -n "$file" ] || continue
        printf '%s\n' "$header" | grep -qE "$2" && continue
        [ -f "$(dirname "$file")/$header" ] && continue
        [ -f "$1/$header" ] && continue
        complain "$file includes \"$header\": $3"
    done <<LIST
$(includes "$1")
LIST
}

allowed benchdb '^$' 'benchdb knows only itself'
allowed methods '^liquid_engine/le(_method|_chain|_io)?\.h$' 'methods know le_method.h, le_chain.h and le_io.h only'
allowed engine '^(liquid_engine/.*|benchdb\.h|stats\.h|signals\.h|forks\.h|numbers\.h|outfile\.h|paths\.h|escape\.h|utf8\.h)$' 'the engine knows itself and benchdb'
allowed engine/report '^(liquid_engine/.*|benchdb\.h|numbers\.h|escape\.h|run/database\.h|core/struct\.h)$' 'reports know public headers, benchdb and the engine'"'"'s database'
allowed tools '^(liquid_engine/.*|benchdb\.h|stats\.h|numbers\.h|outfile\.h|escape\.h|engine/report/.*)$' 'tools know public headers, reports and benchdb'
allowed mpi '^(liquid_engine/.*|run_world\.h|tool\.h)$' 'mpi knows public headers, and le-run what it needs of it'
allowed examples '^liquid_engine/.*$' 'examples know public headers only'

found=$(grep -rnE '#include <mpi\.h>' --include='*.[ch]' . | grep -vE '^\./(mpi|tests/mpi|build)/')
[ -z "$found" ] || complain "only mpi/ knows MPI: $found"

# What Linux or glibc alone have is behind core/os.h.
found=$(grep -rnE '#include <(malloc|elf|link|sys/prctl|sys/syscall|linux/.*)(\.h)?>|"/proc/|close_range|mallinfo' \
    --include='*.[ch]' engine | grep -v '^engine/core/')
[ -z "$found" ] || complain "only engine/core knows the system: $found"

# An engine file that names an operation is a defect.
names=$(sed -nE 's/^ *le_add_operation\(([a-z_0-9]+) .*/\1/p' methods/*/CMakeLists.txt)
[ -n "$names" ] || complain 'no methods/*/CMakeLists.txt lists an operation'
for name in $names; do
    found=$(grep -rnE "\"$name\"" --include='*.c' engine benchdb)
    [ -z "$found" ] || complain "an operation's name in the engine: $found"
done
found=$(grep -rnlE 'sqlite3|le_db_' methods)
[ -z "$found" ] || complain "a method that knows the database: $found"

[ $bad -eq 0 ] && echo "layers hold: $(echo "$names" | wc -w) operations, $(includes engine | wc -l) includes in the engine"
exit $bad
