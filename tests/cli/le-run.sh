#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# le-run from the outside: usage: le-run.sh FOLDER_OF_LE_RUN
PATH=$(cd "$1" && pwd):$PATH
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"

# --- help and lists ---
expect 0 le-run --version
out_has "le-run 0."
expect 0 le-run --help
out_has "--tolerance=X"
out_has "start:stop:count"
name=$(printf 'n%.0s' $(seq 200)) # a chain's is no shorter than that
printf '{"name": "%s", "inputs": ["v"], "steps": [{"operation": "project", "args": {"volume": "v", "image": "i"}}], "outputs": ["i"]}' "$name" >long.json
expect 0 le-run long.json --help
out_has "$name"
expect 0 le-run --list
out_has "volume_render"
expect 0 le-run --list project
out_has "reference"
expect 0 le-run volume_render --help
out_has "angles"
out_has "Default tolerance: atol 0.0001"
for operation in $(le-run --list | sed -n 's/^  \([a-z0-9_]*\) .*/\1/p'); do
    expect 0 le-run "$operation" --help
    [ "$(wc -L <out)" -le 80 ] || { fail "help of $operation is $(wc -L <out) columns wide"; cat out; }
done
expect 0 le-run convolve2d --help
out_has "a table [K,L]: a file" # numbers in a row are no table of two axes
grep -q "numbers a,b,c" out && { fail "numbers for a table of two axes"; cat out; }
expect 0 le-run convolve --help
out_has "a table [K]: a file, or numbers a,b,c"
expect 0 le-run --usage
out_has "Usage: le-run"

# --- every option is in the help, the man page and the completion ---
if [ -n "${LE_SOURCE_DIR:-}" ]; then
    le-run --help | grep -o -- '--[a-z-]*' | sort -u | while read -r option; do
        name=$(echo "$option" | sed 's/^--//')
        grep -q -- "Fl -$name" "$LE_SOURCE_DIR/tools/man/le-run.1" || echo "$option: not in le-run.1"
        grep -q -- "$option" "$LE_SOURCE_DIR/tools/completion/le-run" || echo "$option: not completed"
    done >missing
    [ ! -s missing ] || { fail "options"; cat missing; }
    # the operation is completed behind options whose value is a word of its own, and its arguments behind it
    cat >complete.bash <<'BASH'
compopt() { :; }
. "$LE_SOURCE_DIR/tools/completion/le-run"
COMP_WORDS=(le-run "$@")
COMP_CWORD=$#
_le_run
echo "${COMPREPLY[@]}"
BASH
    for before in "--mode learn" "--mode = learn" "--db mydb" ""; do
        # shellcheck disable=SC2086 # several words
        expect 0 bash complete.bash $before proj
        out_has project
        # shellcheck disable=SC2086
        expect 0 bash complete.bash $before project vol
        out_has volume=
    done
fi

# --- wrong usage: 2, naming what was given and what is expected ---
expect 2 le-run
err_has "an operation is expected"
expect 2 le-run volume_rendr
err_has "did you mean volume_render?"
expect 2 le-run --list volume_rendr
err_has "did you mean volume_render?"
expect 2 le-run volume_render volume=x.h5:/d
err_has "missing size= (an integer from 1"
expect 2 le-run volume_render volume=x.h5:/d sise=3
err_has "did you mean size?"
expect 2 le-run volume_render volume=x.h5:/d size=many
err_has "size=many; expected an integer"
expect 2 le-run volume_render volume=x.h5:/d size=0
err_has "size=0; expected"
expect 2 le-run volume_render volume=x.h5:/d size=5 size=6
err_has "given twice"
expect 2 le-run volume_render volume=x.h5:/d size=5 angles=1:2
err_has "expected numbers a,b,c or start:stop:count"
expect 2 le-run volume_render volume=x.h5:/d size=5 scale=lin
err_has "did you mean linear?"
expect 2 le-run volume_render volume=x.txt size=5
err_has "unknown kind of file"
expect 2 le-run volume_render volume=x.h5:/d size=5 images=%d_%d.png
err_has "at most one"
expect 2 le-run volume_render volume=x.h5:/d size=5 images=out.h5
err_has "name the dataset"
expect 2 le-run --mode=guess project
err_has "estimate, learn, measure or frozen"
expect 2 le-run --tolerance=-1 project
expect 2 le-run --nonsense
expect 2 le-run --follow project volume=v.raw:u8:2,2,2
err_has "--follow waits for stored frames"
expect 2 le-run --tolerance=1e-3x project
err_has "or allclose"
for words in '--list --repeat=2 project' '--list --follow' '--list --explain' \
    '--explain --profile=trace.json project' '--explain --repeat=2 project' '--list project interpolate'; do
    # shellcheck disable=SC2086
    expect 2 le-run $words
    [ ! -s out ] || fail "le-run $words goes on"
