# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# stop_scan FOLDER COMMAND...: Ctrl-C, once the first curves are in a file of that folder. Returns the command's status;
# what it said is in err.
# shellcheck shell=sh
stop_scan() {
    watched=$1
    shift
    env --default-signal=INT "$@" 2>err & # a shell's own background jobs ignore it
    pid=$!
    # the first curves go into a file without a name; before they are there, an interrupt has nothing to keep
    # (ThreadSanitizer begins with such a file of its own)
    until [ "$(find "/proc/$pid/fd" -lname "$watched/*(deleted)" ! -lname '*/tsan.*' \
        -exec stat -L -c %b {} + 2>/dev/null | head -n 1)" -gt 0 ] 2>/dev/null; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.02
    done
    kill -INT "$pid"
    wait "$pid"
}
