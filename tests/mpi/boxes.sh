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
# of the usual edge they fit an eighth of the volume
small="--reproducible --memory-limit=1M $views"
env -u LE_BOX_EDGE "$tools/le-run" -v $small images=alone.raw 2>said || complain "an eighth, alone: $(cat said)"
grep -q 'volume_render: 64 boxes' said || complain "an eighth: no 64 boxes: $(cat said)"
ranks 3 env -u LE_BOX_EDGE "$tools/le-run" $small images=together.raw 2>said || complain "an eighth, 3 ranks: $(cat said)"
cmp alone.raw together.raw || complain "an eighth: 3 ranks have other bits"
ranks 3 "$tools/le-run" -v $views images=whole.raw 2>said || complain "3 ranks: $(cat said)"
grep -q boxes said && complain "boxes without a limit: $(cat said)"
ranks 3 "$tools/le-run" --memory-limit=20k $views images=none.raw 2>said && complain "20k were enough"
[ "$(grep -c 'left for boxes' said)" -eq 1 ] || complain "not one error: $(cat said)"
[ ! -e none.raw ] || complain "pictures were written"

# a rank is killed: the same command makes the views that are left, into their places
views="-v --reproducible --memory-limit=4M volume_render volume=$cube:/density angles=0:270:28 size=40 outside=0"
"$tools/le-run" $views images=all.raw 2>said || complain "alone: $(cat said)"
LE_TEST_DIE=1:3 ranks 3 "$tools/le-run" $views images=all.h5:/images >/dev/null 2>&1 && complain "a dead rank was not missed"
[ ! -e all.h5 ] && [ -e all.h5.part ] && [ -e all.h5.journal ] || complain "nothing was left to continue with: $(ls)"
ranks 2 "$tools/le-run" $views images=all.h5:/images 2>said || complain "did not continue: $(cat said)"
left=$(sed -n 's/.* \([0-9]*\) items left$/\1/p' said)
[ "${left:-28}" -lt 28 ] && [ "${left:-0}" -gt 0 ] || complain "all views were made again: $(cat said)"
tail -c "$(wc -c <all.raw)" all.h5 | cmp - all.raw || complain "what was continued has other bits"
[ ! -e all.h5.part ] && [ ! -e all.h5.journal ] || complain "the journal was left"

ln -s "$source/examples" examples
sed -n 's/^    \(mpirun .*--memory-limit.*\)/\1/p' "$source/docs/cluster.md" >printed
[ "$(wc -l <printed)" -eq 1 ] || complain "$(wc -l <printed) commands in docs/cluster.md"
export PATH="$tools:$PATH"
launcher mpirun
sh -e printed 2>said || complain "as printed: $(cat said)"
grep -q 'volume_render: 4 boxes' said || complain "not 4 boxes: $(cat said)"
[ -s boxes.h5 ] || complain "no pictures"
exit $bad
