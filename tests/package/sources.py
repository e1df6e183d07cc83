#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Every file that an implementation was built from is in its source hash.

The build writes which files each hash stands for. Here they are found anew: the compiler is asked again what
it reads for each object, symbols tell which objects an implementation consists of, and the #include lines of
OpenCL sources are followed.
usage: sources.py SOURCE_FOLDER BUILD_FOLDER
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

source_folder, build_folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])


def opencl_files(path, known=()):
    files = [path]
    for name in re.findall(r'#include "([^"]+)"', path.read_text()):
        part = source_folder / "cl" / name
        if part not in known:
            files += opencl_files(part, [*known, *files])
    return files


def files_read(entry):
    """Files of the project that the compiler reads for a command of compile_commands.json."""
    words = shlex.split(entry["command"])
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    text = subprocess.run([*words, "-M", "-MT", "x"], cwd=entry["directory"], check=True, capture_output=True,
                          text=True).stdout
    found = set()
    for word in text.removeprefix("x:").replace("\\\n", " ").split():
        path = (pathlib.Path(entry["directory"]) / word).resolve()
        if path.is_relative_to(build_folder / "cl"):
            family, kernel = path.stem.split("_", 1)
            found.update(opencl_files(source_folder / "cl" / family / f"{kernel}.cl"))
        elif path.is_relative_to(source_folder) and not path.is_relative_to(build_folder):
            found.add(path)
    return {str(path.relative_to(source_folder)) for path in found}


def objects():
    """Of the families and of the makers in the engine: {path: files}."""
    read, makers = {}, set()
    for entry in json.loads((build_folder / "compile_commands.json").read_text()):
        output = re.search(r" -o (\S+)", entry["command"])[1]
        if "/engine/chain/" in entry["file"] and "le_engine.dir" in output:
            makers |= files_read(entry)
        elif "le_methods" in output:
            read[str(pathlib.Path(entry["directory"]) / output)] = files_read(entry)
    return read, makers


def symbols(paths):
    defined, needed = {}, {path: set() for path in paths}
    for path in paths:
        for line in subprocess.run(["nm", "-g", path], check=True, capture_output=True, text=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind == "U":
                needed[path].add(name)
            else:
                defined[name] = path
    return defined, needed


def behind(roots, defined, needed):
    todo, done = list(roots), set()
    while todo:
        path = todo.pop()
        if path not in done:
            done.add(path)
            todo += [defined[name] for name in needed[path] if name in defined]
    return done


def hashed():
    """{"operation implementation": (hash, files)} as the build says."""
    known, files = {}, None
    for line in (build_folder / "le_method_sources.txt").read_text().splitlines():
        if line.startswith(" "):
            files.add(line.strip())
        else:
            name, number = line.rsplit(" ", 1)
            files = set()
            known[name] = number, files
    return known


read, makers = objects()
defined, needed = symbols(read)
known = hashed()
table = (build_folder / "le_method_table.c").read_text()
bad = 0


def compare(name, files):
    global bad
    number, covered = known.get(name, ("", set()))
    missing = sorted(files - covered)
    if missing or number not in table or not re.fullmatch("[0-9a-f]{16}", number):
        bad += 1
        print(f"{name}: hash '{number}' lacks {', '.join(missing) or 'nothing, but is not in the table'}")


implementations = [name for name in defined if name.startswith("le_implementation_")]
for symbol in implementations:
    operation, name = symbol.removeprefix("le_implementation_").split("__", 1)
    used = behind([defined[symbol], defined[f"le_operation_{operation}"]], defined, needed)
    compare(f"{operation} {name}", set().union(*(read[path] for path in used)))
for symbol in defined:
    if symbol.startswith("le_operation_"):
        used = behind([defined[symbol]], defined, needed)
        compare(f"{symbol.removeprefix('le_operation_')} (engine)", makers.union(*(read[path] for path in used)))
compare("(engine)", makers)
if len(implementations) < 10 or not makers:
    bad += 1
    print(f"only {len(implementations)} implementations and {len(makers)} files of makers found")
print(f"{len(implementations)} implementations, {len(read)} objects, {bad} with files missing")
sys.exit(bad != 0)
