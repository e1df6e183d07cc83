#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Scans of stored frames in le-run. usage: le-scan.sh FOLDER_OF_LE_RUN FOLDER_OF_SCAN_FILES
PATH=$(cd "$1" && pwd):$(cd "$2" && pwd):$PATH
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/common.sh
. "$here/common.sh"
# shellcheck source=tests/cli/stop.sh
. "$here/stop.sh"

expect 0 scan-files
frame=4000 # bytes

# frames FIRST COUNT: bytes of the plain frames
frames() {
    tail -c +$(($1 * frame + 1)) frames.raw | head -c $(($2 * frame))
}

same() { # FILE FILE
    cmp "$1" "$2" || fail "$1 differs from $2"
}

# --- decoding: whole, joined, several frames a chunk, parts of frames, slices ---
for scan in scan.h5:/entry/data/data master.h5:/entry/data three.h5:/entry/data/data parts.h5:/entry/data/data; do
    expect 0 le-run bitshuffle_lz4 "frames=$scan" result=result.raw
    silent
    same result.raw frames.raw
done
for scan in master.h5:/entry/data three.h5:/entry/data/data; do
    expect 0 le-run bitshuffle_lz4 "frames=${scan}[2:7]" result=result.raw
    frames 2 5 >wanted.raw
    same result.raw wanted.raw
    expect 0 le-run bitshuffle_lz4 "frames=${scan}[1:8:3]" result=result.raw
    { frames 1 1; frames 4 1; frames 7 1; } >wanted.raw
    same result.raw wanted.raw
done
expect 0 le-run bitshuffle_lz4 "frames=parts.h5:/entry/data/data[1:3,7:9,4:50:2]" result=slice.h5:/a
expect 0 le-run bitshuffle_lz4 "frames=parts.h5:/entry/data/data[5]" result=result.raw
frames 5 1 >wanted.raw
same result.raw wanted.raw
expect 0 le-run bitshuffle_lz4 frames=scan.h5:/entry/data/data
out_has "result: u16[8,40,50]"
for slices in '[3:3]' '[:,0:0]' '[:,:,7:7]' '[2,9:9]'; do # nothing is left of them
    for scan in scan.h5:/entry/data/data frames.raw:u16:8,40,50; do
        expect 2 le-run bitshuffle_lz4 "frames=$scan$slices"
        err_has "$scan$slices: no frame is selected"
        err_has "$scan has the shape 8,40,50"
    done
    expect 2 le-run bitshuffle_lz4 "frames=master.h5:/entry/data$slices"
    err_has "$slices: no frame is selected"
done
expect 0 le-run --repeat=2 bitshuffle_lz4 frames=scan.h5:/entry/data/data result=result.raw
[ "$(grep -cE '^[0-9]+\.[0-9]{9}$' out)" = 2 ] || fail "not the time of each run: $(cat out)"
expect 0 le-run bitshuffle_lz4 frames=frames.raw:u16:8,40,50 result=result.raw # needs no decoding
same result.raw frames.raw
# batches of one size share memory, of which a device has an older copy; in no two of them frames are the same
for _ in 1 2 3 4 5 6; do tail -c +4001 frames.raw; done >many.raw
expect 0 le-run bitshuffle_lz4 frames=many.raw:u16:42,40,50 result=many.h5:/x
if le-run bitshuffle_lz4 frames=many.h5:/x result=result.raw --implementation=opencl_items 2>err; then
    same result.raw many.raw
else
    grep -q "built without OpenCL" err || err_has "there is no OpenCL device"
fi

# --- a group's only dataset may be of any kind ---
expect 0 le-run bitshuffle_lz4 frames=deflated.h5:/entry/data result=result.raw
same result.raw frames.raw
for scan in deflated.h5:/entry/data deflated.h5:/entry/data/data_000001; do
    expect 0 le-run bitshuffle_lz4 "frames=${scan}[1:8:3]" result=result.raw
    { frames 1 1; frames 4 1; frames 7 1; } >wanted.raw
    same result.raw wanted.raw
    expect 0 le-run bitshuffle_lz4 "frames=${scan}[5]" result=result.raw
    frames 5 1 >wanted.raw
    same result.raw wanted.raw
done

