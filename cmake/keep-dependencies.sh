#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# A compiler launcher: compiles, then keeps the compiler's list of the files that it read beside the object,
# as OBJECT.deps, with the folder that relative names start from in the first line. Ninja deletes the
# compiler's own list once it has read it.
# usage: keep-dependencies.sh COMPILER ARGUMENTS...
"$@" || exit
list= object=
while [ $# -gt 1 ]; do
    case $1 in
    -MF) list=$2 ;;
    -o) object=$2 ;;
    esac
    shift
done
[ -n "$list" ] && [ -n "$object" ] || exit 0
{ pwd && cat "$list"; } >"$object.deps"