done
expect 2 le-run project nonsense
err_has "expected NAME=VALUE"

# --- failures: 1 ---
expect 1 le-run project volume=absent.h5:/d
err_has "absent.h5: No such file"
printf 'not HDF5' >text.h5
expect 1 le-run project volume=text.h5:/d
err_has "not an HDF5 file"

# --- running: axis 0 of [[[1,2],[3,4]],[[3,4],[5,8]]] ---
printf '\001\002\003\004\003\004\005\010' >v.raw
expect 0 le-run project volume=v.raw:u8:2,2,2 scale=linear colormap=none
silent
out_has "image: f32[2,2]  min 2  mean 3.75  max 6"
out_has "2, 3, 4, 6"
expect 0 le-run project volume=v.raw:u8:2,2,2 scale=linear colormap=none image=made/here/o.raw
silent
[ ! -s out ] || fail "a file was named, but something was printed"
[ "$(od -An -tf4 made/here/o.raw | tr -s ' ')" = " 2 3 4 6" ] || fail "wrong numbers in o.raw"
[ "$(ls -A made/here)" = o.raw ] || fail "temporary files are left: $(ls -A made/here)"
expect 0 le-run project volume=v.raw:u8:2,2,2 axis=2 reduce=max scale=linear colormap=none
out_has "2, 4, 4, 8"

# --- of optional outputs, where none is named, the first is summarised; of a chain all ---
expect 0 le-run label mask=v.raw:u8:4,2
grep -q '^labels: i32\[4,2\]' out || { fail "no summary"; cat out; }
[ "$(grep -c ': ' out)" -eq 1 ] || { fail "a summary of what nobody has asked for"; cat out; }
expect 0 le-run --help label
out_has "Outputs (none is named: a summary of labels is printed)"
expect 0 le-run --help project
out_has "Outputs (left out: a summary is printed)"
expect 0 le-run label mask=v.raw:u8:4,2 count=count.csv
[ ! -s out ] || { fail "a summary beside an output that is named"; cat out; }
# what a format does not take is told before anything is computed
for place in labels.vot labels.csv; do
    expect 2 le-run -v label mask=v.raw:u8:2,2,2 labels=$place
    err_has "$place: i32[2,2,2]; "
    err_has "takes tables, [n] or [n,columns]"
    ! grep -q "label: " err || { fail "$place is refused after the work"; cat err; }
done
expect 0 le-run find_sources image=v.raw:u8:4,2 picture=found.png
[ ! -s out ] || { fail "a summary beside a picture"; cat out; }
expect 0 le-run --explain label mask=v.raw:u8:4,2
cat >two.json <<'END'
{"name": "two", "inputs": ["v"],
 "steps": [{"operation": "roberts_cross", "args": {"image": "v", "gradient_col": "c", "gradient_row": "r"}}],
 "outputs": ["c", "r"]}
END
expect 0 le-run two.json v=v.raw:u8:4,2
out_has "c: f32[4,2]"
out_has "r: f32[4,2]"

# --- an output never takes the place of an input, however it is written ---
expect 0 le-run macro_pixel_correction image=v.raw:u8:2,2,2 magnification=1 result=in.h5:/density
ln -s in.h5 link.h5
ln in.h5 hard.h5
before=$(cksum <in.h5)
for place in in.h5:/density ./in.h5:density "$PWD/in.h5://density" link.h5:/density hard.h5:/density; do
    for input in in.h5:/density in.h5 "in.h5:/density[0:1]"; do
        expect 2 le-run project volume="$input" image="$place"
        err_has "would replace volume=$input"
    done