# --- what a group of frames holds, or links to, is no place for the result ---
for scan in master.h5:/entry/data part_1.h5:/entry/data part_1.h5:/entry/data/data; do
    before=$(cksum <part_1.h5)
    expect 2 le-run bitshuffle_lz4 "frames=$scan" result=part_1.h5:/entry/data/data
    err_has "would replace frames=$scan"
    [ "$before" = "$(cksum <part_1.h5)" ] || fail "the frames were changed"
done

# --- what cannot be decoded: refused, or 0 and named ---
expect 1 le-run bitshuffle_lz4 frames=bad.h5:/entry/data/data result=none.h5:/data
err_has "frame 2 (of 8; bad.h5:/entry/data/data) cannot be decoded: "
[ ! -e none.h5 ] || fail "a refusal left an output"
expect 0 le-run bitshuffle_lz4 frames=bad.h5:/entry/data/data bad_frames=skip result=result.raw
err_has "1 bad frame left out: 2 (bad.h5:/entry/data/data: "
{ frames 0 2; head -c $frame /dev/zero; frames 3 5; } >wanted.raw
same result.raw wanted.raw
expect 0 le-run bitshuffle_lz4 "frames=bad.h5:/entry/data/data[2:4]" bad_frames=skip result=result.raw
err_has "1 bad frame left out: 0 ("

# --- a damaged dataset of a group; HDF5 complains in its own words when such a process ends ---
expect 1 le-run bitshuffle_lz4 frames=broken.h5:/entry/data result=none.h5:/data
err_has "broken.h5:/entry/data/data_000002: cannot be opened as a dataset: "
[ ! -e none.h5 ] || fail "a damaged dataset left an output"
expect 0 le-run bitshuffle_lz4 frames=broken.h5:/entry/data bad_frames=skip result=result.raw
err_has "3 bad frames left out: 3, 4, 5 (broken.h5:/entry/data/data_000002: "
[ "$(wc -l <err)" = 1 ] || fail "more than one line: $(cat err)"
{ frames 0 3; head -c $((3 * frame)) /dev/zero; frames 6 2; } >wanted.raw
same result.raw wanted.raw

# --- a file that is missing, one that is too short ---
mv part_2.h5 away.h5
expect 1 le-run bitshuffle_lz4 frames=master.h5:/entry/data result=none.h5:/data
err_has "part_2.h5: No such file"
[ ! -e none.h5 ] || fail "a missing file left an output"
expect 0 le-run bitshuffle_lz4 frames=master.h5:/entry/data bad_frames=skip result=result.raw
err_has "3 bad frames left out: 3, 4, 5 (master.h5:/entry/data/data_000002: part_2.h5: No such file"
{ frames 0 3; head -c $((3 * frame)) /dev/zero; frames 6 2; } >wanted.raw
same result.raw wanted.raw
head -c $(($(wc -c <away.h5) - 100)) away.h5 >part_2.h5
expect 0 le-run bitshuffle_lz4 frames=master.h5:/entry/data bad_frames=skip result=result.raw
err_has "left out: 5 (master.h5:/entry/data/data_000002: it cannot be read from its file)"
{ frames 0 5; head -c $frame /dev/zero; frames 6 2; } >wanted.raw
same result.raw wanted.raw
# the same frames of a virtual dataset
expect 1 le-run bitshuffle_lz4 frames=virtual.h5:/data result=none.h5:/data
err_has "its part part_2.h5:/entry/data/data: part_2.h5: cannot be opened"
expect 0 le-run bitshuffle_lz4 frames=virtual.h5:/data bad_frames=skip result=result.raw
err_has "its part part_2.h5:/entry/data/data: part_2.h5: cannot be opened"
err_has "3 bad frames left out: 3, 4, 5 (virtual.h5:/data: it cannot be read from its file)"
{ frames 0 3; head -c $((3 * frame)) /dev/zero; frames 6 2; } >wanted.raw
same result.raw wanted.raw
mv away.h5 part_2.h5
expect 0 le-run bitshuffle_lz4 frames=virtual.h5:/data result=result.raw
same result.raw frames.raw

# --- curves: those of the same frames as plain numbers ---
geometry="distance=0.1 poni1=0.002 poni2=0.0025 pixel1=1e-4 pixel2=1e-4 wavelength=1e-10 npt=20
    error_model=poisson"
