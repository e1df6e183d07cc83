#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# Ranks that die under a launcher with ULFM: the others go on, to the same bits. Skipped where MPI has none.
# usage: lost.sh BUILT_TOOLS MPI_LIBRARY SOURCE_DIR MPIEXEC SCAN_FILES
set -u
tools=$(cd "$1" && pwd)
source=$3
mpirun=$4
scan_files=$5
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! grep -q MPIX_Comm_shrink "$2" || ! timeout 60 "$mpirun" --with-ft ulfm -n 1 true >/dev/null 2>&1; then
    echo "skipped: the MPI of $mpirun has no ULFM (Open MPI 5 has: mpirun --with-ft ulfm)"
    exit 77
fi
. "$source/tests/mpi/begin.sh"
patience=60
lose() { # RANK:ITEMS ARGUMENT ...: of four ranks
    dies=$1
    shift
    LE_TEST_DIE=$dies ranks 4 --oversubscribe --with-ft ulfm "$tools/le-run" -v "$@" 2>said || complain "$dies: $(cat said)"
    [ "$(grep -c '1 of 4 ranks lost; the others went on' said)" -eq 1 ] || complain "$dies: not one word of it: $(cat said)"
}

views="--reproducible volume_render volume=$source/examples/data/web_128.h5:/density angles=0:354:60 size=24 outside=0"
"$tools/le-run" $views images=alone.raw || complain "le-run by itself failed"
lose 2:3 $views images=views.h5:/images
left=$(sed -n 's/.* \([0-9]*\) items left$/\1/p' said)
[ "${left:-60}" -lt 60 ] || complain "all was done again: $(cat said)"
tail -c "$(wc -c <alone.raw)" views.h5 | cmp - alone.raw || complain "the survivors have other bits"
lose 1:3 $views images=views.raw
cmp views.raw alone.raw || complain "the survivors have other bits where rank 0 has the results"
# in boxes
export LE_BOX_EDGE=50
views="--reproducible --memory-limit=4M volume_render volume=$source/examples/data/web_128.h5:/density angles=0:270:28 size=40 outside=0"
"$tools/le-run" $views images=alone.raw || complain "le-run by itself failed"
lose 3:9 $views images=boxes.raw
cmp boxes.raw alone.raw || complain "the survivors have other bits in boxes"
# while their parts are joined, which has others wait for what they have sent
for dies in 2:1 2:7; do
    rm boxes.raw
    LE_TEST_DIE_JOINING=$dies lose none $views images=boxes.raw
    cmp boxes.raw alone.raw || complain "the survivors have other bits after a loss at piece $dies"
done
# pictures that lack its parts are not taken for done
for dies in 2:20 1:33 3:41; do
    LE_TEST_DIE_JOINING=$dies lose none $views images=boxes.h5:/images
    tail -c "$(wc -c <alone.raw)" boxes.h5 | cmp - alone.raw || complain "the survivors have other bits in a file after a loss at piece $dies"
    rm boxes.h5
done
# in a scan of stored frames
data=/entry/data/data
"$scan_files" || complain "no frames"
curves="--reproducible integrate_stored frames=long.h5:$data distance=0.1 poni1=0.002 poni2=0.0025 pixel1=1e-4 pixel2=1e-4
    wavelength=1e-10 npt=20 error_model=poisson"
"$tools/le-run" $curves intensity=alone.raw || complain "le-run by itself failed"
lose 2:9 $curves intensity=curves.raw
cmp curves.raw alone.raw || complain "the survivors have other bits of a scan"
left=$(sed -n 's/.* \([0-9]*\) items left$/\1/p' said)
[ "${left:-200}" -lt 100 ] || complain "the frames of all were done again: $(cat said)"
# outside of calls nobody waits for ever, and that is no success
for dies in 2:0 0:0; do
    LE_TEST_DIE=$dies ranks 4 --oversubscribe --with-ft ulfm "$tools/le-run" $views images=never.raw >said 2>&1 && complain "success without a result"
    [ "$(grep -c 'a rank was lost outside of a call' said)" -eq 1 ] || complain "$dies: not one word of it: $(cat said)"
done
# not without rank 0, which writes: another says so, once, and the same command goes on
orphan() { # ARGUMENT ...
    LE_TEST_DIE=0:3 ranks 4 --oversubscribe --with-ft ulfm "$tools/le-run" "$@" >said 2>&1 && complain "went on without rank 0"
    [ "$(grep -c 'rank 0, which writes the results, was lost.*the same command does what is left' said)" -eq 1 ] || complain "not one word of rank 0: $(cat said)"
}
orphan $views images=none.h5:/i
[ ! -e none.h5 ] && [ -e none.h5.journal ] || complain "nothing was left to continue with: $(ls)"
rm curves.raw
orphan $curves intensity=curves.raw
[ ! -e curves.raw ] || complain "curves without rank 0"
ranks 3 --oversubscribe "$tools/le-run" -v $curves intensity=curves.raw 2>said || complain "a scan without its rank 0 did not go on: $(cat said)"
cmp curves.raw alone.raw || complain "a scan that has lost rank 0 and goes on has other bits"
left=$(sed -n 's/.* \([0-9]*\) items left$/\1/p' said)
[ "${left:-200}" -lt 200 ] || complain "all frames were done again: $(cat said)"
# while it is measured ahead of need: the others measure on, unless it is rank 0
bench() { # RANK:PROBLEMS
    LE_TEST_DIE=$1 ranks 4 --oversubscribe --with-ft ulfm "$tools/le-bench" --db=lost.db threshold select_labels --sizes=64,100 >said 2>&1
}
bench 2:1 || complain "le-bench ends with rank 2: $(cat said)"
[ "$(grep -c '1 of 4 ranks lost; the others went on' said)" -eq 1 ] || complain "le-bench: not one word of rank 2: $(cat said)"
grep -qE '^(4 measured, 0|3 measured, 1) known already, 0 without a sample, 0 failed' said || complain "not all was measured: $(cat said)"
rm -f lost.db*
bench 0:1 && complain "le-bench went on without rank 0"
[ "$(grep -c 'rank 0, which writes the results, was lost' said)" -eq 1 ] || complain "le-bench: not one word of rank 0: $(cat said)"
exit $bad