done
[ "$before" = "$(cksum <in.h5)" ] || fail "the input was changed"
expect 0 le-run project volume=in.h5:/density image=in.h5:/other
silent
expect 0 le-run project volume=in.h5:/density
out_has "image: f32"
cp v.raw w.raw
ln -s w.raw w.bin
expect 2 le-run project volume=w.raw:u8:2,2,2 image=w.bin
err_has "would replace"
cmp -s v.raw w.raw || fail "the input was changed"
expect 0 le-run macro_pixel_correction image=v.raw:u8:2,2,2 magnification=1 result=h.nhdr
expect 2 le-run project volume=h.nhdr image=h.raw
expect 2 le-run project volume=h.nhdr image=./h.nhdr
expect 2 le-run project volume=h.raw:f32:2,2,2 image=h.nhdr

# neither do two outputs go to one place, nor a trace to that of an input, whether there is anything yet or not
for pair in "a.npy ./a.npy" "made/a.npy made/../made/a.npy" "a.h5:/i ./a.h5:i" "h.h5:/i ./h.h5:i" "a.nhdr a.raw" "a.raw a.nhdr"; do
    expect 2 le-run roberts_cross image=v.raw:u8:2,4 gradient_col="${pair% *}" gradient_row="${pair#* }"
    err_has "would replace gradient_col=${pair% *}"
    [ ! -e a.npy ] && [ ! -e a.h5 ] && [ ! -e a.nhdr ] && [ ! -e a.raw ] || fail "a refusal left an output"
done
# a stack will have files of many names
expect 2 le-run --profile=w1.png volume_render volume=v.raw:u8:2,2,2 size=4 outside=0 angles=0,10,20 images=w%d.png
err_has "--profile=w1.png would replace images=w%d.png"
expect 2 le-run roberts_cross image=v.raw:u8:2,4 gradient_col=w%d.png picture=./w0.png
err_has "picture=./w0.png would replace gradient_col=w%d.png"
ls w*.png 2>/dev/null && fail "a refusal left an output"
ln -s v.raw link.json
for trace in v.raw ./v.raw link.json; do
    expect 2 le-run --profile=$trace project volume=v.raw:u8:2,2,2
    err_has "--profile=$trace would replace volume=v.raw"
    cmp -s v.raw w.raw || fail "the input was changed"
done
printf '1,2,1\n' >kernel.csv # of tables, too
expect 2 le-run find_sources image=v.raw:u8:2,4 kernel=kernel.csv catalogue=./kernel.csv
err_has "catalogue=./kernel.csv would replace kernel=kernel.csv"

# nor of the timings database
expect 0 le-run --db=own.sqlite3 --mode=measure project volume=v.raw:u8:2,2,2
cp own.sqlite3 before.sqlite3
ln -s own.sqlite3 own.png
ln -s own.sqlite3 own.npy
for word in --profile=own.sqlite3 --profile=./own.sqlite3-wal picture=own.png gradient_row=own.npy gradient_row=own.sqlite3:/i; do
    expect 2 le-run --db=own.sqlite3 roberts_cross image=v.raw:u8:2,4 gradient_col=a.npy $word
    err_has "is the timings database itself"
done
cmp -s own.sqlite3 before.sqlite3 || fail "the timings database was replaced"
for word in --profile=own.sqlite3 picture=own.png gradient_row=own.npy gradient_row=own.sqlite3:/i; do
    expect 2 env LE_SITE_DB="$PWD/own.sqlite3" le-run roberts_cross image=v.raw:u8:2,4 gradient_col=a.npy $word
    err_has "is a database of the site"
done
cmp -s own.sqlite3 before.sqlite3 || fail "a database of the site was replaced"

# what cannot be written is told before anything is read or replaced
printf old >first.raw
mkdir -p closed
printf x >closed/file
for second in closed/file/b.npy first.raw/b.h5:/i closed/file/b_%d.png /proc/b.npy; do
    expect 1 le-run roberts_cross image=absent.raw:u8:2,4 gradient_col=first.raw gradient_row=$second
    err_has "${second%:*}: cannot"
    [ "$(cat first.raw)" = old ] || fail "an output was replaced although the other one cannot be written"
done

for words in --profile=closed --profile=closed/file/t.json picture=closed/file/p.svg picture=closed/file/p.png; do
    expect 1 le-run roberts_cross image=absent.raw:u8:2,4 gradient_col=first.raw $words
    err_has "${words#*=} cannot be written: "
    [ "$(wc -l <err)" -eq 1 ] || { fail "le-run $words tells its reason twice"; cat err; }
