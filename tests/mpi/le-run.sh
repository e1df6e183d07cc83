#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# le-run under mpirun: one output whatever the number of ranks, one voice, and a refusal where ranks cannot find
# each other. usage: le-run.sh BUILT_TOOLS SOURCE_DIR MPIEXEC
set -u
tools=$1
source=$2
cube=$source/examples/data/web_128.h5
mpirun=$3
. "$source/tests/mpi/begin.sh"

views="--reproducible volume_render volume=$cube angles=0:354:7 size=24 outside=0"
"$tools/le-run" $views images=alone.raw || complain "le-run by itself failed"
for n in 2 3 5; do
    ranks $n "$tools/le-run" $views images=together_$n.raw >out_$n 2>&1 || complain "$n ranks failed: $(cat out_$n)"
    cmp alone.raw together_$n.raw || complain "$n ranks have other bits"
done
ranks 3 "$tools/le-run" $views images=pictures_%d.png || complain "no pictures"
[ "$(ls pictures_* | wc -l)" -eq 7 ] || complain "$(ls pictures_* | wc -l) pictures instead of 7"
ranks 3 "$tools/le-run" $views images=seven.h5:/images -v 2>said || complain "no HDF5 file"
[ "$(grep -c 'on 3 ranks' said)" -eq 1 ] || complain "not one voice: $(cat said)"
[ ! -e seven.h5.part ] || complain "a part of the file was left"

# what is printed is printed once
ranks 3 "$tools/le-run" project volume="$cube" >said 2>/dev/null || complain "no summary"
[ "$(grep -c '^image' said)" -eq 1 ] || complain "$(grep -c '^image' said) summaries"
ranks 3 "$tools/le-run" project volume=missing.h5 image=x.h5:/i >/dev/null 2>said && complain "a missing file was found"
[ "$(grep -c 'missing.h5' said)" -eq 1 ] || complain "not one error: $(cat said)"
ranks 2 "$tools/le-run" $views images=/proc/nobody/x.h5:/i >/dev/null 2>said && complain "written to nowhere"
[ "$(grep -c 'rank 0 of 2) (rank' said)" -eq 0 ] || complain "a rank is named twice: $(cat said)"

# what one process takes without axes that say nothing, ranks take so, too: the one page of a TIFF file, and a grey
# picture with three equal channels
"$tools/le-run" project volume="$cube" scale=linear colormap=none image=page.tif 2>said || grep -q 'without libtiff' said ||
    complain "no page: $(cat said)"
printf '1,2,1\n0,1,0\n' >kernel.csv
python3 - <<'END'
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes((x * 7 + y * 3) % 251 for x in range(40) for _ in range(3)) for y in range(30))
with open("grey.png", "wb") as f:
    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END
for image in page.tif grey.png; do
    [ -e $image ] || continue
    blur="--reproducible convolve2d image=$image kernel=kernel.csv mode=same"
    "$tools/le-run" $blur result=one.raw || complain "$image: le-run by itself failed"
    ranks 2 "$tools/le-run" $blur result=two.raw >said 2>&1 || complain "$image: 2 ranks failed: $(cat said)"
    cmp one.raw two.raw || complain "$image: 2 ranks have other bits"
done
# what a format does not take is told before anything is computed
ranks 2 "$tools/le-run" -v project volume="$cube" image=x.vot >/dev/null 2>said && complain "an image became a table"
grep -q 'x.vot: f32\[128,128,3\]; VOTable takes tables' said || complain "not told: $(cat said)"
grep -q 'on 2 ranks' said && complain "told after the work: $(cat said)"