run="le-run --implementation=reference"
# shellcheck disable=SC2086 # several words
{
    expect 0 $run azimuthal_integrate frames=frames.raw:u16:8,40,50 $geometry intensity=i.raw sem=s.raw radial=r.raw
    # a mask as many programs save it: grey, with three channels
    python3 - <<'PY' || fail "no pictures were written"
import random, struct, zlib
random.seed(3)
H, W = 40, 50
grey = [255 * (random.random() < 0.2) for _ in range(H * W)]
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
def write(file, kind, pixels):
    step = len(pixels) // H
    lines = b"".join(b"\0" + bytes(pixels[y * step:y * step + step]) for y in range(H))
    open(file, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, 8, kind, 0, 0, 0)) +
                           chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
write("grey.png", 0, grey)
write("three.png", 2, [v for g in grey for v in (g, g, g)])
write("colours.png", 2, [v for g in grey for v in (g, g, 255 - g)])
PY
    for mask in grey three; do
        expect 0 $run azimuthal_integrate frames=frames.raw:u16:8,40,50 $geometry mask=$mask.png intensity=$mask.raw
    done
    cmp -s grey.raw three.raw || fail "a mask of three equal channels is another one"
    cmp -s grey.raw i.raw && fail "the mask made no difference"
    expect 2 $run azimuthal_integrate frames=frames.raw:u16:8,40,50 $geometry mask=colours.png intensity=none.raw
    err_has "mask: colours.png has colours; expected a grey picture, [H,W]"
    for scan in master.h5:/entry/data three.h5:/entry/data/data parts.h5:/entry/data/data; do
        expect 0 $run integrate_stored "frames=$scan" $geometry intensity=intensity.raw sem=sem.raw radial=radial.raw
        silent
        same intensity.raw i.raw
        same sem.raw s.raw
        same radial.raw r.raw
    done
    expect 0 $run --repeat=3 integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=many.h5:/entry/i
    for place in e1.h5:/entry e2.h5:/entry/plot e3.h5:/entry/i/; do # a plot finds a name beside any dataset
        expect 0 $run integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=$place
        silent
    done
    mkdir C: # names may have a colon, of folders too
    for place in C:/curves.h5:/entry/i C:/curves.npy C:/a:/c.h5:/i; do
        expect 0 $run integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=$place
        silent
    done
    [ ! -e C ] && [ ! -e C:/a ] || fail "a plot went into another file than its signal: $(ls -d C*)"
    tail -c +321 i.raw | head -c 160 >wanted.raw
    expect 0 $run integrate_stored "frames=scan.h5:/entry/data/data[2]" $geometry intensity=intensity.raw
    same intensity.raw wanted.raw
    expect 0 le-run integrate_stored frames=bad.h5:/entry/data/data bad_frames=skip $geometry intensity=out.h5:/i
    err_has "1 bad frame left out: 2 (bad.h5"
    expect 1 le-run integrate_stored frames=bad.h5:/entry/data/data $geometry intensity=none.h5:/i
    err_has "frame 2 (of 8; bad.h5:/entry/data/data) cannot be decoded"
    [ ! -e none.h5 ] || fail "a refusal left curves"
    expect 0 le-run integrate_stored "frames=scan.h5:/entry/data/data[2]" $geometry intensity=curve.dat
    tail -n 20 curve.dat >columns
    [ "$(awk 'NF == 3' columns | wc -l)" -eq 20 ] || { fail "not three columns"; cat curve.dat; }
    grep -q '^# q_nm^-1 intensity sem' curve.dat || fail "no names of columns"
    broken=$(printf 'two\nlines.h5')
    cp scan.h5 "$broken"
    expect 0 le-run integrate_stored "frames=$broken:/entry/data/data[2]" $geometry intensity=broken.dat
    grep -v '^#' curve.dat >wanted
    grep -v '^#' broken.dat >columns
    same columns wanted
    expect 0 le-run integrate_stored "frames=scan.h5:/entry/data/data[2]" $geometry intensity=curve.svg
    grep -q 'class="line s0"' curve.svg || fail "no curve is drawn"
    expect 0 le-run integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=curves.svg
    grep -q 'href="data:image/png;base64,iVBOR' curves.svg || fail "no image is drawn"
    expect 0 le-run azimuthal_integrate_2d "frames=scan.h5:/entry/data/data[2]" $geometry npt_azim=9 intensity=cake.svg
    grep -q 'azimuth (degrees)' cake.svg || fail "no axis of azimuth"
    # folders on the way are made; what cannot be made is told before anything is read
    expect 0 le-run integrate_stored "frames=scan.h5:/entry/data/data[2]" $geometry intensity=new/folder/curve.dat
    cmp -s curve.dat new/folder/curve.dat || fail "other columns in a new folder"
    expect 1 le-run integrate_stored frames=absent.h5:/x $geometry intensity=curve.dat/curve.svg
    err_has "curve.dat/curve.svg cannot be written: Not a directory"
    expect 2 le-run integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=curves.dat
    err_has "are those of one frame"
    expect 0 le-run --explain integrate_stored frames=scan.h5:/entry/data/data $geometry intensity=out.h5:/i
    out_has "integrate_stored"
    expect 2 le-run integrate_stored frames=scan.h5:/entry/data/data $geometry radial=r.raw
    err_has "no result of the frames"
    expect 0 le-run integrate_stored frames=scan.h5:/entry/data/data $geometry
    out_has "radial: f64[20]"
    out_has "intensity: f64[8,20]"
    # a mask is a TIFF page as well; a NeXus detector file without corners has sizes, a mask, a turn
    printf 'Detector_config: {"orientation": 2}\n' >turned.poni
    expect 0 $run integrate_stored frames=scan.h5:/entry/data/data mask=mask.raw:u8:40,50 $geometry intensity=wanted.raw
    expect 0 $run integrate_stored frames=scan.h5:/entry/data/data mask=mask.tif $geometry intensity=intensity.raw
    same intensity.raw wanted.raw
    expect 0 $run integrate_stored frames=scan.h5:/entry/data/data mask=mask.raw:u8:40,50 poni=turned.poni $geometry intensity=wanted.raw
    cmp -s intensity.raw wanted.raw && fail "a turned detector is as one that is not"
    expect 0 $run integrate_stored frames=scan.h5:/entry/data/data detector=detector.h5 npt=20 distance=0.1 poni1=0.002 poni2=0.0025 wavelength=1e-10 intensity=intensity.raw
    same intensity.raw wanted.raw
    expect 2 le-run integrate_stored frames=scan.h5:/entry/data/data type=u8 $geometry intensity=out.h5:/i
    err_has "type is what the file of frames says"
}

