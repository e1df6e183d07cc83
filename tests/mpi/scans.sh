#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# Scans of stored frames and movies under mpirun: the same bits as of one process, bad frames named whoever has
# them, and nobody waits for a rank that has given up. usage: scans.sh BUILT_TOOLS SCAN_FILES SOURCE_DIR MPIEXEC
set -u
tools=$1
scan_files=$2
source=$3
mpirun=$4
. "$source/tests/mpi/begin.sh"
. "$source/tests/cli/stop.sh"
same() { # FILE FILE
    cmp "$1" "$2" || complain "$1 differs from $2"
}
patience=60
together() { # N ARGUMENT ...
    number=$1
    shift
    ranks "$number" "$tools/le-run" "$@" >out 2>said
}

"$scan_files" || complain "no files"
data=/entry/data/data

# curves of 200 compressed frames
curves="--reproducible integrate_stored frames=long.h5:$data distance=0.1 poni1=0.002 poni2=0.0025 pixel1=1e-4
    pixel2=1e-4 wavelength=1e-10 npt=20 error_model=poisson"
"$tools/le-run" $curves intensity=i.raw sem=s.raw radial=r.raw || complain "le-run by itself failed"
for n in 3 7; do
    together $n -v $curves intensity=intensity.raw sem=sem.raw radial=radial.raw || complain "$n ranks failed: $(cat said)"
    same intensity.raw i.raw
    same sem.raw s.raw
    same radial.raw r.raw
    [ "$(grep -c "200 frames in .* on $n ranks" said)" -eq 1 ] || complain "not one voice: $(cat said)"
done
frames="--reproducible azimuthal_integrate frames=long.h5:$data ${curves#*long.h5:$data}"
"$tools/le-run" $frames intensity=alone.raw || complain "azimuthal_integrate: le-run by itself failed"
together 3 $frames intensity=intensity.raw || complain "azimuthal_integrate: 3 ranks failed: $(cat said)"
same intensity.raw alone.raw
# files of several datasets, chunks of several frames and of parts of frames, slices
for scan in master.h5:/entry/data "three.h5:$data" "parts.h5:$data" "scan.h5:$data[2:7]" "scan.h5:$data[5]"; do
    "$tools/le-run" bitshuffle_lz4 "frames=$scan" result=alone.raw || complain "$scan: le-run by itself failed"
    together 3 bitshuffle_lz4 "frames=$scan" result=result.raw || complain "$scan: 3 ranks failed: $(cat said)"
    same result.raw alone.raw
done
together 3 bitshuffle_lz4 frames=three.h5:$data result=result.raw || complain "3 ranks failed: $(cat said)"
same result.raw frames.raw

# a bad frame of another rank ends all of them, or is left out and named
together 5 bitshuffle_lz4 frames=bad.h5:$data result=none.h5:/data && complain "a bad frame was taken"
grep -q "frame 2 (of 8; bad.h5:$data) cannot be decoded: .*(rank 1 of 5)" said || complain "it is not named: $(cat said)"
[ ! -e none.h5 ] || complain "a refusal left an output"
"$tools/le-run" bitshuffle_lz4 frames=bad.h5:$data bad_frames=skip result=alone.raw 2>alone_said
for n in 2 5; do
    together $n bitshuffle_lz4 frames=bad.h5:$data bad_frames=skip result=result.raw || complain "$n ranks failed: $(cat said)"
    same result.raw alone.raw
    same said alone_said
done
together 3 bitshuffle_lz4 frames=missing.h5:$data result=none.h5:/data && complain "a missing file was found"
[ "$(grep -c 'missing.h5' said)" -eq 1 ] || complain "not one error: $(cat said)"
together 3 bitshuffle_lz4 frames=scan.h5:$data result=/proc/nobody/none.h5:/data && complain "written to nowhere"

# what one process has left, ranks take up, with a bad frame of those
"$scan_files" later.h5 2000 2 || complain "no files"
curves="--implementation=reference integrate_stored frames=later.h5:/data distance=0.1 poni1=0.002 poni2=0.0025 wavelength=1e-10
    pixel1=1e-4 pixel2=1e-4 npt=20 error_model=poisson bad_frames=skip"