# ranks of several kinds of processors: one implementation that all have, and its bits
LE_ISA=none "$tools/le-run" $views images=plain.raw || complain "le-run by itself failed"
ranks 1 "$tools/le-run" $views images=mixed.raw : -n 2 env LE_ISA=none "$tools/le-run" $views images=mixed.raw || complain "mixed ranks failed"
cmp plain.raw mixed.raw || complain "ranks of several kinds have other bits"
# other words on a rank, of which one would wait for the other
ranks 1 "$tools/le-run" $views images=x.raw : -n 1 "$tools/le-run" --list >/dev/null 2>said && complain "other words were taken"
grep -q 'words of the command on this rank are not those of rank 0 (rank 1 of 2)' said || complain "other words: $(cat said)"
# what a format can tell beside the numbers
image="find_sources image=$cube[64]"
"$tools/le-run" $image catalogue=alone.csv || complain "le-run by itself failed"
ranks 2 "$tools/le-run" $image catalogue=together.csv || complain "no catalogue"
cmp alone.csv together.csv || complain "the catalogue of 2 ranks is another one"

# a rank dies: the same command does what is left, with other ranks
many="--reproducible volume_render volume=$cube angles=0:354:60 size=24 outside=0"
"$tools/le-run" $many images=many.raw || complain "le-run by itself failed"
LE_TEST_DIE=1:3 ranks 4 "$tools/le-run" $many images=many.h5:/images >/dev/null 2>&1 && complain "a dead rank was not missed"
[ ! -e many.h5 ] && [ -e many.h5.part ] && [ -e many.h5.journal ] || complain "nothing was left to continue with: $(ls)"
ranks 3 "$tools/le-run" -v $many images=many.h5:/images 2>said || complain "did not continue: $(cat said)"
left=$(sed -n 's/.* \([0-9]*\) items left.*/\1/p' said)
[ "${left:-99}" -lt 60 ] || complain "all was done again: $(cat said)"
[ ! -e many.h5.part ] && [ ! -e many.h5.journal ] || complain "the journal was left"
tail -c $((60 * 24 * 24 * 3 * 4)) many.h5 >bytes
cmp bytes many.raw || complain "what was continued has other bits"
# another call begins anew
LE_TEST_DIE=0:5 ranks 2 "$tools/le-run" $many images=many.h5:/again >/dev/null 2>&1
ranks 2 "$tools/le-run" -v $many scale=linear images=many.h5:/again 2>said || complain "another call failed: $(cat said)"
grep -q ' items left' said && complain "another call took what was left of the first: $(cat said)"

# what others write into the file meanwhile stays, and so does what was written before a job goes on
cut="--reproducible roberts_cross image=many.raw:f32:60,24,72"
set_of() { # FILE:/SET  -> bytes.raw, the sum of its frames
    "$tools/le-run" project volume="$1" axis=0 reduce=sum scale=linear colormap=none image=bytes.raw >/dev/null 2>&1 || complain "$1 cannot be read"
}
holds() { # FILE:/SET SAME
    set_of "$1" && mv bytes.raw bytes
    set_of "$2"
    cmp bytes bytes.raw || complain "$1 is not $2"
}
"$tools/le-run" $cut gradient_col=alone.h5:/c gradient_row=alone_r.h5:/r || complain "le-run by itself failed"
"$tools/le-run" interpolate volume="$cube" size=8 samples=both.h5:/first || complain "le-run by itself failed"
LE_TEST_DIE=1:8 ranks 2 "$tools/le-run" $cut gradient_col=both.h5:/c gradient_row=row.h5:/r >/dev/null 2>&1 && complain "a dead rank was not missed"
"$tools/le-run" interpolate volume="$cube" size=8 samples=both.h5:/second || complain "le-run by itself failed"
ranks 2 "$tools/le-run" -v $cut gradient_col=both.h5:/c gradient_row=row.h5:/r 2>said || complain "did not continue: $(cat said)"
grep -q ' items left' said || complain "began anew: $(cat said)"
holds both.h5:/first both.h5:/second
holds both.h5:/c alone.h5:/c
holds row.h5:/r alone_r.h5:/r
LE_TEST_DELAY=1500 ranks 2 "$tools/le-run" $cut gradient_col=live.h5:/c gradient_row=live_r.h5:/r >said_first 2>&1 &
first=$!
until [ -e live_r.h5.part ] || ! kill -0 $first 2>/dev/null; do sleep 0.05; done
ranks 2 "$tools/le-run" $cut gradient_col=live.h5:/again gradient_row=live_2.h5:/r >/dev/null 2>said && complain "two jobs write one file"
grep -q 'live.h5.part: another process is writing it' said || complain "no word of the other job: $(cat said)"
"$tools/le-run" interpolate volume="$cube" size=8 samples=live.h5:/second || complain "le-run by itself failed"
[ -e live.h5.part ] || complain "the job was too quick to meet others"
wait $first || complain "the first job failed: $(cat said_first)"
holds live.h5:/c alone.h5:/c
holds live.h5:/second both.h5:/second