done
for words in --profile=/dev/full picture=full.svg; do
    ln -sf /dev/full full.svg
    expect 1 le-run roberts_cross image=v.raw:u8:2,4 gradient_col=col.raw $words
    [ "$(wc -l <err)" -eq 1 ] || { fail "le-run $words tells its reason twice"; cat err; }
    err_has "${words#*=} cannot be written: No space left on device"
done
rm -f full.svg col.raw

expect 0 le-run interpolate volume=v.raw:u8:2,2,2 size=2 outside=0 samples=kinds.h5:/group/set
cp kinds.h5 before.h5
for second in "/group: exists in the file and is not a dataset" "/group/set/x: /group/set in the file is no group" \
    "group/set/x/y: group/set in the file is no group"; do
    expect 1 le-run roberts_cross image=absent.raw:u8:2,4 gradient_col=first.raw gradient_row="kinds.h5:${second%%: *}"
    err_has "kinds.h5:$second"
    [ "$(cat first.raw)" = old ] || fail "an output was replaced although the other one cannot be written"
done
cmp -s kinds.h5 before.h5 || fail "a file was changed by a look at it"
# what is in a file that is no HDF5 file cannot be kept
printf 'no HDF5' >other.h5
: >empty.h5
for file in other.h5 empty.h5; do
    expect 1 le-run roberts_cross image=absent.raw:u8:2,4 gradient_col=first.raw gradient_row=$file:/i
    err_has "$file: not an HDF5 file"
    [ "$(cat first.raw)" = old ] || fail "an output was replaced although the other one cannot be written"
done
[ "$(cat other.h5)" = 'no HDF5' ] || fail "a file that is no HDF5 file was changed"
for nothing in kinds.h5 kinds.h5: kinds.h5:/ kinds.h5:///; do
    expect 2 le-run roberts_cross image=absent.raw:u8:2,4 gradient_col=$nothing gradient_row=a.npy
    err_has "name the dataset to write"
done

# --- what standard output does not take is told once, with the reason ---
for words in 'project volume=v.raw:u8:2,2,2' --list 'project --help' '--explain project volume=v.raw:u8:2,2,2'; do
    # shellcheck disable=SC2086
    le-run $words >/dev/full 2>err && fail "le-run $words succeeds though nobody gets what it says"
    err_has "standard output cannot be written: No space left on device"
    [ "$(grep -c "standard output" err)" -eq 1 ] || { fail "le-run $words says it several times"; cat err; }
done

# --- HDF5 out and in, with a slice ---
expect 0 le-run interpolate volume=v.raw:u8:2,2,2 size=2 outside=0 samples=s.h5:/deep/samples
expect 0 le-run project "volume=s.h5:/deep/samples[0:1]" scale=linear colormap=none
out_has "image: f32[2,2]"
expect 1 le-run project "volume=s.h5:/deep/other"
err_has "the file has /deep/samples"

# --- images ---
expect 0 le-run volume_render volume=v.raw:u8:2,2,2 size=6 outside=0 angles=0:81:10 images=frames/web_%02d.png
silent
[ "$(find frames -name 'web_0[0-9].png' | wc -l)" -eq 10 ] || fail "not ten images: $(ls frames)"
cp v.raw v.fitted.raw # which is no FITS file
for file in v v.fitted; do
    expect 0 le-run roberts_cross image=$file.raw:u8:4,2 picture=$file.svg
done
cmp v.svg v.fitted.svg || fail "a picture is upside down"
expect 2 le-run volume_render volume=v.raw:u8:2,2,2 size=6 outside=0 angles=0,9 images=one.png
err_has "put a number such as %02d into the name"
[ ! -e one.png ] || fail "one.png was written"
expect 0 le-run volume_render volume=v.raw:u8:2,2,2 size=6 outside=0 angles=0,9 images=out.h5:/images
expect 0 le-run volume_render volume=v.raw:u8:2,2,2 size=6 outside=0 angles=0,9
out_has "images: f32[2,6,6,3]"

# --- the engine's domain errors ---
expect 1 le-run volume_render volume=v.raw:u8:2,2,2 size=6

