#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# le-report from the outside: usage: le-report.sh FOLDER_OF_LE_REPORT REPORT_FIXTURE
PATH=$(cd "$1" && pwd):$PATH
fixture=$2
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"
"$fixture" db.sqlite3 || fail "no database to report on"

# --- help, usage ---
expect 0 le-report --version
out_has "le-report 0."
expect 0 le-report --help
expect 2 le-report --nonsense
expect 2 le-report --why
err_has "--why needs an operation"
expect 2 le-report --csv --json
err_has "only one of"
expect 2 le-report -o one --html two
err_has "two outputs are given, 'one' and 'two'"
expect 2 le-report --html=
err_has "an output is ''"
for words in '--json export db.json' '--why export db.json' '--html page.html export db.json' '-o one merge other' \
    '--device=gpu import db.json' '--all-machines export -' '--site export -'; do
    # shellcheck disable=SC2086
    expect 2 le-report --db=db.sqlite3 $words
    err_has "cannot be given with"
done
for words in '--keep-unknown' '--keep-unknown export db.json' '--keep-unknown --json'; do
    # shellcheck disable=SC2086
    expect 2 le-report --db=db.sqlite3 $words
    err_has "--keep-unknown needs import or merge"
done
[ ! -e db.json ] && [ ! -e page.html ] && [ ! -e one ] || fail "a refusal wrote a file"
if [ -n "${LE_SOURCE_DIR:-}" ]; then
    le-report --help | grep -o -- '--[a-z][a-z-]*' | sort -u | while read -r option; do
        case $option in --help | --usage | --version) continue ;; esac
        name=$(echo "$option" | sed 's/^--//')
        grep -q -- "Fl -$name" "$LE_SOURCE_DIR/tools/man/le-report.1" || echo "$option: not in le-report.1"
        grep -q -- "$option" "$LE_SOURCE_DIR/tools/completion/le-report" || echo "$option: not completed"
    done >missing
    [ -s missing ] && fail "$(cat missing)"
fi

# --- the choices: geometric means of the planted samples, runner-up, reference ---
expect 0 le-report --db=db.sqlite3
silent
out_has "image=f32[64,64] radius=2"
out_has "c@cpu[threads=2,schedule=static]  50.0 us"
out_has "20.0x the reference, error 1.0e-07, 3 samples"
out_has "runner-up c@cpu[threads=1,schedule=none]  60.0 us  1.20x"
out_has "avx2@cpu[threads=2,schedule=static]  400 us"
out_has "cl_tiled@opencl[tile=8]  2.00 ms"
out_has "3.00 us"
out_has "fastest measured, not yet chosen"
expect 0 le-report --db=db.sqlite3 fold
out_has "fold"
grep -q blur out && fail "an operation that was not asked for is shown"

# --- why: the inaccurate and the quarantined one are there with their reasons ---
expect 0 le-report --db=db.sqlite3 --why blur 'f32[256,256]'
out_has "fast@cpu"
out_has "5.0e-03"
out_has "quarantined: crashed with signal 11"
out_has '{"by":"race","runs":7}'
grep -q 'f32\[64,64\]' out && fail "a problem that was not asked for is shown"

# --- an unknown operation, a missing file, a file that is none ---
expect 0 le-report --db=db.sqlite3 nothing
err_has "no measurement of nothing; there is no such operation here"
expect 0 le-report --db=db.sqlite3 project
err_has "no measurement of project; le-bench makes some"
expect 0 le-report --db=db.sqlite3 --device=abacus
err_has "no measurement on a device with 'abacus' in its name"
: >site.sqlite3
# rows of the site are in every view that asks for them
for view in '' '--why blur' --csv --json; do
    # shellcheck disable=SC2086
    expect 0 env LE_SITE_DB=db.sqlite3 le-report --db=site.sqlite3 --site $view
    out_has blur
    # shellcheck disable=SC2086
    expect 0 env LE_SITE_DB=db.sqlite3 le-report --db=site.sqlite3 $view
    grep -q 'f32\[64' out && { fail "rows of the site, which nobody has asked for"; cat out; }