# two outputs in one file, at once and in two goes
ranks 3 "$tools/le-run" $cut gradient_col=pair.h5:/c gradient_row=./pair.h5:/r 2>said || complain "two outputs in one file: $(cat said)"
holds pair.h5:/c alone.h5:/c
holds pair.h5:/r alone_r.h5:/r
LE_TEST_DIE=1:8 ranks 2 "$tools/le-run" $cut gradient_col=goes.h5:/c gradient_row=goes.h5:/r >/dev/null 2>&1 && complain "a dead rank was not missed"
[ ! -e goes.h5 ] || complain "half a file was written"
ranks 2 "$tools/le-run" -v $cut gradient_col=goes.h5:/c gradient_row=goes.h5:/r 2>said || complain "did not continue: $(cat said)"
grep -q ' items left' said || complain "began anew: $(cat said)"
holds goes.h5:/c alone.h5:/c
holds goes.h5:/r alone_r.h5:/r

# an input that has changed begins anew, however its place is written
"$tools/le-run" $many scale=linear images=other.raw || complain "le-run by itself failed"
"$tools/le-run" interpolate volume="$cube" size=8 samples=box.h5:/v || complain "le-run by itself failed"
set -- --reproducible roberts_cross gradient_col=new.h5:/c gradient_row=new_r.h5:/r
for image in in.raw:f32:60,24,72 in.h5:v; do
    cp many.raw in.raw
    cp box.h5 in.h5
    LE_TEST_DIE=1:1 ranks 2 "$tools/le-run" "$@" image=$image >/dev/null 2>&1 && complain "$image: a dead rank was not missed"
    [ -e new.h5.journal ] || complain "$image: nothing was left to continue with"
    cp other.raw in.raw
    "$tools/le-run" interpolate volume="$cube" size=8 angle=30 outside=0 samples=in.h5:/v || complain "le-run by itself failed"
    ranks 2 "$tools/le-run" -v "$@" image=$image 2>said || complain "$image: failed: $(cat said)"
    grep -q ' items left' said && complain "$image: what was left of other numbers was taken: $(cat said)"
    "$tools/le-run" --reproducible roberts_cross image=$image gradient_col=fresh.h5:/c gradient_row=fresh_r.h5:/r || complain "le-run by itself failed"
    holds new.h5:/c fresh.h5:/c
    holds new_r.h5:/r fresh_r.h5:/r
    rm new.h5 new_r.h5
done
# the user's own files
echo mine >own.h5.journal
ranks 2 "$tools/le-run" $cut gradient_col=own.h5:/c gradient_row=own_r.h5:/r 2>said || complain "beside a file of the user: $(cat said)"
[ "$(cat own.h5.journal)" = mine ] || complain "the user's own.h5.journal is gone"
echo mine >own.h5.part
ranks 2 "$tools/le-run" $cut gradient_col=own.h5:/d gradient_row=own_r.h5:/d >/dev/null 2>said && complain "own.h5.part was taken"
grep -q 'own.h5.part: is no unfinished result' said || complain "not said why: $(cat said)"
[ "$(cat own.h5.part)" = mine ] || complain "the user's own.h5.part is gone"
[ ! -e own_r.h5.part ] || complain "own_r.h5.part was left"