# --- the same bits, whatever how many frames have been measured to be fast together ---
# shellcheck disable=SC2086
{
    expect 0 le-run --reproducible integrate_stored "frames=long.h5:/entry/data/data" $geometry intensity=i.raw sem=s.raw
    expect 0 le-run --reproducible integrate_stored "frames=long.h5:/entry/data/data[56:120]" $geometry intensity=i.raw sem=part.raw
    tail -c +$((56 * 160 + 1)) s.raw | head -c $((64 * 160)) >wanted.raw
    same part.raw wanted.raw
    expect 0 $run azimuthal_integrate frames=frames.raw:u16:8,40,50 $geometry intensity=i.raw
}

# --- a file that grows while it is read; a file that is not there yet ---
for how in "" blocks room; do # a chunk may wait for more of its frames, a frame for its chunk
    rm -f grow.h5 grown.raw
    # shellcheck disable=SC2086
    scan-files grow.h5 $how &
    # shellcheck disable=SC2086
    expect 0 le-run --implementation=reference --follow=4 integrate_stored frames=grow.h5:/data $geometry intensity=grown.raw
    wait
    same grown.raw i.raw
done

stop_when_begun() { # FOLDER COMMAND...
    stop_scan "$@"
    got=$?
    [ "$got" -eq 130 ] || { fail "Ctrl-C ends a scan with $got, expected 130"; cat err; }
}

# --- Ctrl-C: what is finished is kept, the end is that of an interrupt, and the same command goes on ---
scan-files long.h5 8000
# shellcheck disable=SC2086
{
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored frames=long.h5:/data $geometry intensity=long.raw
    stop_when_begun "$PWD" "$@"
    err_has "of 8000 frames are done; the same command goes on from there"
    expect 0 "$@"
    err_has "frames are there already"
    head -c 1280 long.raw >first.raw
    tail -c 1280 long.raw >last.raw
    same first.raw i.raw
    same last.raw i.raw
    [ -z "$(ls | grep -F .scan.)" ] || fail "the state is still there: $(ls)"
}