"$tools/le-run" $curves intensity=whole.raw 2>/dev/null || complain "le-run by itself failed"
stop_scan "$PWD" "$tools/le-run" --memory-limit=1M $curves intensity=curves.raw
grep -q 'goes on from there' err || complain "nothing was left: $(cat err)"
together 3 $curves intensity=curves.raw || complain "did not continue: $(cat said)"
grep -q ' frames are there already' said || complain "began anew: $(cat said)"
grep -q '1 bad frame left out: 2 (' said || complain "forgot the bad frame: $(cat said)"
same curves.raw whole.raw
[ -z "$(ls | grep -F curves.raw.)" ] || complain "the state is still there: $(ls)"

# a rank is killed: the same command does what is left, over other ranks or alone, and again after another one
curves="--reproducible integrate_stored frames=long.h5:$data distance=0.1 poni1=0.002 poni2=0.0025 pixel1=1e-4 pixel2=1e-4
    wavelength=1e-10 npt=20 error_model=poisson intensity=intensity.raw sem=sem.raw radial=radial.raw"
left() {
    sed -n 's/.* \([0-9]*\) items left$/\1/p' said
}
check() {
    same intensity.raw i.raw
    same sem.raw s.raw
    same radial.raw r.raw
    [ -z "$(ls | grep journal)" ] || complain "the journal was left"
    rm intensity.raw sem.raw radial.raw
}
rm intensity.raw sem.raw radial.raw
LE_TEST_DIE=1:17 together 4 $curves && complain "a dead rank was not missed"
[ ! -e intensity.raw ] && [ -e radial.raw.journal.1 ] || complain "nothing was left to continue with: $(ls)"
LE_TEST_DIE=0:9 together 2 -v $curves && complain "a dead rank was not missed"
first=$(left)
together 3 -v $curves || complain "did not continue: $(cat said)"
[ "${first:-200}" -lt 180 ] && [ "$(left)" -lt "$first" ] || complain "done again: $first, $(left) items"
check
# a torn end is done again, by one process; another command begins anew
LE_TEST_DIE=0:50 together 2 $curves
printf torn >>radial.raw.journal.0
truncate -s -30 radial.raw.journal.1
"$tools/le-run" -v $curves 2>said || complain "did not continue alone: $(cat said)"
[ "$(left)" -lt 180 ] || complain "done again alone: $(left) items"
check
LE_TEST_DIE=0:9 together 2 $curves
together 2 -v $curves radial_range=0,20 || complain "another command failed: $(cat said)"
grep -q ' items left' said && complain "another command took what was left of the first: $(cat said)"
[ -z "$(ls | grep journal)" ] || complain "the journal of another command was left"

# files that are the user's, or of a scan into another dataset, stay
curves="--reproducible integrate_stored frames=long.h5:$data distance=0.1 poni1=0.002 poni2=0.0025 pixel1=1e-4 pixel2=1e-4
    wavelength=1e-10 npt=20 error_model=poisson"
echo precious >two.h5.journal.7
LE_TEST_DIE=1:17 together 4 $curves intensity=two.h5:/a && complain "a dead rank was not missed"
"$tools/le-run" $curves intensity=two.h5:/b || complain "le-run by itself failed"
together 3 $curves intensity=two.h5:/c || complain "3 ranks failed: $(cat said)"
together 3 -v $curves intensity=two.h5:/a || complain "did not continue: $(cat said)"
[ "$(left)" -lt 200 ] || complain "began anew: $(cat said)"
[ "$(cat two.h5.journal.7)" = precious ] || complain "the user's file is gone"
[ "$(ls | grep -cF two.h5.)" -eq 1 ] || complain "the journal was left: $(ls)"

# rank 0 alone explains
together 3 --explain bitshuffle_lz4 frames=scan.h5:$data result=result.raw || complain "no explanation: $(cat said)"
grep -q bitshuffle_lz4 out || complain "nothing is explained: $(cat out)"

# a movie through esrrf: every frame, and time points of several frames
"$tools/le-run" bitshuffle_lz4 "frames=long.h5:$data[0:30]" result=movie.h5:/movie || complain "no movie"
for how in temporal=none "temporal=avg frames_per_timepoint=4"; do
    movie="--reproducible esrrf image=movie.h5:/movie magnification=2 $how"
    "$tools/le-run" $movie result=alone.raw || complain "$how: le-run by itself failed"
    together 3 $movie result=result.raw || complain "$how: 3 ranks failed: $(cat said)"
    same result.raw alone.raw
    together 3 $movie result=result.h5:/result || complain "$how: 3 ranks failed: $(cat said)"
    tail -c "$(wc -c <alone.raw)" result.h5 >bytes
    same bytes alone.raw
    rm result.h5
done
exit $bad
