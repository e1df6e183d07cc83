#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Counted outputs from the outside: usage: counted.sh FOLDER, of le-run and le-bench with toy operations
# (counted_tools.c).
PATH=$(cd "$1" && pwd):$PATH
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"

# holds FILE NUMBERS
holds() {
    [ "$(od -An -tf4 -w32 "$1" | tr -s ' ')" = "$2" ] || fail "wrong numbers in $1"
}

# above 4.5 are pixels 1, 3, 4 and 6 of [[1, 9, 3, 7], [5, 2, 8, 4]]
printf '\000\000\200\077\000\000\020\101\000\000\100\100\000\000\340\100' >image.raw
printf '\000\000\240\100\000\000\000\100\000\000\000\101\000\000\200\100' >>image.raw
image=image=image.raw:f32:2,4
for more in '' room=1 --repeat=3 --implementation=slabs --implementation=reference; do
    # shellcheck disable=SC2086
    expect 0 counted-run above "$image" level=4.5 $more
    out_has "rows: f32[4,2]"
    out_has "1, 9, 3, 7, 4, 5, 6, 8"
    # shellcheck disable=SC2086
    expect 0 counted-run above "$image" level=4.5 rows=rows.raw $more
    holds rows.raw " 1 9 3 7 4 5 6 8"
done
expect 0 counted-run above "$image" level=9
silent
out_has "rows: f32[0,2]"
expect 0 counted-run above "$image" level=9 rows=rows.h5:/none
expect 0 counted-run doubled rows=rows.h5:/none
out_has "result: f32[0,2]"
expect 0 counted-run above "$image" level=4.5 rows=rows.h5:/some
expect 0 counted-run doubled rows=rows.h5:/some
out_has "1, 18, 3, 14, 4, 10, 6, 16"

# tables with the operation's names of columns
expect 0 counted-run above "$image" level=4.5 rows=rows.csv
printf 'pixel,value\n1,9\n3,7\n4,5\n6,8\n' | cmp - rows.csv || fail "wrong rows.csv"
expect 0 counted-run doubled rows=rows.csv
out_has "1, 18, 3, 14, 4, 10, 6, 16"
expect 0 counted-run above "$image" level=9 rows=rows.csv
[ "$(cat rows.csv)" = pixel,value ] || fail "a table without rows has its names"
expect 0 counted-run --explain above "$image" level=4.5 room=3
out_has "rows=f32[3,2]"

cat >chain.json <<'EOF'
{"name": "catalogue", "inputs": ["image"],
 "steps": [{"operation": "above", "args": {"image": "image", "level": 4.5, "rows": "r"}},
           {"operation": "doubled", "args": {"rows": "r", "result": "twice"}}],
 "outputs": ["r", "twice"]}
EOF
expect 0 counted-run chain.json "$image" r=r.raw twice=twice.raw
silent
holds r.raw " 1 9 3 7 4 5 6 8"
holds twice.raw " 1 18 3 14 4 10 6 16"

# --- le-bench: every implementation against the reference, and times ---
for operation in above doubled summed peaks; do
    expect 0 counted-bench --verify $operation --devices=cpu
    out_has $operation
done
expect 0 counted-bench above --devices=cpu --limit=5
out_has above
finish