done
echo "some text" >text.txt
expect 1 le-report --db=text.txt
err_has "text.txt is not a timings database"
expect 1 le-report --db=absent.sqlite3
err_has "absent.sqlite3 cannot be read"
mkfifo pipe.sqlite3 # that nobody writes to
expect 1 timeout 20 le-report --db=pipe.sqlite3
err_has "pipe.sqlite3: cannot be opened"

# --- what cannot be read is not reported as empty, and no backup is replaced by nothing ---
cp db.sqlite3 damaged.sqlite3
dd if=/dev/zero of=damaged.sqlite3 bs=4096 seek=1 count=9 conv=notrunc 2>/dev/null
cp damaged.sqlite3 before.sqlite3
for db in damaged.sqlite3 text.txt; do
    for words in 'export backup' '--json -o backup' '--html backup' '--csv -o backup' 'export -' --json ''; do
        echo precious >backup
        # shellcheck disable=SC2086
        expect 1 le-report --db=$db $words
        err_has "timings database: $db is"
        [ "$(cat backup)" = precious ] || fail "le-report --db=$db $words replaced a backup"
        [ ! -s out ] || fail "le-report --db=$db $words writes to stdout"
    done
done
cmp -s damaged.sqlite3 before.sqlite3 || fail "a damaged database was changed"

# --- the database itself is no output, by whatever name ---
cp db.sqlite3 before.sqlite3
ln -s db.sqlite3 other_name
for words in 'export db.sqlite3' 'export other_name' '--html ./db.sqlite3' '--csv -o other_name'; do
    # shellcheck disable=SC2086
    expect 1 le-report --db=db.sqlite3 $words
    err_has "is the timings database itself"
    cmp -s db.sqlite3 before.sqlite3 || { fail "le-report $words destroyed the database"; cp before.sqlite3 db.sqlite3; }
done

# nor is one of the site, be it named or in a folder
mkdir sites
cp db.sqlite3 sites/s.sqlite3
ln -s sites/s.sqlite3 other_site
for sites in nowhere:sites "$PWD/sites/s.sqlite3"; do
    for words in 'export sites/s.sqlite3' 'export other_site' '--site --html ./sites/s.sqlite3' '--csv -o other_site'; do
        # shellcheck disable=SC2086
        expect 1 env LE_SITE_DB="$sites" le-report --db=db.sqlite3 $words
        err_has "is a database of the site"
        cmp -s db.sqlite3 sites/s.sqlite3 || { fail "le-report $words destroyed one"; cp db.sqlite3 sites/s.sqlite3; }
    done
done

# --- JSON, CSV, commands, regret ---
expect 0 le-report --db=db.sqlite3 --json
python3 - out <<'PY' || fail "the JSON is not what was planted"
import json, math, sys
r = json.load(open(sys.argv[1]))
assert r["schema"] == 1
p = {q["problem"]: q for q in r["problems"]}
big = p["image=f32[1024,1024] radius=2"]
(choice,) = big["choices"]
assert choice["candidate"] == "cl_tiled@opencl[tile=8]" and choice["stored"], choice
assert math.isclose(choice["time_s"], 2e-3, rel_tol=1e-6)
assert math.isclose(choice["reference_ratio"], 32, rel_tol=1e-6)
assert choice["runner_up"].startswith("avx2@cpu") and math.isclose(choice["runner_up_ratio"], 2, rel_tol=1e-6)
assert choice["evidence"]["runs"] == 7
c = {x["candidate"]: x for x in big["candidates"]}
# 90 % t interval of the mean of log(t/2), log t, log 2t: t * exp(-+ 2.919986 * log(2) / sqrt(3))
half = math.exp(2.919985580353725 * math.log(2) / math.sqrt(3))
assert math.isclose(c["avx2@cpu[threads=2,schedule=static]"]["low_s"], 4e-3 / half, rel_tol=1e-6)
assert math.isclose(c["avx2@cpu[threads=2,schedule=static]"]["high_s"], 4e-3 * half, rel_tol=1e-6)
assert c["wild@cpu"]["verdict"] == "quarantined"
assert c["cl_tiled@opencl[tile=8]"]["device"] == "Planted GPU"
assert r["accounts"][0]["explored_s"] == 0.5
PY
if [ -n "${LE_SOURCE_DIR:-}" ]; then # the evidence is whose it is, and a machine's parts are named above
    python3 - out "$LE_SOURCE_DIR/docs/database.md" <<'PY' || fail "members of the JSON that docs/database.md does not name"