# --- options of the call ---
expect 1 le-run --implementation=cc project volume=v.raw:u8:2,2,2 scale=linear image=no.png
err_has "project has no implementation 'cc' here; it has "
expect 1 le-run --run-type=smid project volume=v.raw:u8:2,2,2 image=no.png
err_has "there is no run type 'smid', which is forced; there are "
expect 1 le-run --device=gpu project volume=v.raw:u8:2,2,2 image=no.png
err_has "there is no device 'gpu', which is forced; there "
expect 1 le-run --explain --device=gpu project volume=v.raw:u8:2,2,2
err_has "there is no device 'gpu', which is forced; there "
expect 1 env LE_DEVICE=gpu le-run project volume=v.raw:u8:2,2,2 image=no.png
err_has "there is no device 'gpu', which is forced; there "
if le-run --run-type=opencl project volume=v.raw:u8:2,2,2 >out 2>err; then
    expect 1 le-run --run-type=opencl --device=cpu project volume=v.raw:u8:2,2,2
    err_has "project: run type 'opencl' and device 'cpu' are forced, which exclude each other: the first needs an OpenCL device"
    expect 1 le-run --run-type=c --device=opencl project volume=v.raw:u8:2,2,2
    err_has "project: run type 'c' and device 'opencl' are forced, which exclude each other: the first runs on the CPU"
fi
for way in --run-type=reference --implementation=reference; do
    expect 0 env LE_RUN_TYPE=c le-run -v $way project volume=v.raw:u8:2,2,2
    err_has " by reference@cpu"
    expect 0 env LE_IMPLEMENTATION=c LE_DEVICE=gpu le-run -v $way --device=cpu project volume=v.raw:u8:2,2,2
    err_has " by reference@cpu"
done
for variable in LE_ISA LE_LOG LE_MODE; do
    expect 2 env $variable=typo le-run project volume=v.raw:u8:2,2,2
    err_has "$variable is 'typo', expected "
done
[ ! -e no.png ] || fail "a picture of nobody"
expect 2 le-run --threads=4096 project volume=v.raw:u8:2,2,2
err_has "from 1 to 4095"
head -c 5000 /dev/urandom >damaged
{ printf 'SQLite format 3\000'; cat damaged; } >damaged.db
cp damaged.db as_it_was
expect 0 le-run --mode=frozen --db=damaged.db project volume=v.raw:u8:2,2,2
cmp -s damaged.db as_it_was || fail "a frozen database was taken away"
LE_MODE=frozen
export LE_MODE
expect 0 le-run --mode=measure --db=made/of.db project volume=v.raw:u8:2,2,2
unset LE_MODE
[ -s made/of.db ] || fail "--mode does not win over LE_MODE"
expect 0 le-run --repeat=3 --implementation=reference project volume=v.raw:u8:2,2,2 scale=linear image=p.png
[ "$(wc -l <out)" -eq 3 ] || fail "--repeat=3 printed $(wc -l <out) lines"
out_has "reference"
expect 0 le-run -v --threads=1 --tolerance=allclose --mode=estimate project volume=v.raw:u8:2,2,2 image=p.png
err_has "volume: u8[2,2,2] read in"
expect 0 le-run --explain project volume=v.raw:u8:2,2,2 image=never.png
out_has "choice "
out_has "reference"
[ ! -e never.png ] || fail "--explain wrote an image"
expect 0 le-run --explain=json project volume=v.raw:u8:2,2,2
out_has '"choice"'

# --- a volume beyond the memory limit ---
seq 1 40000 | tr -d '\n' | head -c 64000 >big.raw
set -- volume_render volume=big.raw:u8:40,40,40 size=24 angles=20,110 outside=0 scale=linear transfer=viridis:40:70:0.05
expect 0 le-run -v --implementation=reference "$@" images=whole_%d.png
err_has "volume: u8[40,40,40] read in"
expect 0 le-run -v --implementation=reference --memory-limit=64k "$@" images=boxed_%d.png
err_has "volume_render: 4 boxes in"
grep -q "read in" err && fail "the volume was read as a whole"
expect 0 env LE_MEMORY_LIMIT=64k le-run -v --implementation=reference "$@" images=never_%d.png
err_has "volume_render: 4 boxes in"
expect 0 env LE_MEMORY_LIMIT=64k le-run -v --implementation=reference --memory-limit=64M "$@" images=never_%d.png
err_has "volume: u8[40,40,40] read in"
for i in 0 1; do
    cmp whole_$i.png boxed_$i.png || fail "boxes make another picture"
