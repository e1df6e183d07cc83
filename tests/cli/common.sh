# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Shared by the tests of the tools: a folder of its own, and checks that say what was expected.
# shellcheck shell=sh
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
LE_DB=:memory:
export LE_DB
unset LE_LOG LE_MODE LE_DEVICE LE_RUN_TYPE LE_IMPLEMENTATION
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it, keeps what it said in out and err
expect() {
    wanted=$1
    shift
    "$@" >out 2>err
    got=$?
    [ "$got" -eq "$wanted" ] || { fail "$* ended with $got, expected $wanted"; cat err; }
}

# out_has TEXT, err_has TEXT: the last command's output holds this text
out_has() {
    grep -qF -- "$1" out || { fail "no '$1' on stdout:"; cat out; }
}
err_has() {
    grep -qF -- "$1" err || { fail "no '$1' on stderr:"; cat err; }
}
silent() {
    [ ! -s err ] || { fail "stderr is not empty:"; cat err; }
}

finish() {
    [ "$failures" -eq 0 ] && echo "all passed"
    exit "$((failures > 0))"
}