import json, sys
page = open(sys.argv[2], encoding="utf-8").read()
def names(value):
    if isinstance(value, list):
        return set().union(*map(names, value)) if value else set()
    return set(value) | names([v for k, v in value.items() if k != "evidence"]) if isinstance(value, dict) else set()
missing = [n for n in names(json.load(open(sys.argv[1]))) if f"`{n}`" not in page]
assert not missing, missing
PY
fi
expect 0 le-report --db=db.sqlite3 --csv
python3 - out <<'PY' || fail "the CSV is not what was planted"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
odd = [r for r in rows if r["operation"] == "fold"]
assert len(odd) == 1 and odd[0]["problem"] == 'a=f64[10] mode="odd, <b>"', odd
assert abs(float(odd[0]["time_s"]) - 3e-6) < 1e-12
assert sum(r["chosen"] == "1" for r in rows) == 4
PY
# what another program has stored does not reach a terminal as it is
cp db.sqlite3 odd.sqlite3
python3 - <<'PY' || fail "no odd database"
import sqlite3
d = sqlite3.connect("odd.sqlite3")
for table in "problems", "candidates":
    d.execute(f"update {table} set operation = operation || char(27) || '[31m'")
d.commit()
PY
for view in '' --csv --regret --reproduce; do
    # shellcheck disable=SC2086
    expect 0 le-report --db=odd.sqlite3 $view
    grep -q "$(printf '\033')" out err && fail "le-report $view shows control characters"
done
# commands are for what le-bench can run, and each is there once
expect 0 le-report --db=db.sqlite3 --reproduce
[ ! -s out ] || { fail "commands for operations that le-bench has not"; cat out; }
err_has "4 left out: le-bench cannot make the call"
printf '\001\002\003\004\005\006\007\010' >v.raw
for words in '' '--rtol=0.5'; do
    expect 0 le-run --db=run.sqlite3 --mode=measure --device=cpu $words project volume=v.raw:u8:2,2,2
done
expect 0 le-run --db=run.sqlite3 --device=cpu convolve2d image=v.raw:u8:2,4 kernel=v.raw:u8:1,3 # no 15 x 15
expect 0 le-run --db=run.sqlite3 --device=cpu --implementation=slabs --memory-limit=2k project volume=v.raw:u8:2,2,2 axis=1
printf '%s' '{"name":"threshold;touch pwned;","inputs":["v"],
"steps":[{"operation":"project","args":{"volume":"v","image":"i"}}],"outputs":["i"]}' >odd.json
expect 0 le-run --db=run.sqlite3 --device=cpu odd.json v=v.raw:u8:2,2,2
printf '%s' '{"name":"red\u001b[31m","inputs":["v"],
"steps":[{"operation":"project","args":{"volume":"v","image":"i"}}],"outputs":["i"]}' >red.json
expect 2 le-run red.json v=v.raw:u8:2,2,2
err_has "the name of an operation is not one line"
expect 0 le-report --db=run.sqlite3 --reproduce
cp out commands
grep -q "^le-bench --time .* project$" commands || { fail "no command"; cat commands; }
[ -z "$(sort commands | uniq -d)" ] || { fail "a command is there twice"; cat commands; }
grep -q 'convolve2d\|slabs@\|touch' commands && { fail "commands that cannot be run"; cat commands; }
err_has " left out: le-bench cannot make the call"
if command -v le-bench >/dev/null; then
    while read -r line; do
        expect 0 sh -c "$line --repeat=1 </dev/null"
    done <commands
fi
[ ! -e pwned ] || fail "the name of an operation was run"
expect 0 le-report --db=run.sqlite3 --json
python3 - out commands <<'PY' || fail "the JSON has other commands"
import json, sys
got = [c["reproduce"] for p in json.load(open(sys.argv[1]))["problems"] for c in p["choices"]]
assert set(got) - {None} == set(open(sys.argv[2]).read().split("\n")) - {""} and None in got, got
PY
expect 0 le-report --db=db.sqlite3 --regret
out_has "25.0 %"
out_has "5.0 %"

