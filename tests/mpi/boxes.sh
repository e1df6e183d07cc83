#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# A volume larger than the memory limit under mpirun: the same bits for any number of ranks, one voice, and the
# command of docs/cluster.md as it is printed. usage: boxes.sh BUILT_TOOLS SOURCE_DIR MPIEXEC
set -u
tools=$(cd "$1" && pwd)
source=$2
mpirun=$3
. "$source/tests/mpi/begin.sh"

cube=$source/examples/data/web_128.h5
views="volume_render volume=$cube:/density angles=0,100 size=40 outside=0"
export LE_BOX_EDGE=50
"$tools/le-run" -v --reproducible --memory-limit=4M $views images=alone.raw 2>said || complain "alone: $(cat said)"
grep -q 'volume_render: 27 boxes' said || complain "no 27 boxes alone: $(cat said)"
for n in 3; do
    ranks $n "$tools/le-run" -v --reproducible --memory-limit=4M $views images=together.raw 2>said || complain "$n ranks: $(cat said)"
    [ "$(grep -c 'volume_render: 27 boxes' said)" -eq 1 ] || complain "not one word of 27 boxes: $(cat said)"
    cmp alone.raw together.raw || complain "$n ranks have other bits"
done
ranks 3 "$tools/le-run" -v $views images=whole.raw 2>said || complain "3 ranks: $(cat said)"
grep -q boxes said && complain "boxes without a limit: $(cat said)"
ranks 3 "$tools/le-run" --memory-limit=20k $views images=none.raw 2>said && complain "20k were enough"
[ "$(grep -c 'left for boxes' said)" -eq 1 ] || complain "not one error: $(cat said)"
[ ! -e none.raw ] || complain "pictures were written"

ln -s "$source/examples" examples
sed -n 's/^    \(mpirun .*--memory-limit.*\)/\1/p' "$source/docs/cluster.md" >printed
[ "$(wc -l <printed)" -eq 1 ] || complain "$(wc -l <printed) commands in docs/cluster.md"
PATH=$tools:$(dirname "$mpirun"):$PATH sh -e printed 2>said || complain "as printed: $(cat said)"
grep -q 'volume_render: 4 boxes' said || complain "not 4 boxes: $(cat said)"
[ -s boxes.h5 ] || complain "no pictures"
exit $bad
