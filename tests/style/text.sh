#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# Text rules: licence lines, no tabs, no trailing space, a final newline, lines of at most 110 columns in
# C files, functions and files of bearable length, helpers of kernels that every driver links.
# usage: text.sh SOURCE_DIR
set -u
cd "${1:?usage: text.sh SOURCE_DIR}" || exit 2
bad=0
complain() {
    printf '%s\n' "$*" >&2
    bad=1
}
files=$(find engine methods cl benchdb tools tests examples cmake mpi -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.clh' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \))
for f in $files; do
    head -4 "$f" | grep -q 'SPDX-License-Identifier: MIT' || complain "$f: no SPDX licence line"
    grep -nP '\t| +$' "$f" /dev/null | head -1 | grep . >&2 && complain "$f: tab or trailing space"
    [ -z "$(tail -c 1 "$f")" ] || complain "$f: no newline at the end"
done
for f in $(printf '%s\n' $files | grep -E '\.(c|h|cl|clh)$'); do
    long=$(awk 'length > 110 { print FILENAME ":" FNR; exit }' "$f")
    [ -z "$long" ] || complain "$long: more than 110 columns"
    lines=$(wc -l < "$f")
    [ "$lines" -le 800 ] || complain "$f: $lines lines, more than 800"
    awk -v f="$f" '/^[a-z].*\)( \{)?$/ || /^\{$/ { if (/\{$/ ) start = FNR }
                   /^}/ { if (start && FNR - start > 80) { print f ":" start ": a function of " FNR - start " lines"; bad = 1 } start = 0 }
                   END { exit bad }' "$f" >&2 || bad=1
done
# Where a compiler does not inline a function that is plain inline, nobody defines it.
found=$(grep -rnwE 'inline|__inline|__inline__' cl | grep -vE 'static (inline|__inline|__inline__) ')
[ -z "$found" ] || complain "helpers of kernels are static inline: $found"
[ $bad -eq 0 ] && echo "text rules hold in $(printf '%s\n' $files | wc -l) files"
exit $bad