# --- several devices are told apart; the runner-up is one that the constraint allows ---
"$fixture" several.sqlite3 several || fail "no second database"
expect 0 le-report --db=several.sqlite3 warp
out_has "opencl@Planted GPU[tile=8]  1.00 ms"
out_has "runner-up opencl@Other GPU"
out_has "Other GPU, driver 2"
[ "$(grep -c 'measured under load' out)" -eq 1 ] || { fail "what was measured under load is not marked"; cat out; }
[ "$(grep -c '^@Other GPU' out)" -eq 2 ] || { fail "two drivers are not two devices"; cat out; }
expect 0 le-report --db=several.sqlite3 --json warp
python3 - out <<'PY' || fail "a runner-up is not allowed by its constraint"
import json, sys
(p,) = json.load(open(sys.argv[1]))["problems"]
got = {c["constraint"][len("atol=1e-05 rtol=0"):].strip(): c["runner_up"] for c in p["choices"] if c["constraint"][5] == "1"}
want = {"device=cpu": "c@cpu", "run_type=simd": "avx512@cpu", "implementation=c": None,
        "device=planted gpu": None, "reproducible": None, "memory=1000": None}
for constraint, start in want.items():
    value = got[constraint]
    assert value is None if start is None else value.startswith(start), (constraint, value)
assert got[""].startswith("opencl@Other GPU"), got
assert len({c["candidate"] for c in p["candidates"]}) == len(p["candidates"])
PY

# altered OUT <<PY: the second database's rows, changed by this program in `d`, as another database
altered() {
    expect 0 le-report --db=several.sqlite3 export several.json
    cat >alter.py
    python3 - "$1" <<'PY' || fail "no altered database"
import copy, json, math, sys
d = json.load(open("several.json"))
def the(kind, **parts):
    return next(x for x in d[kind] if all(x[k] == v for k, v in parts.items()))
fold = the("problems", operation="fold")["id"]
def samples(factor, **other):
    s = copy.deepcopy(the("samples", problem=fold))
    s["clean"]["mean_log_s"] += math.log(factor)
    s.update(min_s=factor * s["min_s"], max_s=factor * s["max_s"], sketch=[], raw=[], **other)
    d["samples"].append(s)
exec(open("alter.py").read())
json.dump(d, open("altered.json", "w"))
PY
    rm -f "$1"
    expect 0 le-report --db="$1" --keep-unknown import altered.json
}

# --- who has failed does not answer, however fast; those behind him do ---
altered failed.sqlite3 <<'PY'
d["candidates"].append(dict(the("candidates", operation="fold"), id="991", implementation="wrong"))
samples(0.5, candidate="991")
d["verdicts"].append(dict(d["verdicts"][0], candidate="991", state="failed", reason="another result", size_class="a=f64|1"))
PY
expect 0 le-report --db=failed.sqlite3 fold
out_has "c@cpu  3.00 us"
expect 0 le-report --db=failed.sqlite3 --why fold
grep -q '^[ *]*wrong@cpu .*0\.50x' out || { fail "ratios are not those to the candidate that answers"; cat out; }

