# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Runs the commands and programs of README.md and docs/*.md as they are printed.

A page is worked off from top to bottom, like a newcomer would, in a copy of the sources (without a build) whose
build/release is the build under test, with an empty home folder. Only what belongs to the machine is played:
package managers, and cmake's configuring and building, since the build is there already. The blocks that cannot
run are listed below with the reason; a block of which the test knows nothing fails it.

usage: printed.py SOURCE_FOLDER BUILD_FOLDER C_COMPILER [C_FLAGS]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD, COMPILER = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])
FLAGS = sys.argv[4] if len(sys.argv) > 4 else ""

# pages whose blocks a test of its own runs, or puts together to files
OTHER_TESTS = {"docs/adding-an-implementation.md", "docs/adding-an-operation.md", "docs/python.md"}

# (page, start of the line): why it is not run
NOT_RUN = {
    ("README.md", "sh tools/check.sh"): "the suite that runs this test",
    ("docs/cluster.md", "mpirun "): "needs MPI; tests/mpi/printed.sh and boxes.sh run them",
    ("docs/cluster.md", "srun "): "needs Slurm; tests/mpi/printed.sh runs the job script, scans.sh the like of the others",
    ("docs/how-it-decides.md", "le-bench --suite=choices"): "measures every operation for some minutes",
}

# blocks in languages that are not run
NOT_RUN_BLOCKS = {("docs/scans.md", "import h5py"): "needs pyFAI and a plugin of HDF5"}

# C that is a part of a function: (page, start of the block): (what stands before it, behind it)
PARTS_OF_C = {
    ("docs/chains.md", "le_chain *c;"): (
        """#include <liquid_engine/le_chain.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int64_t shape[] = {64, 64, 64};
    float *numbers = calloc(64 * 64 * 64, sizeof *numbers);
    le_tensor cube = le_tensor_of(numbers, LE_F32, 3, shape), frame = {0};
    for (int i = 0; i < 64 * 64 * 64; i++)
        numbers[i] = 1 + (float)(i % 7);
    if (!numbers) return 1;
""",
        """    fprintf(stderr, "%s\\n", le_error_message());
    bool wrong = frame.ndim != 3 || frame.shape[0] != 45;
    le_tensor_free(&frame);
    free(numbers);
    le_shutdown();
    return wrong;
}
""",
    ),
}

# JSON of a chain: the arguments with which le-run takes it
CHAINS = {("docs/chains.md", '{"name": "front_view"'): "volume=cube.h5:/density image=view.png"}

SHELL = re.compile(r"^(sh |mpirun |srun |le-|\./|cmake |ctest |cc |export |PATH=|LE_[A-Z_]+=|cp |mkdir )")


def blocks(text):
    """(language or None, lines without the indentation) of each code block, fenced or indented."""
    out, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        fence = re.match(r"^```(\w*)", lines[i])
        if fence:
            end = next(k for k in range(i + 1, len(lines)) if lines[k].startswith("```"))
            out.append((fence.group(1), lines[i + 1 : end]))
            i = end + 1
        elif lines[i].startswith("    ") and (i == 0 or not lines[i - 1].strip()):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            block = [line[4:] for line in lines[i:end]]
            while block and not block[-1].strip():
                block.pop()
            out.append((None, block))
            i = end
        else:
            i += 1
    return out


def language(given, block):
    if given:
        return {"bash": "sh", "shell": "sh"}.get(given, given)
    first = next(line for line in block if line.strip())
    if SHELL.match(first):
        return "sh"
    if first.startswith("{"):
        return "json"
    return "c" if any(";" in line for line in block) else "?"


def known(table, page, block):
    first = next((line for line in block if line.strip()), "")
    return next((v for (p, start), v in table.items() if p == page and first.startswith(start)), None)


