#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# le-bench from the outside: usage: le-bench.sh FOLDER_OF_LE_BENCH
PATH=$(cd "$1" && pwd):$PATH
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"
LE_DEVICE=cpu
LE_DB=$folder/timings.sqlite3
export LE_DEVICE LE_DB

# --- help, usage ---
expect 0 le-bench --version
out_has "le-bench 0."
expect 0 le-bench --help
expect 2 le-bench --verify --overhead
expect 2 le-bench --sizes=0 project
expect 2 le-bench --sizes=16,,32 project
err_has "--sizes has '16,,32'"
for words in project '--verify project' --rivals=project; do
    # shellcheck disable=SC2086
    expect 2 le-bench --dtype=f16 $words
    err_has "--dtype has 'f16'"
    [ ! -s out ] || fail "le-bench --dtype=f16 $words goes on"
done
expect 2 le-bench --json project
err_has "--json needs --overhead, --profile, --suite, --suite=chain or --suite=choices"
# one problem has one size and one dtype; what a way does not look at is refused
for way in --suite=project --profile=project --rivals=project '--time=c@cpu project'; do
    for list in --dtype=all --dtype=u8,f32 --sizes=8,12; do
        # shellcheck disable=SC2086
        expect 2 le-bench $way $list --repeat=1
        err_has "one problem is measured"
    done
done
for words in '--profile=project composite --json' '--profile=project composite --trace=none.json' \
    '--rivals=composite project' '--time=c@cpu project composite' '--suite=volume project' '--overhead project' \
    '--suite=choices -o none.svg project' '--suite=choices --dtype=u8 project' '--suite=choices --problem=x project' \
    '--problem=image=f32[4] project' '--candidate=zzz project' '--verify --sizes=9 project' '--verify --problem=x project' \
    '--replay=none.json --sizes=8' '--replay=none.json --mode=frozen' '--replay=none.json --mode=estimate' \
    '--profile=project --problem=volume=u8[8,8,8] --sizes=8' '--list-devices --json' '--profile=project --budget=3'; do
    # shellcheck disable=SC2086
    expect 2 timeout 20 le-bench $words
    [ ! -s out ] || fail "le-bench $words goes on"
done
for words in '--verify --cases=1.5' '--verify --cases=1e7' '--verify --seed=1e18' '--verify --seed=0.5' \
    '--time=c@cpu --repeat=1.5' '--time=c@cpu --repeat=1e9'; do
    # shellcheck disable=SC2086
    expect 2 timeout 20 le-bench $words project
    err_has "is no whole number"
    option=${words##*--}
    err_has "--${option%=*} has '${option#*=}'"
done
expect 1 le-bench --profile=project --problem='volume=u8[99999999,99999999,99999]'
err_has "too large"
grep -q "''" err && { fail "an error quotes nothing"; cat err; }
expect 2 le-bench --rivals=project -o chart.svg
err_has "--output needs --suite or --suite=chain"
le-bench --quiet --sizes=8 --limit=0.01 composite 2>/dev/null
cp "$LE_DB" kept.sqlite3
expect 1 le-bench --suite=composite --sizes=8 --repeat=1 --output="$LE_DB"
err_has "is the timings database itself"
cmp -s kept.sqlite3 "$LE_DB" || fail "a chart replaced the database"
cp kept.sqlite3 site.sqlite3
for words in '--suite=composite -o' '--profile=composite --trace'; do
    # shellcheck disable=SC2086
    expect 1 env LE_SITE_DB=site.sqlite3 le-bench $words site.sqlite3 --sizes=8 --repeat=1
    err_has "site.sqlite3 is a database of the site"
done
cmp -s kept.sqlite3 site.sqlite3 || fail "a database of the site was replaced"
for words in '' --verify --profile --rivals '--time=c@cpu' --suite=choices '--suite=choices --json' --suite=chain; do
    case $words in --profile | --rivals) words=$words=projct ;; *) words="$words projct" ;; esac
    # shellcheck disable=SC2086
    expect 2 le-bench $words
    err_has "there is no operation 'projct' (did you mean project?)"
    [ ! -s out ] || fail "le-bench $words goes on"