# --- of all machines all rows count, and CPU time is that of all rows ---
altered machines.sqlite3 <<'PY'
here = next(i for i in d["identities"] if i["kind"] == "machine")
d["identities"].append(dict(here, id="555", parts=dict(here["parts"], host="0123456789abcdef", cpu_model="Other CPU")))
d["identities"].append({"id": "77", "kind": "build", "parts": {"compiler": "gcc 13", "version": "0.2.0", "flags": "-O3"}})
the("samples", problem=fold).update(cpu_s=3, cpu_n=3)
samples(1000, machine="555", cpu_s=0, cpu_n=0)
samples(1, build="77", cpu_s=27, cpu_n=3)
d["accounts"].append(dict(the("accounts", operation="blur"), build="77", answered_s=4, explored_s=0.1, regret_s=0.5, calls=100))
PY
expect 0 le-report --db=machines.sqlite3 --json fold
python3 - out 3e-6 6 <<'PY' || fail "rows of this machine"
import json, math, sys
(p,) = json.load(open(sys.argv[1]))["problems"]
(c,) = p["candidates"]
assert math.isclose(c["time_s"], float(sys.argv[2]), rel_tol=1e-6) and c["samples"] == int(sys.argv[3]), c
assert math.isclose(c["cpu_s"], 5), c  # of 3 s in 3 runs and 27 s in 3 runs
PY
expect 0 le-report --db=machines.sqlite3 --all-machines --json fold
python3 - out 3e-5 9 <<'PY' || fail "rows of all machines"
import json, math, sys
(p,) = json.load(open(sys.argv[1]))["problems"]
(c,) = p["candidates"]
assert math.isclose(c["time_s"], float(sys.argv[2]), rel_tol=1e-6) and c["samples"] == int(sys.argv[3]), c
PY

# --- what was spent: of the operations asked for, all builds in one row ---
expect 0 le-report --db=machines.sqlite3 --regret blur
[ "$(grep -c '^blur ' out)" -eq 1 ] || { fail "an operation has several rows"; cat out; }
grep -q '^blur  *500  *6\.00 s  *600 ms  *10\.0 %  *600 ms  *10\.0 %' out || { fail "the sum of both builds"; cat out; }
grep -q '^warp' out && fail "an operation that was not asked for has a row"
expect 0 le-report --db=machines.sqlite3 --json blur
python3 - out <<'PY' || { fail "accounts in JSON"; cat out; }
import json, sys
(a,) = json.load(open(sys.argv[1]))["accounts"]
assert a["operation"] == "blur" and a["calls"] == 500 and abs(a["answered_s"] - 6) < 1e-9, a
PY
expect 0 le-report --db=machines.sqlite3 --html=page.html blur
[ "$(grep -o '<tr><td>[a-z]*</td><td class="n">[0-9]*</td>' page.html)" = '<tr><td>blur</td><td class="n">500</td>' ] ||
    fail "accounts in HTML"

# --- a choice stands, whatever devices are shown ---
expect 0 le-report --db=several.sqlite3 --device cpu --why blur 1024
out_has "atol=1e-05 rtol=0: cl_tiled@"
out_has "is the stored choice"
grep -q '^[ *]*cl_tiled@' out && { fail "a candidate of another device is shown"; cat out; }
expect 0 le-report --db=several.sqlite3 --device cpu blur
out_has "the choice is on another device:"
out_has "        cl_tiled@opencl[tile=8]"
out_has "c@cpu[threads=2,schedule=static]  50.0 us"
expect 0 le-report --db=several.sqlite3 --device cpu --reproduce blur
err_has "2 left out: " # the third is for another device

# --- what exploring took is a share, or a multiple, of answering: never 57182 % ---
expect 0 le-report --db=several.sqlite3 --regret
out_has "572x"
grep -qE '[0-9]{4,}(\.[0-9])? %' out && { fail "a share beyond all measure"; cat out; }

# --- 80 columns; words are explained in ten lines ---
for view in '' '--why blur' '--why warp' '--regret'; do
    # shellcheck disable=SC2086
    expect 0 le-report --db=several.sqlite3 $view
    [ "$(wc -L <out)" -le 80 ] || { fail "le-report $view is $(wc -L <out) columns wide"; cat out; }
done
expect 0 le-report --db=several.sqlite3 --why warp
out_has "too slow: stopped after 250 ms"
expect 0 le-report --db=several.sqlite3 --why blur
[ "$(sed -n '/^candidate  /,$p' out | wc -l)" -eq 10 ] || { fail "no glossary of ten lines"; cat out; }
grep -A3 '^  fast@cpu' out | grep -q "left out" || { fail "it is not said that fast may not answer"; cat out; }