class Page:
    """One page's blocks, run in a folder of its own."""

    def __init__(self, name, folder):
        self.name, self.folder, self.failures, self.ran = name, folder, [], 0
        self.clone, self.home, self.bin = (os.path.join(folder, d) for d in ("clone", "home", "bin"))
        shutil.copytree(
            SOURCE,
            self.clone,
            ignore=lambda d, names: [n for n in names if d == SOURCE and n in ("build", "frames", ".git", "cube.h5")],
        )
        os.makedirs(self.home)
        os.makedirs(self.bin)
        os.makedirs(os.path.join(self.clone, "build"))
        os.symlink(BUILD, os.path.join(self.clone, "build", "release"))
        self.play("apt-get", "exit 0")
        self.play("dpkg-query", "echo install ok installed")
        self.play("cmake", 'case $1 in --preset | --build) exit 0 ;; esac\nexec "%s" "$@"' % shutil.which("cmake"))
        self.play("cc", 'exec "%s" %s "$@"' % (shutil.which(COMPILER), FLAGS))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("LE_", "XDG_"))}
        self.env.update(HOME=self.home, PATH=self.bin + ":" + self.env["PATH"])
        if name != "README.md":  # whoever reads on has followed the first page
            shutil.copy(os.path.join(SOURCE, "examples", "data", "web_128.h5"), os.path.join(self.clone, "cube.h5"))
            self.env["PATH"] = os.path.join(BUILD, "tools") + ":" + self.env["PATH"]

        if name == "docs/imaging.md":
            self.sky()

    def sky(self):
        """An image and a kernel in the formats of which the page speaks."""
        def table(file, size, value):
            with open(os.path.join(self.clone, file), "w", encoding="utf-8") as f:
                for y in range(size):
                    f.write(",".join(str(value(y, x)) for x in range(size)) + "\n")
        table("map.csv", 64, lambda y, x: (y * 31 + x * 17) % 13 + (500 if (y // 3, x // 3) == (7, 11) else 0))
        table("psf.csv", 5, lambda y, x: 1 / (1 + abs(y - 2) + abs(x - 2)))
        table("one.csv", 1, lambda y, x: 1)
        for name in ("map", "psf"):
            for file in (name + ".h5:/data", name + ".fits"):
                self.execute("le-run convolve2d image=%s.csv kernel=one.csv result=%s" % (name, file), file)

    def play(self, command, script):
        path = os.path.join(self.bin, command)
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)

    def fail(self, what, text):
        self.failures.append("%s: %s\n%s" % (self.name, what, text))

    def execute(self, script, what):
        """Runs it in a shell that stops at the first error; what it exports is there for the next one."""
        keep = os.path.join(self.folder, "environment")
        whole = "set -e\n%s\nenv -0 >'%s'\n" % (script, keep)
        got = subprocess.run(["sh", "-c", whole], cwd=self.clone, env=self.env, timeout=540,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ran += 1
        if got.returncode:
            self.fail("'%s' ended with %d" % (what, got.returncode), got.stdout.decode(errors="replace")[-3000:])
            return
        with open(keep, "rb") as f:
            pairs = [p.split(b"=", 1) for p in f.read().split(b"\0") if b"=" in p]
        self.env = {k.decode(): v.decode() for k, v in pairs}

    def shell(self, block):
        lines, script = list(block), ""
        while lines:
            line = lines.pop(0)
            while line.endswith("\\") and lines:
                line += "\n" + lines.pop(0)
            if not known(NOT_RUN, self.name, [line]):
                script = line
                self.execute(script, line) if script.strip() else None

    def c(self, block):
        part = known(PARTS_OF_C, self.name, block)
        text = "\n".join(block) + "\n"
        if not part and "int main" not in text:
            self.fail("a part of a C program of which the test knows nothing", text)
            return
        with open(os.path.join(self.clone, "program.c"), "w", encoding="utf-8") as f:
            f.write(part[0] + text + part[1] if part else text)
        if part:
            build = os.path.join(self.clone, "build", "release")
            prefix = os.path.join(self.home, "installed")
            self.execute("cmake --install '%s' --prefix '%s' >/dev/null" % (build, prefix), "installing")
            self.execute("export PKG_CONFIG_PATH='%s/lib/pkgconfig' LD_LIBRARY_PATH='%s/lib'\n"
                         "cc program.c -o program $(pkg-config --cflags --libs liquid_engine)\n./program"
                         % (prefix, prefix), text.split("\n", 1)[0])

    def json(self, block):
        arguments = known(CHAINS, self.name, block)
        if not arguments:
            self.fail("JSON of which the test knows nothing", "\n".join(block))
            return
        with open(os.path.join(self.clone, "chain.json"), "w", encoding="utf-8") as f:
            f.write("\n".join(block))
        self.execute("le-run chain.json " + arguments, block[0])

    def cmake(self, block):
        consumer = os.path.join(self.folder, "consumer")
        os.makedirs(consumer)
        shutil.copy(os.path.join(self.clone, "program.c"), consumer)
        with open(os.path.join(consumer, "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write("cmake_minimum_required(VERSION 3.22)\nproject(consumer C)\nadd_executable(program program.c)\n"
                    + "\n".join(block) + "\n")
        real = shutil.which("cmake")
        self.execute("'%s' -S '%s' -B '%s/b' -DCMAKE_PREFIX_PATH=$HOME/.local -DCMAKE_C_COMPILER='%s' "
                     "-DCMAKE_C_FLAGS='%s'\n'%s' --build '%s/b'\n'%s/b/program'"
                     % (real, consumer, consumer, COMPILER, FLAGS, real, consumer, consumer), block[0])

    def run(self):
        with open(os.path.join(SOURCE, self.name), encoding="utf-8") as f:
            text = f.read()
        for given, block in blocks(text):
            if known(NOT_RUN_BLOCKS, self.name, block):
                continue
            kind = language(given, block)
            what = {"sh": self.shell, "c": self.c, "json": self.json, "cmake": self.cmake,
                    "python": lambda lines: None}.get(kind)  # tests/python/test_docs.py runs it
            if what:
                what(block)
            else:
                self.fail("a block of which the test knows nothing", "\n".join(block))


def main():
    pages = ["README.md", "examples/data/README.md"]
    pages += ["docs/" + n for n in sorted(os.listdir(os.path.join(SOURCE, "docs"))) if n.endswith(".md")]
    failures, ran = [], 0
    for name in pages:
        if name in OTHER_TESTS:
            continue
        with tempfile.TemporaryDirectory() as folder:
            page = Page(name, folder)
            page.run()
            ran += page.ran
            failures += page.failures
            if name == "README.md" and not page.failures:
                left = [n for n in os.listdir(os.path.join(page.clone, "frames")) if n.endswith(".png")]
                if len(left) < 11:
                    failures.append("README.md: its commands left only %s" % left)
    print("%d commands and programs" % ran)
    for failure in failures:
        print("FAILED: " + failure)
    sys.exit(1 if failures or ran < 15 else 0)


if __name__ == "__main__":
    main()