patience=60
# a deadline, and a rank that hangs, which is named; what is done stays
LE_MPI_DEADLINE=0.05 LE_TEST_SLOW=20,20,20 ranks 3 "$tools/le-run" $many images=late.h5:/images >/dev/null 2>said &&
    complain "the deadline was missed"
grep -q 'the deadline of 0.05 s has passed' said || complain "no word of the deadline: $(cat said)"
LE_MPI_DEADLINE=0.0001 ranks 2 "$tools/le-run" $many images=late.h5:/images >/dev/null 2>said # while it is read
grep -q 'the deadline of 0.0001 s has passed' said || complain "no word of the deadline when reading: $(cat said)"
LE_MPI_DEADLINE=soon ranks 2 "$tools/le-run" $many images=late.h5:/images >/dev/null 2>said &&
    complain "a deadline that is no number was passed over"
grep -q "LE_MPI_DEADLINE is 'soon', expected a number of seconds of at least 0" said || complain "not said of the deadline: $(cat said)"
for hangs in 1 0; do
    LE_MPI_DEADLINE=1 LE_TEST_GRACE=1 LE_TEST_HANG=$hangs:2 ranks 3 "$tools/le-run" $many images=hang_$hangs.h5:/images \
        >/dev/null 2>said && complain "a rank that hangs was not missed"
    [ -e hang_$hangs.h5.journal ] || complain "nothing was left to continue with"
done
LE_MPI_DEADLINE=1 LE_TEST_GRACE=1 LE_TEST_HANG=1:2 ranks 3 "$tools/le-run" $many images=hung.raw >/dev/null 2>said
grep -q 'rank 1 of 3: not back' said || complain "who hangs is not said: $(cat said)"
ranks 2 "$tools/le-run" -v $many images=hang_1.h5:/images 2>said || complain "did not continue: $(cat said)"
# so does one process
"$tools/le-run" -v $many images=hang_0.h5:/images 2>>said || complain "did not continue alone: $(cat said)"
[ "$(grep -c ' items left' said)" -eq 2 ] || complain "began anew: $(cat said)"
for file in hang_1.h5 hang_0.h5; do
    tail -c $((60 * 24 * 24 * 3 * 4)) $file >bytes
    cmp bytes many.raw || complain "$file: what was continued has other bits"
    [ ! -e $file.journal ] || complain "$file.journal was left"
done

# le-bench: all measure together, one alone has the database, and one prints
LE_DB=$work/bench.sqlite3 ranks 3 "$tools/le-bench" --sizes=8 interpolate >out 2>said || complain "le-bench failed: $(cat said)"
[ "$(grep -c '^interpolate' out)" -eq 1 ] || complain "not one le-bench: $(cat out)"
LE_DB=$work/bench.sqlite3 ranks 3 "$tools/le-bench" --help-env >out 2>said || complain "le-bench --help-env failed: $(cat said)"
grep -q 'rank 0 of 3 measures' said || complain "which one measures is not said: $(cat said)"

# the wrong launcher, and a build without the part
PMI_SIZE=4 PMI_RANK=2 "$tools/le-run" project volume="$cube" image=x.h5:/i 2>said && complain "2 of 4 ran alone"
grep -q "rank 2 of 4 by MPICH's launcher" said || complain "no word of the launcher: $(cat said)"
cp "$tools/le-run" ./le-run
# each says it and fails; the launcher, which may end the others then, does not hear of it
ranks 2 sh -c './le-run project volume="$1" image=x.h5:/i >/dev/null 2>said.$$; [ $? -eq 1 ]' sh "$cube" || complain "ran without the part"
[ "$(cat said.* | grep -c 'no MPI part')" -eq 2 ] || complain "no word of the part: $(cat said.*)"
[ ! -e x.h5 ] || complain "a file was written"
LE_MPI=off ranks 2 ./le-run project volume="$cube" >said || complain "LE_MPI=off does not let it run"
[ "$(grep -c '^image' said)" -eq 2 ] || complain "LE_MPI=off: not each by itself"
ldd "$tools/le-run" | grep -q mpi && complain "le-run itself needs MPI"
exit $bad