# --- an implementation has one colour in all charts of a page, another one of its operation another ---
expect 0 le-report --db=several.sqlite3 --html=page.html
python3 - page.html <<'PY' || fail "colours change from chart to chart"
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
colours, charts = {}, 0
for svg in re.findall(r"<svg.*?</svg>", page, re.S):
    rows = re.findall(r'class="end[^"]*"[^>]*>(\w+)@[^<]*</text>\s*<(?:rect|circle)[^>]*class="s(\d+)', svg)
    rows += [(name, c) for c, name in re.findall(r'class="s(\d+)"/>\s*<text[^>]*>(\w+)@', svg)]
    charts += bool(rows)
    assert len({c for _, c in rows}) == len({n for n, _ in rows}), rows
    for name, colour in rows:
        colours.setdefault(name, set()).add(colour)
assert charts >= 5 and len(colours) >= 7, (charts, colours)
assert all(len(c) == 1 for c in colours.values()), colours
PY

# --- HTML: well-formed, self-contained, escaped ---
expect 0 le-report --db=db.sqlite3 --html=page.html
silent
grep -qE '(src|href)="?(https?:)?//' page.html && fail "the page loads something from elsewhere"
grep -q '<b>"' page.html && fail "a problem's text is not escaped"
grep -q 'Planted GPU\|cl_tiled@opencl' page.html || fail "the page lacks a candidate"
python3 - page.html <<'PY' || fail "the page's tags do not nest"
import sys
from html.parser import HTMLParser
void = {"meta", "br", "link", "img"}
class P(HTMLParser):
    def __init__(self):
        super().__init__(); self.stack = []; self.svg = 0
    def handle_starttag(self, tag, attrs):
        self.svg += tag == "svg"
        if tag not in void: self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, (tag, self.getpos())
p = P(); p.feed(open(sys.argv[1], encoding="utf-8").read())
assert not p.stack and p.svg >= 7, (p.stack, p.svg)
PY

# --- a folder whose name is no UTF-8 ---
python3 - db.sqlite3 <<'PY' || fail "a path that is no UTF-8"
import json, os, shutil, subprocess, sys
os.mkdir(b"d\xff")
shutil.copy(sys.argv[1].encode(), b"d\xff/db.sqlite3")
for view in b"--json", b"--html=-":
    text = subprocess.run([b"le-report", b"--db", b"d\xff/db.sqlite3", view], stdout=subprocess.PIPE, check=True).stdout.decode()
    assert "d\ufffd/db.sqlite3" in text
    assert view != b"--json" or json.loads(text)["database"] == "d\ufffd/db.sqlite3"
PY

# --- a page or a list for which there is no room: not kept, and told ---
for words in '--html=small' '--json -o small' '--csv -o small' '-o small'; do
    # shellcheck disable=SC2086
    { (ulimit -f 1; le-report --db=several.sqlite3 $words; echo "status $?") 2>&1; } | cat >out
    out_has "status 1"
    out_has "small cannot be written"
    [ ! -e small ] || fail "le-report $words kept a part"
done
for words in '' --json --csv --regret --help '--html=-' 'export -'; do
    # shellcheck disable=SC2086
    le-report --db=several.sqlite3 $words >/dev/full 2>err
    [ $? -eq 1 ] || fail "le-report $words into a full disk ended with another status than 1"
    err_has "standard output cannot be written: No space left on device"
done
for words in --html=/dev/full '--json -o /dev/full' '--csv -o /dev/full' '--why blur -o /dev/full' '-o /dev/full'; do
    # shellcheck disable=SC2086
    expect 1 le-report --db=several.sqlite3 $words
    [ "$(cat err)" = "le-report: /dev/full cannot be written: No space left on device" ] || { fail "le-report $words"; cat err; }
done

# --- export, import, merge ---
expect 0 le-report --db=db.sqlite3 export dump.json
expect 0 le-report --db=copy.sqlite3 --keep-unknown import dump.json
out_has "0 refused"
expect 0 le-report --db=copy.sqlite3 --keep-unknown import dump.json
out_has " 0 added"
le-report --db=db.sqlite3 --csv | cut -d, -f1-18 >a.csv
le-report --db=copy.sqlite3 --csv | cut -d, -f1-18 >b.csv
cmp -s a.csv b.csv || fail "the copy reports something else"
expect 0 le-report --db=merged.sqlite3 --keep-unknown merge db.sqlite3
le-report --db=merged.sqlite3 --csv | cut -d, -f1-18 >b.csv
cmp -s a.csv b.csv || fail "the merged database reports something else"
expect 0 le-report --db=strict.sqlite3 import dump.json
err_has "blur"
echo '{"schema":1' >broken.json
expect 1 le-report --db=copy.sqlite3 import broken.json
[ "$(cat err)" = "le-report: broken.json: nothing was added: line 2: not valid JSON here; the file is refused" ] ||
    { fail "not the reason alone"; cat err; }