done
expect 1 le-run --memory-limit=16k "$@"
err_has "of 16384 bytes, 0 are left for boxes"

expect 0 le-run --explain volume_render volume=v.raw:u8:2,2,2 size=2 angles=0 outside=0
out_has 'staged'
out_has 'chain      volume_render'
out_has 'transfer_function '

# --- explanations: 80 columns, ten lines that explain their words, nothing known is not a number ---
for call in "project volume=v.raw:u8:2,2,2" "volume_render volume=v.raw:u8:2,2,2 size=2 outside=0"; do
    # shellcheck disable=SC2086
    expect 0 le-run --db=known.sqlite3 --mode=measure $call
    for db in :memory: known.sqlite3; do
        # shellcheck disable=SC2086
        expect 0 le-run --explain --db=$db $call
        [ "$(wc -L <out)" -le 80 ] || { fail "--explain is $(wc -L <out) columns wide"; cat out; }
        [ "$(sed -n '/^candidate  an /,$p' out | wc -l)" -eq 10 ] || fail "no glossary of ten lines"
    done
done
for call in "project volume=v.raw:u8:2,2,2" "volume_render volume=v.raw:u8:2,2,2 size=2 outside=0"; do
    # shellcheck disable=SC2086
    expect 0 le-run --device=cpu --explain $call
    out_has "nothing has been measured"
    grep -qE '[0-9] [mun]s' out && { fail "a time from nothing"; cat out; }
done

# --- operations by family ---
expect 0 le-run --list
awk '/^[^ ]/ {family = $1; n[family]++} /^  [a-z]/ {of[$1] = family}
    END {for (f in n) if (n[f] != 1) exit 1; exit !(of["project"] == "volume" && of["esrrf"] == "superres")}' out ||
    { fail "--list does not group by family"; cat out; }

# --- chains ---
cat >chain.json <<'END'
{"name": "classified", "inputs": ["cube"],
 "steps": [{"operation": "interpolate", "args": {"volume": "cube", "size": 4, "outside": 0, "samples": "s"}},
           {"operation": "transfer_function", "args": {"samples": "s", "rgba": "colours"}}],
 "outputs": ["colours"]}
END
expect 0 le-run chain.json cube=v.raw:u8:2,2,2
out_has "colours: f32[4,4,4,4]"
expect 0 le-run chain.json --help
out_has "Usage: le-run chain.json cube=..."
expect 2 le-run chain.json tube=v.raw:u8:2,2,2
err_has "Try 'le-run chain.json --help'."
expect 0 le-run --explain chain.json cube=v.raw:u8:2,2,2
out_has "transfer_function"
for options in --run-type=c --implementation=c --run-type=staged --tolerance=1e-3 --objective=memory; do
    case $options in *=c) wanted_of=1 ;; *) wanted_of=0 ;; esac
    expect $wanted_of le-run $options chain.json cube=v.raw:u8:2,2,2
    grep -v "OpenCL is not used" err >run_says
    expect $wanted_of le-run --explain $options chain.json cube=v.raw:u8:2,2,2
    grep -v "OpenCL is not used" err >explained # of a build or a machine without, by each program once or by none
    cmp -s explained run_says || { fail "--explain $options says other things than the run"; cat run_says err; }
done
expect 0 le-run --explain project volume=v.raw:u8:2,2,2
! grep -i "built without" err || fail "what nobody has asked for is warned of"
expect 0 le-run --explain=json chain.json cube=v.raw:u8:2,2,2
out_has '"choice"'
out_has '"plan"'
expect 2 le-run chain.json
err_has "missing cube="
expect 1 le-run absent.json
err_has "No such file"
printf '{"name": 3' >bad.json
expect 2 le-run bad.json
err_has "bad.json: "