# --- of frames that are some steps apart as many are done as have a curve ---
# shellcheck disable=SC2086
{
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored "frames=long.h5:/data[5::3]" $geometry intensity=step.raw
    stop_when_begun "$PWD" "$@"
    rows=$(od -An -v -tf8 -w160 step.raw | awk '$1 != "nan"' | wc -l)
    err_has "$((rows)) of 2665 frames are done"
    expect 0 "$@"
    err_has "$((rows)) frames are there already"
}

# --- a bad frame that was met before is told again, and a file without a header says what it has ---
scan-files later.h5 3000 2
# shellcheck disable=SC2086
for out in curves.h5:/i curves.npy; do
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored frames=later.h5:/data $geometry bad_frames=skip intensity=$out
    stop_when_begun "$PWD" "$@"
    expect 0 "$@"
    err_has "frames are there already"
    err_has "1 bad frame left out: 2 ("
    [ -z "$(ls | grep -F .scan.)" ] || fail "the state is still there: $(ls)"
    expect 0 "$@"
    grep -q "there already" err && fail "what is finished was taken for an end"
done

# --- of another mask, geometry, other options or frames nothing is taken; frames that have been added do not matter ---
printf 'Distance: 0.1\nPoni1: 0.002\nPoni2: 0.0025\nRot1: 0\nRot2: 0\nRot3: 0\nWavelength: 1e-10\nPixelSize1: 1e-4\nPixelSize2: 1e-4\n' >'geo_12:30.poni'
begin_scan() {
    head -c 2000 /dev/zero >hide.raw
    sed -i 's/^Distance.*/Distance: 0.1/' 'geo_12:30.poni'
    scan-files long.h5 3000
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored frames=long.h5:/data poni=geo_12:30.poni npt=20 \
        error_model=poisson mask=hide.raw:u8:40,50 intensity=long.raw
    stop_when_begun "$PWD" "$@"
    err_has "the same command goes on from there"
}
begun_anew() { # WHAT [OPTION]
    what=$1
    shift
    set -- le-run --implementation=reference "$@" integrate_stored frames=long.h5:/data poni=geo_12:30.poni npt=20 error_model=poisson \
        mask=hide.raw:u8:40,50
    expect 0 "$@" intensity=long.raw
    grep -q "there already" err && fail "$what: what was left of another scan was taken"
    expect 0 "$@" intensity=fresh.raw
    same long.raw fresh.raw
}
begin_scan
head -c 1000 mask.raw >>hide.raw && tail -c +1001 hide.raw >hidden && mv hidden hide.raw
begun_anew "another mask"
begin_scan
sed -i 's/^Distance.*/Distance: 0.2/' 'geo_12:30.poni'
begun_anew "another geometry"
begin_scan
begun_anew "another option" --reproducible
begin_scan
scan-files long.h5 3000 -1 other
begun_anew "other frames"
begin_scan
printf added >>long.h5
expect 0 le-run --implementation=reference --memory-limit=1M integrate_stored frames=long.h5:/data poni=geo_12:30.poni npt=20 \
    error_model=poisson mask=hide.raw:u8:40,50 intensity=long.raw
err_has "frames are there already"

# --- the user's files, and what is left of a scan into another dataset, stay ---
# shellcheck disable=SC2086
{
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored $geometry
    stop_when_begun "$PWD" "$@" frames=long.h5:/data intensity=two.h5:/a
    for file in two.h5.part two.h5.journal two.h5.journal.2024 two.h5.scan.mine; do echo precious >$file; done
    expect 0 "$@" frames=scan.h5:/entry/data/data intensity=two.h5:/b
    for file in two.h5.part two.h5.journal two.h5.journal.2024 two.h5.scan.mine; do
        [ "$(cat $file)" = precious ] || fail "$file is gone"
        rm -f $file
    done
    expect 0 "$@" frames=long.h5:/data intensity=two.h5:/a
    err_has "frames are there already"
    [ -z "$(ls | grep -F two.h5.)" ] || fail "something was left: $(ls)"
}

# --- a picture cannot be read again ---
# shellcheck disable=SC2086
{
    set -- le-run --implementation=reference --memory-limit=1M integrate_stored frames=long.h5:/data $geometry intensity=long.svg
    stop_when_begun "" "$@"
    err_has "of 3000 frames are done; the same command begins anew"
    [ -z "$(ls | grep -F long.svg.)" ] || fail "a picture has a state"
}
finish