le-report --db=db.sqlite3 --json >report.json
expect 1 le-report --db=copy.sqlite3 import report.json # JSON with a schema of its own
err_has 'report.json: nothing was added: line 1: not an export: "format" is missing'
for words in 'import absent.json' 'merge absent.sqlite3' 'merge broken.json'; do
    # shellcheck disable=SC2086
    expect 1 le-report --db=copy.sqlite3 $words
    [ "$(wc -l <err)" -eq 1 ] || { fail "le-report $words tells its reason twice"; cat err; }
    err_has "${words#* }: nothing was added: "
done
expect 2 le-report --db=copy.sqlite3 import

# --- what cannot be kept is not said to be added; what is no file stays what it is ---
expect 1 le-report --db=:memory: --keep-unknown import dump.json
err_has "the database is not on disk"
expect 1 le-report --db=copy.sqlite3 import absent.json
err_has "No such file"
expect 0 le-report --db=db.sqlite3 export made/by/export.json
silent
[ -s made/by/export.json ] || fail "export into a folder that was not there"
expect 1 le-report --db=db.sqlite3 export dump.json/export.json
err_has "dump.json/export.json could not be written: Not a directory"
mkfifo pipe
for command in export --html=pipe --json; do
    timeout 10 cat pipe >from_pipe &
    case $command in
    export) le-report --db=db.sqlite3 export pipe ;;
    --json) le-report --db=db.sqlite3 --json -o pipe ;;
    *) le-report --db=db.sqlite3 "$command" ;;
    esac || fail "$command into a pipe"
    wait
    [ -p pipe ] || fail "$command replaced a pipe by a file"
    [ -s from_pipe ] || fail "$command wrote nothing into the pipe"
    [ -p pipe ] || { rm -f pipe && mkfifo pipe; }
done
echo old >target
ln -s target link
expect 0 le-report --db=db.sqlite3 export link
[ -L link ] || fail "export replaced a link"
cmp -s target dump.json || grep -q '"schema"' target || fail "export did not write through a link"
# --- what a call would get now: predictions, and the reason of each one left out ---
printf '\001\002\003\004\005\006\007\010' >v.raw
expect 0 le-run --db=real.sqlite3 --device=cpu project volume=v.raw:u8:2,2,2 image=p.png
for words in '' 'volume=u8[2,2,2]' 'volume=u8[3,2,2]'; do
    # shellcheck disable=SC2086
    expect 0 env LE_ISA=none LE_DEVICE=cpu le-report --db=real.sqlite3 --why project $words
    out_has "a call now"
    out_has "predicted"
    grep -q "avx2@cpu.*left out: the CPU lacks an instruction set" out || fail "no reason for avx2"
done
[ "$(grep -c 'a call now' out)" -eq 1 ] || fail "an unknown problem is explained more than once"
expect 1 le-report --db=real.sqlite3 --why project 'volume=u8[2,2]'
err_has "expected [nx,ny,nz]"
expect 1 le-report --db=real.sqlite3 --why project 'volume=u8[3,2,2]' axi=1
err_has "has no measurement of project on such a problem"
err_has "project has no argument 'axi'"
expect 1 le-report --db=real.sqlite3 --why project 'volume=u8[3,2,2]' axis=1.9
err_has "expected a whole number: '1.9'"
expect 0 le-report --db=real.sqlite3 --why project 'volume=u8[3,2,2]' axis=1
out_has "axis=1"
expect 0 env LE_ISA=none le-report --db=real.sqlite3 --html=page.html
grep -q "a call now" page.html || fail "the page lacks predictions"
grep -q "the CPU lacks an instruction set" page.html || fail "the page does not say what is left out"

finish
