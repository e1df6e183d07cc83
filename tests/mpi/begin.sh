# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# A test of command lines over ranks begins: in a folder of its own, which goes away with it.
# complain TEXT: says what is wrong; $bad tells at the end. launcher NAME WORDS...: from now on NAME starts $mpirun WORDS,
# whichever MPI the machine's own mpirun is of. Read by scripts that set $source and $mpirun.
# shellcheck shell=sh disable=SC2034,SC2154
. "$source/tests/mpi/ranks.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LE_DB=:memory: LE_DEVICE=cpu
bad=0
launcher() {
    mkdir -p bin
    name=$1
    shift
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$mpirun" "$*" >"bin/$name"
    chmod +x "bin/$name"
    case $PATH in "$PWD/bin:"*) ;; *) export PATH="$PWD/bin:$PATH" ;; esac
}
complain() {
    printf '%s\n' "$1" >&2
    bad=1
}