done
# devices are those that are allowed
expect 0 env LE_DEVICE= le-bench --list-devices --devices=cpu
grep -q '^cpu' out || fail "no CPU"
expect 0 env LE_DEVICE= le-bench --list-devices
if grep -q '^opencl:0' out; then
    expect 0 env LE_DEVICE= le-bench --list-devices --devices=opencl
    grep -q '^opencl:0' out || fail "no OpenCL device"
    grep -q '^cpu' out && fail "a device that is not allowed is listed"
fi
if grep -q '^opencl:0' out; then
    expect 0 env LE_DEVICE= LE_CL_DIR=/nowhere/kernels le-bench --list-devices --devices=opencl
    [ "$(grep -c "there is no folder '/nowhere/kernels' (LE_CL_DIR)" err)" -eq 1 ] || { fail "LE_CL_DIR that is not there"; cat err; }
    expect 0 env LE_DEVICE= LE_CL_DIR="$folder" le-bench --list-devices --devices=opencl
    silent
fi
expect 1 env LE_DEVICE= le-bench --list-devices --devices=abacus
err_has "there is no such device"
# a device that is not there is told by each way, before anything is printed, and not skipped
for words in '--verify --cases=1 composite' '--verify --cases=1 --in-process composite' --list-devices --suite=composite \
    composite '--budget=1 composite project' \
    --suite=chain '--suite=choices composite' --profile=composite --rivals=composite '--time=c@cpu composite' --overhead; do
    # shellcheck disable=SC2086
    expect 1 env LE_DEVICE= le-bench --devices=abacus $words
    grep -q "^le-bench: --devices has 'abacus', but there is no such device; there .* cpu" err ||
        { fail "le-bench --devices=abacus $words does not say what there is"; cat err; }
    [ "$(wc -l <err)" -eq 1 ] || { fail "le-bench --devices=abacus $words says more"; cat err; }
    [ ! -s out ] || fail "le-bench --devices=abacus $words goes on"
done
expect 1 env LE_DEVICE=abacus le-bench --verify --cases=1 composite
err_has "LE_DEVICE is 'abacus', but there is no such device; there "
expect 1 env LE_DEVICE= LE_OPENCL_LIBRARY=/nowhere.so le-bench --verify --cases=1 --devices=opencl composite
err_has "--devices has 'opencl', but there is no OpenCL device; there is cpu"
expect 1 le-bench --verify --cases=1 --devices="$(printf '%01000d' 7)" composite
[ "$(wc -c <err)" -lt 400 ] || fail "an error has $(wc -c <err) characters"
expect 0 le-bench --help-env
out_has "LE_DB"
[ "$(wc -L <out)" -le 80 ] || { fail "--help-env is $(wc -L <out) columns wide"; cat out; }
if [ -n "${LE_SOURCE_DIR:-}" ]; then
    sed -n 's/^\(LE_[A-Z_]*\) .*/\1/p' out | while read -r variable; do
        grep -q "^| \`$variable\` |" "$LE_SOURCE_DIR/docs/environment.md" || echo "$variable"
    done >missing
    [ -s missing ] && fail "not in docs/environment.md: $(cat missing)"
fi
if [ -n "${LE_SOURCE_DIR:-}" ]; then
    le-bench --help | grep -o -- '--[a-z][a-z-]*' | sort -u | while read -r option; do
        case $option in --help | --usage | --version) continue ;; esac
        name=$(echo "$option" | sed 's/^--//')
        grep -q -- "Fl -$name" "$LE_SOURCE_DIR/tools/man/le-bench.1" || echo "$option: not in le-bench.1"
        grep -q -- "$option" "$LE_SOURCE_DIR/tools/completion/le-bench" || echo "$option: not completed"
    done >missing
    [ -s missing ] && fail "$(cat missing)"
fi

# --- what cannot be written is a failure, whoever writes it ---
for words in --help --version --usage --help-env --list-devices '--suite=composite --sizes=8 -n 1' \
    '--suite=composite --sizes=8 -n 1 --json' '--profile=composite --sizes=8 -n 1' '--sizes=8 composite'; do
    # shellcheck disable=SC2086
    le-bench $words >/dev/full 2>err
    [ $? -eq 1 ] || fail "le-bench $words into a full disk ended with another status than 1"
    err_has "standard output cannot be written"
    [ "$(grep -c 'standard output' err)" -eq 1 ] || fail "le-bench $words says so twice"