# --- TIFF stacks in and out: a 16-bit stack of our own writing, the same numbers as raw ---
python3 - <<'PY' || fail "no stack was written"
import random, struct
random.seed(5)
T, H, W = 4, 12, 15
frames = [[random.randrange(65536) for _ in range(H * W)] for _ in range(T)]
open("stack.raw", "wb").write(b"".join(struct.pack("<%dH" % (H * W), *f) for f in frames))
out = bytearray(b"II*\0\0\0\0\0")
link = 4  # where the next directory's offset goes
for f in frames:
    data = len(out)
    out += struct.pack("<%dH" % (H * W), *f)
    struct.pack_into("<I", out, link, len(out))
    tags = [(256, 4, W), (257, 4, H), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, data),
            (277, 3, 1), (278, 4, H), (279, 4, 2 * H * W)]
    out += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", t, k, 1, v) for t, k, v in tags)
    link = len(out)
    out += b"\0\0\0\0"
open("stack.tif", "wb").write(out)
PY
call="magnification=3 radius=1 frames_per_timepoint=2 temporal=avg"
# shellcheck disable=SC2086
if le-run --device=cpu --implementation=fused_c esrrf image=stack.tif $call result=out.tif >out 2>err; then
    expect 0 le-run --device=cpu --implementation=fused_c esrrf image=stack.raw:u16:4,12,15 $call result=out.h5:/result
    # both read back and joined to one image of 32-bit floats
    expect 0 le-run temporal_projection image=out.tif result=a.raw
    [ "$(wc -c <a.raw)" -eq $((36 * 45 * 4)) ] || fail "the joined image has $(wc -c <a.raw) bytes"
    expect 0 le-run temporal_projection image=out.h5:/result result=b.raw
    cmp -s a.raw b.raw || fail "esrrf of a TIFF stack differs from that of the same numbers"
    cat >stack.json <<'END'
{"name": "gradient_mean", "inputs": ["image"],
 "steps": [{"operation": "roberts_cross", "args": {"image": "image", "gradient_col": "c", "gradient_row": "r"}},
           {"operation": "temporal_projection", "args": {"image": "c", "result": "mean"}}],
 "outputs": ["mean"]}
END
    expect 0 le-run stack.json image=stack.tif mean=a.tif
    expect 0 le-run stack.json image=stack.raw:u16:4,12,15 mean=b.raw
    expect 0 le-run temporal_projection image=a.tif result=a.raw
    cmp -s a.raw b.raw || fail "a chain over a TIFF stack differs from that of the same numbers"
else
    grep -q "without libtiff" err || { fail "esrrf does not read and write TIFF"; cat err; }
    echo "skipped: TIFF"
fi

# --- profile ---
expect 0 le-run --profile=trace.json --repeat=2 project volume=v.raw:u8:2,2,2 image=p.png
out_has "project"
grep -q traceEvents trace.json || fail "no trace"

# --- Ctrl-C: the program dies by it, and no half-written file is left ---
truncate -s 8M zero.raw
timeout --preserve-status -s INT 0.7 le-run --implementation=reference volume_render \
    volume=zero.raw:f32:128,128,128 size=400 angles=0:359:360 outside=0 images=late.h5:/v >out 2>err
[ $? -eq 130 ] || { fail "Ctrl-C ends it with another status than 130"; cat err; }
[ -z "$(find . -name '*late*')" ] || fail "Ctrl-C leaves $(find . -name '*late*')"

# --- a file that cannot grow: one line, no signal, nothing left behind ---
if (ulimit -f 0; le-run --version >/dev/null 2>&1); then
    for place in full.h5:/v full.nrrd full.png; do
        (ulimit -f 0; le-run --device=cpu project volume=v.raw:u8:2,2,2 image=$place; echo "rc $?") 2>&1 | cat >err
        grep -q 'rc 1$' err || fail "$place: $(cat err)"
        [ "$(wc -l <err)" -eq 2 ] || fail "$place: not one line: $(cat err)"
        [ -z "$(find . -name '*full*')" ] || fail "$place: something is left: $(find . -name '*full*')"
    done
else
    echo "skipped: ThreadSanitizer does not start under a file size limit"
fi

# trials in the helper program know of the call's tolerance, by which operations choose their precision
{
    printf "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), }"
    printf '%56s\n' ''
    head -c 16384 /dev/zero
} >flat.npy
for row in 1 2 3 4 5 6 7 8; do
    echo "0.$row,0.25,$row,0.5,3,0.75,0.1,$row"
done >taps.csv
expect 0 env LE_LOG=warning le-run --tolerance=allclose --implementation=fft_f64_c convolve2d image=flat.npy \
    kernel=taps.csv result=out.npy
silent

finish