done
(ulimit -f 1; exec le-bench --suite=composite --sizes=8 -n 1 -o small.svg >/dev/null 2>&1) | cat
[ ! -e small.svg ] || fail "a chart that found no room was kept"
for db in /proc/none.sqlite3 text.txt; do
    echo "no database" >text.txt
    expect 1 le-bench --db=$db --sizes=8 composite
    err_has "$db: what was measured could not be stored"
done
[ "$(cat text.txt)" = "no database" ] || fail "a file that is no database was changed"
expect 0 le-bench --db=:memory: --sizes=8 composite

# --- measuring ahead; what is stored is not measured again ---
expect 0 le-bench --sizes=24,32 project composite
out_has "project  volume=f32[32,32,32]"
err_has "0 failed"
expect 0 le-bench --sizes=24,32 --budget=0.000001 project composite
err_has "the budget is spent"
expect 0 le-bench --quiet --sizes=24 --again project
[ -s out ] && fail "--quiet prints"
expect 0 le-report project
out_has "@cpu[threads="

# --- each problem has an end, and on a terminal the time left is shown from the first one on ---
expect 0 timeout 60 le-bench --limit=0.0001 --sizes=24 interpolate
out_has "to be measured again"
expect 0 timeout 120 le-bench --db=once.db --limit=0.5 --dtype=f32 --devices=cpu convolve2d
[ "$(grep -c '^convolve2d' out)" -eq 1 ] || fail "a problem that needs longer is told of again"
err_has "1 measured"
python3 - >terminal <<'PY' || fail "le-bench fails on a terminal"
import os, pty, sys
status = pty.spawn(["le-bench", "--sizes=16", "--again", "project", "composite"])
sys.exit(os.waitstatus_to_exitcode(status))
PY
grep -q '\[1/2\] project size 16, at most [0-9]* min left' terminal || { fail "no time left at first"; cat terminal; }
grep -q 'left\(project\|composite\)  ' terminal && { fail "a result stands behind the progress"; cat terminal; }
grep -q '\[2/2\] composite size 16, about [0-9]* s left' terminal || { fail "no time left"; cat terminal; }

# --- how good choices are: a number for each size, whatever it is ---
le-bench --suite=choices --sizes=16,24 --repeat=3 --json project >out 2>err
[ $? -le 1 ] || fail "--suite=choices: $(cat err)"
python3 - out <<'PY' || { fail "--suite=choices --json"; cat out; }
import json, sys
got = json.load(open(sys.argv[1]))
assert [(c["operation"], c["size"]) for c in got["choices"]] == [("project", "16"), ("project", "24")], got
for way in "measured", "learnt":
    assert got[way]["choices"] == 2 and 0 < got[way]["intervals"] >= got[way]["intervals_right"] >= 0, got
    assert abs(got[way]["median_above"] - sum(c[way + "_above"] for c in got["choices"]) / 2) < 1e-12, got
    assert all(-1 < c[way + "_above"] <= got[way]["most_above"] for c in got["choices"]), got
    assert got[way]["within"] == sum(c[way + "_above"] <= 0.03 for c in got["choices"]), got
known = [c["again_above"] for c in got["choices"] if c["again_above"] is not None]
assert got["again"]["choices"] == len(known) and all(-1 < a <= got["again"]["most_above"] for a in known), got
PY

# --- interrupted, it tells what it has, and leaves no file behind ---
mkdir scratch
for signal in SIGINT SIGHUP; do
    TMPDIR=$folder/scratch PYTHONUNBUFFERED=1 python3 - $signal >out 2>err <<'PY' || { fail "--suite=choices: $signal"; cat out err; }
import os, re, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
p = subprocess.Popen(["le-bench", "--suite=choices", "--sizes=16,20,24,28,32", "--repeat=3", "--limit=600", "project"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
lines = [p.stdout.readline(), p.stdout.readline()]  # the head, and the first size
while not os.listdir(os.environ["TMPDIR"]) and p.poll() is None:
    time.sleep(0.002)  # into the second one
p.send_signal(getattr(signal, sys.argv[1]))
rest, said = p.communicate(timeout=100)
assert p.returncode == 130, (p.returncode, said)
assert lines[1].split()[:2] == ["project", "16"], lines
assert re.search("after le-bench: [1-4] choices", rest) and re.search("200 calls in learn: [1-4] choices", rest), (lines, rest, said)
PY
done
[ -z "$(ls scratch)" ] || fail "left behind: $(ls scratch)"

# --- an interrupt leaves a sound database and a run that goes on ---
le-bench --sizes=16,20,24,28,32,40,48 --dtype=all >interrupted 2>&1 &
pid=$!
sleep 0.5
kill -INT "$pid" 2>/dev/null
wait "$pid"
got=$?
[ "$got" -eq 130 ] || [ "$got" -eq 0 ] || { fail "an interrupted run ended with $got"; cat interrupted; }
expect 0 le-report --csv
[ "$(wc -l <out)" -gt 2 ] || fail "the database is empty after an interrupt"
grep -q "quarantined" out && { fail "the interrupt was blamed on an implementation"; cat out; }

# --- one candidate again ---
expect 0 le-bench --time=c@cpu --repeat=3 --problem='volume=f32[24,24,24] axis=0 reduce=mean scale=log image=f32[24,24,3] rgb' project
out_has "3 runs: mean"
# an axis that is given as the number which stands for its absence
expect 0 le-bench --time=lines@cpu --repeat=2 --problem='image=f32[9,8,7] center=median deviation=std bounds=open keep=sequential axis=0(given) statistics=f64[10,8,7]' sigma_clip
expect 0 le-bench --time=c@cpu --repeat=2 --problem='image=f32[9] center=median deviation=std bounds=open keep=sequential axis=0 statistics=f64[10]' sigma_clip
expect 1 le-bench --time=c@cpu --problem='image=f32[40,40] result=f32[40,40] mode=same boundary=fill 63x63 rank 2 within the tolerance' convolve2d
err_has "no call can be made from the problem 'image=f32[40,40] result=f32[40,40] mode=same boundary=fill 63x63 rank 2"
expect 0 le-bench --time=c@cpu --repeat=3 --sizes=20 --dtype=u16 roberts_cross
out_has 'image=u16[4,20,20]'
expect 1 le-bench --time=no_such project
err_has "no candidate 'no_such'"

# --- verify ---
expect 0 le-bench --verify --cases=2 --seed=7 project
out_has "seed 7"
out_has "reference"
grep -q FAILED out && fail "project does not verify"
# slabs need a case that can be cut, which is not among the first ones
expect 0 le-bench --verify --cases=1 --devices=cpu shift_magnify
grep -q '^shift_magnify *slabs .* ok' out || fail "slabs were not verified: $(cat out)"

# an end that is asked for comes at once, and nobody is blamed for it
for words in '' --in-process; do
    python3 - "$words" <<'PY' || fail "--verify $words does not end when it is told to"
import signal, subprocess, sys, time
p = subprocess.Popen(["le-bench", "--verify", "--cases=1000", *sys.argv[1].split(), "project", "composite"],
                     stdout=subprocess.PIPE, text=True)
head = p.stdout.readline()
time.sleep(0.5)
begin = time.monotonic()
p.send_signal(signal.SIGTERM)
rest = p.communicate(timeout=60)[0]
assert p.returncode == 130 and head.startswith("seed ") and "FAILED" not in rest, (p.returncode, head, rest)
assert time.monotonic() - begin < 4, time.monotonic() - begin
PY
done

# --- what is left out for one reason is one line ---
expect 0 env LE_DEVICE= LE_ISA=none le-bench --verify --cases=1 --devices=cpu convolve2d
[ "$(grep -c 'instruction set' out)" -eq 1 ] || { fail "near-identical lines"; cat out; }
grep 'instruction set' out | grep -qE '(5|10) implementations .*: avx2, .*fft_avx' || { fail "no sum"; cat out; }

# --- profile: table, JSON, trace ---
expect 0 le-bench --profile=project --candidate=c@cpu --sizes=24 --repeat=3
out_has "project c@cpu"
out_has "share"
expect 0 le-bench --profile=project --candidate=c@cpu --sizes=24 --repeat=5 --json --trace=trace.json
python3 - out trace.json <<'PY' || fail "profile or trace is not as described"
import json, sys
p = json.load(open(sys.argv[1]))
assert p["schema"] == 1 and p["runs"] == 5
whole = [r for r in p["records"] if r["depth"] == 0 and r["kind"] == "run"]
assert any(r["depth"] == 1 and r["kind"] == "loop" for r in p["records"]) and abs(whole[0]["share"] - 1) < 1e-9
assert len(whole) == 1 and whole[0]["count"] == 5
assert whole[0]["min_s"] <= whole[0]["median_s"] <= whole[0]["max_s"]
t = json.load(open(sys.argv[2]))
events = t["traceEvents"]
assert sum(e["name"] == whole[0]["name"] for e in events) == 5 and all(e["ph"] in "XM" for e in events)
PY

# --- rivals: the choice against those close to it ---
expect 0 le-bench --rivals=project --sizes=24 --repeat=3
grep -q '^\* .*@' out || fail "--rivals does not mark the choice"
grep -q 'more than the best of' out || fail "--rivals does not compare the choice"
expect 2 le-bench --rivals=project --suite=volume

# --- suite: every implementation, chart, JSON ---
expect 0 le-bench --suite=project --sizes=24 --repeat=3 --json -o suite.svg
python3 - out suite.svg <<'PY' || fail "suite or chart is not as described"
import json, sys, xml.etree.ElementTree as tree
s = json.load(open(sys.argv[1]))
rows = {r["implementation"]: r for r in s["implementations"]}
assert {"reference", "c"} <= set(rows) and s["operation"] == "project"
for r in rows.values():
    assert len(r["seconds"]) == 3 and abs(sum(r["seconds"]) / 3 - r["mean_s"]) < 1e-9 and r["within_tolerance"]
svg = tree.parse(sys.argv[2]).getroot()
text = " ".join(svg.itertext())
assert svg.tag.endswith("svg") and "c@cpu" in text and "project" in text
PY
expect 2 le-bench --suite=nothing

# --- suite of a family: each of its operations, also those that are no steps of the composite one ---
expect 0 le-bench --suite=scattering --sizes=40 --repeat=1
for operation in bitshuffle_lz4 azimuthal_sigma_clip azimuthal_median integrate_stored; do
    grep -q "^$operation  " out || fail "--suite=scattering leaves out $operation"
done

# --- suite=chain: planned beside forced, chart, JSON ---
expect 0 le-bench --suite=chain --sizes=16,8 --repeat=2 --json -o chain.svg
python3 - out chain.svg <<'PY' || fail "chain suite or chart is not as described"
import json, sys, xml.etree.ElementTree as tree
s = json.load(open(sys.argv[1]))
assert s["suite"] == "chain" and s["operation"] == "esrrf" and [r["size"] for r in s["sizes"]] == [8, 16]
for r in s["sizes"]:
    ways = {w["name"]: w for w in r["ways"]}
    assert len(ways) == 5 and len(ways["planned"]["seconds"]) == 2
    assert ways["all on the CPU"]["candidate"].startswith("staged@cpu")
    forced = [w["median_s"] for n, w in ways.items() if n != "planned" and w["median_s"]]
    assert r["best"] in ways and abs(r["loss"] - (ways["planned"]["median_s"] / min(forced) - 1)) < 1e-9
    assert r["plan"]["why"] == "frozen" and r["plan"]["steps"][0]["operation"] == "esrrf"
text = " ".join(tree.parse(sys.argv[2]).getroot().itertext())
assert "planned" in text and "fused on the CPU" in text
PY
# a size for which there is no memory takes nothing from the others
expect 1 le-bench --suite=chain --sizes=1000000,8 --repeat=1
out_has "8x8"
expect 1 le-bench --suite=chain --sizes=8 roberts_cross
err_has "no composite operation"

# --- a volume of one's own: a ramp, whose mean along the first axis is known ---
cat >ramp.py <<'PY'
import struct
open("ramp.raw", "wb").write(struct.pack("<960f", *[1.0 + i for i in range(960)]))
PY
python3 ramp.py
expect 0 le-bench --suite=project --volume=ramp.raw:f32:8,10,12 --repeat=2 --json -o ramp.svg
python3 - out ramp.svg <<'PY' || fail "the suite does not run on the volume given"
import json, sys
s = json.load(open(sys.argv[1]))
assert s["volume"] == "ramp.raw:f32:8,10,12" and s["problem"].startswith("volume=f32[8,10,12] axis=0")
assert all(r["within_tolerance"] for r in s["implementations"]) and len(s["implementations"]) > 2
assert "ramp.raw" in open(sys.argv[2]).read()
PY
# a name of two-byte characters that no chart has room for, a control character in it, and one that is no UTF-8
python3 - <<'PY' || fail "odd names in charts or JSON"
import json, subprocess, xml.etree.ElementTree as tree
names = ["a" + 40 * "\u00e9" + ".raw", "b\x01.raw"]
for name in [*(n.encode() for n in names), b"l\xe9.raw"]:
    open(name, "wb").write(open("ramp.raw", "rb").read())
    said = subprocess.run([b"le-bench", b"--suite=project", b"--volume=" + name + b":f32:8,10,12", b"--repeat=1", b"--json",
                           b"-o", b"odd.svg"], stdout=subprocess.PIPE, check=True).stdout
    shown = name.decode(errors="replace")
    assert json.loads(said.decode())["volume"] == shown + ":f32:8,10,12", said
    text = " ".join(tree.parse("odd.svg").getroot().itertext())
    assert shown.replace("\x01", "\ufffd")[:30] in text and ("\ufffd" in text) == (name[0] != ord("a")), text
PY
ln -s ramp.raw link.svg
cp ramp.raw kept.raw
for words in '--suite=project -o ./ramp.raw' '--suite=project -o link.svg' '--profile=project --trace=ramp.raw'; do
    # shellcheck disable=SC2086
    expect 1 le-bench $words --volume=ramp.raw:f32:8,10,12 --repeat=1
    err_has "would replace the volume ramp.raw:f32:8,10,12; give it another place"
    [ ! -s out ] || fail "le-bench $words goes on"
    cmp -s ramp.raw kept.raw || { fail "le-bench $words replaced its volume"; cp kept.raw ramp.raw; }
done
expect 0 le-bench --suite=volume --volume=ramp.raw:f32:8,10,12 --repeat=1
out_has "ramp.raw:f32:8,10,12"
out_has "volume_render  volume=f32[8,10,12] size=5"
expect 0 le-bench --profile=project --candidate=c@cpu --volume=ramp.raw:f32:8,10,12 --repeat=1
out_has "volume=f32[8,10,12]"
expect 0 le-bench --suite=project --repeat=1
out_has "examples/data/web_128.h5"
out_has "volume=f32[128,128,128]"
expect 1 le-bench --suite=volume --volume=absent.h5:/density
err_has "absent.h5"
expect 1 le-bench --suite=volume --volume=ramp.raw:f32:96,10
err_has "expected samples on three axes"
expect 1 le-bench --suite=interpolate_at --volume=ramp.raw:f32:8,10,12
err_has "takes no volume"
expect 2 le-bench --suite=volume --volume=ramp.raw:f32:8,10,12 --sizes=24
expect 2 le-bench --verify --volume=ramp.raw:f32:8,10,12

# --- replay ---
if [ -n "${LE_SHARED:-}" ] && [ -r "$LE_SHARED/traces/sizes_1.json" ]; then
    expect 0 le-bench --replay="$LE_SHARED/traces/sizes_1.json"
    out_has '"total_seconds"'
else
    echo "skipped: replay (no shared traces)"
fi
expect 1 le-bench --replay=absent.json
err_has "absent.json: cannot be opened: No such file or directory"
cat >endless.json <<'JSON'
{"schema":1,"name":"x","candidates":[{"name":"a","resource":"cpu"},{"name":"b","resource":"cpu"}],
 "problems":[{"name":"p","work":0}],"samples":{},"slow":[],"calls":[{"problem":"p","count":6}],
 "models":{"a":{"overhead":0,"per_work":1,"exponent":-1,"cv":0},"b":{"overhead":1e-3,"per_work":0,"exponent":0,"cv":0}}}
JSON
expect 1 timeout 20 le-bench --replay=endless.json --mode=measure
err_has 'candidate "a" takes inf to inf seconds for problem "p"'
[ ! -s out ] || fail "a trace that is refused is replayed"
finish
