# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Promises about threads, signals and processes, tried many times: ``python tests/python/endurance.py [CHECK ...]``.

The tests try each a few times, because these take minutes and their times want a quiet machine. Every check prints one line of
figures and ends the program with status 1 when a promise is broken.
"""
import inspect
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import liquid_engine as le

SEED = int(os.environ.get("LE_TEST_SEED", "11"))
CHILDREN = int(os.environ.get("LE_TEST_CHILDREN", "200"))  # of each kind; fewer, to take them in parts
BROKEN = []


def promise(holds, text):
    if not holds:
        BROKEN.append(text)
        print(f"    broken: {text}", flush=True)


# Threads -------------------------------------------------------------------------------------------------------------------------

def calls_a_second(call, threads, calls):
    """How many, and all answers."""
    ready, answers = threading.Barrier(threads + 1), []

    def work():
        ready.wait()
        for _ in range(calls):
            answers.append(call())

    crew = [threading.Thread(target=work) for _ in range(threads)]
    for t in crew:
        t.start()
    ready.wait()
    start = time.perf_counter()
    for t in crew:
        t.join()
    return threads * calls / (time.perf_counter() - start), answers


def threads():
    """Four threads beside one, a kernel that uses one thread."""
    rng = np.random.default_rng(SEED)
    cube = np.exp(rng.normal(size=(40, 40, 40))).astype("f4")
    with le.Engine(db=":memory:", mode="estimate", threads=1, devices="cpu", implementation="c") as e:
        first = e.project(cube, reproducible=True)
        ratios, wrong = [], 0
        for _ in range(7):
            one, _ = calls_a_second(lambda: e.project(cube, reproducible=True), 1, 1000)
            four, answers = calls_a_second(lambda: e.project(cube, reproducible=True), 4, 1000)
            ratios.append(four / one)
            wrong += sum(not np.array_equal(a, first) for a in answers)
        promise(not wrong, f"{wrong} answers of threads differ")
        print(f"threads: 4 threads of 1000 calls each, {1e6 / one:.0f} us a call in one thread: median {np.median(ratios):.2f} "
              f"times as many calls a second as one thread ({min(ratios):.2f} to {max(ratios):.2f}), {os.cpu_count()} cores")


# Interrupts ----------------------------------------------------------------------------------------------------------------------

INTERRUPTED = ("reference", "c", "rays_avx2", "axis_avx512", "opencl", "opencl_image", "staged", "slabs_opencl", "chain", "bench", "learn",
               "read", "write")


def work_to_interrupt(kind, folder):
    """What is called until SIGINT arrives, and a short call whose answer must stay right."""
    rng = np.random.default_rng(SEED)
    cube = np.exp(rng.normal(size=(48, 48, 48))).astype("f4")
    views = dict(outside=0)
    if kind == "chain":
        @le.chain
        def edges(stack):
            sharp = le.shift_magnify(stack, magnification_row=2, magnification_col=2)
            return le.roberts_cross(sharp).gradient_row, sharp
        movie = rng.normal(size=(150, 300, 300)).astype("f4")
        return lambda: edges(movie), lambda: edges(movie[:2, :20, :20])[0]
    if kind == "bench":
        return (lambda: le.volume_render.bench(cube, 48, angles=np.arange(40.0), seconds=0.5, **views),
                lambda: le.volume_render(cube, 48, angles=[7.0, 8.0], **views))
    if kind == "learn":
        size = iter(range(40, 4000, 3))
        return (lambda: le.volume_render(cube, next(size), angles=np.arange(9.0), mode="measure", **views),
                lambda: le.volume_render(cube, 48, angles=[7.0, 8.0], **views))
    if kind in ("read", "write"):
        large = rng.normal(size=(100, 1000, 1000)).astype("f4")
        place, small = f"{folder}/large.h5:/x", f"{folder}/small.h5:/x"
        le.write(place, large)
        le.write(small, cube)
        if kind == "read":
            return lambda: le.read(place), lambda: le.read(small)
        return lambda: le.write(f"{folder}/other.h5:/x", large), lambda: le.read(small)
    views["implementation"] = kind
    angles = np.arange(1000.0 if kind in ("reference", "c", "staged") else 20000.0)
    return (lambda: le.volume_render(cube, 48, angles=angles, **views),
            lambda: le.volume_render(cube, 48, angles=[7.0, 8.0], **views))


def interrupt(kind):
    """20 interrupts of one kind of work; prints delays and broken promises. A process of its own."""
    rng = random.Random(SEED)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs in the background without it
    with tempfile.TemporaryDirectory(prefix="le_endurance_") as folder:
        try:
            work, short = work_to_interrupt(kind, folder)
            right = short()
        except (le.NoCandidate, le.UnknownError, le.Unsupported) as error:
            print(f"interrupts: {kind}: left out, {str(error).splitlines()[0]}")
            return
        delays, sent = [], [0.0]

        def send(after):
            time.sleep(after)
            sent[0] = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)

        while len(delays) < 20:
            sender = threading.Thread(target=send, args=(rng.uniform(0.05, 0.6),))
            try:
                sender.start()
                while True:
                    work()
            except KeyboardInterrupt:
                delays.append(time.monotonic() - sent[0])
            sender.join()
            promise(np.array_equal(short(), right) or np.allclose(short(), right, atol=1e-5),
                    f"{kind}: wrong answer after an interrupt")
        promise(max(delays) <= 0.3, f"{kind}: {max(delays):.2f} s from SIGINT to the exception")
        failed = [c.candidate for c in le.explain("volume_render", np.ones((48, 48, 48), "f4"), 48, angles=[7.0, 8.0], outside=0).candidates
                  if c.verdict == "failed"]
        promise(not failed, f"{kind}: verdicts against {failed}")
        print(f"interrupts: {kind}: worst {1e3 * max(delays):.0f} ms of 20, median {1e3 * np.median(delays):.0f} ms")


def interrupts():
    """SIGINT at random moments: the exception within 0.3 s, the next call right, nobody condemned."""
    for kind in INTERRUPTED:
        with tempfile.TemporaryDirectory(prefix="le_endurance_") as folder:
            done = subprocess.run([sys.executable, __file__, "interrupt", kind], check=False, timeout=600,
                                  env={**os.environ, "LE_DB": f"{folder}/timings.sqlite3"})
            promise(done.returncode == 0, f"interrupts: {kind} ended with {done.returncode}")


# Processes -----------------------------------------------------------------------------------------------------------------------

def expected():
    return np.exp(np.random.default_rng(SEED).normal(size=(8, 9, 10))).astype("f4")


def child(queue):
    cube = expected()
    answer = le.project(cube, axis=0, scale="linear", colormap="none")
    queue.put(bool(np.allclose(answer, cube.astype("f8").mean(axis=0), atol=1e-5)))


def processes():
    """200 children of each kind (LE_TEST_CHILDREN), under load, OpenCL opened before or not."""
    for opened in (False, True):
        for way in ("fork", "forkserver", "spawn"):
            done = subprocess.run([sys.executable, __file__, "children", way, str(int(opened))], check=False, timeout=3000)
            promise(done.returncode == 0, f"processes: {way} ended with {done.returncode}")


def children(way, opened):
    cube = expected()
    if opened:
        le.devices()
        opened = any("opencl" in d.id for d in le.devices())
        if opened:
            le.volume_render(cube, 8, angles=[1.0], outside=0, implementation="opencl")
    over = threading.Event()

    def load():  # the parent's own calls hold locks at the moment of a fork
        while not over.is_set():
            le.project(cube)

    crew = [threading.Thread(target=load) for _ in range(3)]
    for t in crew:
        t.start()
    context = multiprocessing.get_context(way)
    answers, hung, worst = [], 0, 0.0
    for _ in range(CHILDREN):
        queue = context.SimpleQueue()
        start = time.monotonic()
        process = context.Process(target=child, args=(queue,))
        process.start()
        process.join(120)
        worst = max(worst, time.monotonic() - start)
        if process.exitcode is None:
            hung += 1
            process.kill()
            process.join()
        elif process.exitcode == 0:
            answers.append(queue.get())
        queue.close()
    over.set()
    for t in crew:
        t.join()
    what = f"processes: {way}, OpenCL {'opened' if opened else 'not opened'}"
    print(f"{what}: {sum(answers)} right answers of {CHILDREN}, {hung} hung, slowest {worst:.1f} s")
    promise(sum(answers) == CHILDREN and not hung, what)


# Own operations ------------------------------------------------------------------------------------------------------------------

def registering():
    """Operations with bodies in numpy, registered and proven while other threads are busy."""
    over = threading.Event()
    cube = expected()

    def load():
        while not over.is_set():
            le.project(cube)
            sum(i * i for i in range(3000))

    crew = [threading.Thread(target=load) for _ in range(3)]
    for t in crew:
        t.start()
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=1000).astype("f4")
    proven = wrong = 0
    for k in range(200):
        @le.operation(name=f"more_{k}", atol=1e-5)
        def more(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return x * 2 + 1

        @more.numpy
        def plain(x, out):
            np.multiply(x, np.float32(2), out=out)
            out += 1

        wrong += not np.allclose(more(x, implementation="plain"), 2 * x + 1, atol=1e-5)
        proven += [c.verdict for c in more.explain(x).candidates if c.implementation == "plain"] == ["proven"]
    over.set()
    for t in crew:
        t.join()
    print(f"registering: {proven} of 200 proven, {wrong} wrong answers, 3 threads busy")
    promise(proven == 200 and not wrong, "registering: false verdicts")


CELL = """
import os, signal, sys, time, numpy as np, liquid_engine as le
x = np.linspace(-2, 2, 3000, dtype="f4")
for _ in range(int(sys.argv[1])):
    @le.operation(name="cell", atol=1e-4)
    def cell(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return np.tanh(x.astype("f8"))
    @cell.numpy
    def same(x, out):
        np.tanh(x, out=out)
    @cell.numpy
    def edited(x, out):
        np.tanh(x, out=out) # EDIT
    before = {c.implementation: c.verdict for c in cell.explain(x).candidates}
    for name in ("same", "edited"):
        assert np.abs(cell(x, implementation=name) - np.tanh(x.astype("f8"))).max() < 1e-4
    print(before["same"], before["edited"], flush=True)
time.sleep(0.5)  # what is learnt is committed every 200 ms
os.kill(os.getpid(), signal.SIGKILL)
"""


def cells():
    """A cell run five times, ended by SIGKILL, edited, run again in a new process."""
    with tempfile.TemporaryDirectory(prefix="le_endurance_") as folder:
        words = {**os.environ, "LE_DB": f"{folder}/timings.sqlite3"}

        def run(text, times):
            done = subprocess.run([sys.executable, "-c", text, str(times)], capture_output=True, text=True, check=False, env=words)
            promise(done.returncode == -signal.SIGKILL, f"cells: {done.stderr}")
            return [line.split() for line in done.stdout.splitlines()]

        first, again = run(CELL, 5), run(CELL, 2)
        changed = run(CELL.replace("# EDIT", "; out += 0"), 2)
        print(f"cells: first {first[0]}, then {first[1:]}, after SIGKILL {again}, edited {changed}")
        promise(first == [["unproven"] * 2] + [["proven"] * 2] * 4, "cells: the first process")
        promise(again == [["proven"] * 2] * 2, "cells: after SIGKILL")
        promise(changed == [["proven", "unproven"], ["proven"] * 2], "cells: after editing")


CHECKS = {f.__name__: f for f in (threads, interrupts, processes, registering, cells)}


def main(words):
    if words[:1] == ["interrupt"]:
        interrupt(words[1])
    elif words[:1] == ["children"]:
        children(words[1], words[2] == "1")
    else:
        unknown = [w for w in words if w not in CHECKS]
        if unknown:
            about = "\n".join(f"  {name:12} {inspect.getdoc(f)}" for name, f in CHECKS.items())
            raise SystemExit(f"no check {unknown[0]!r}; checks are\n{about}")
        print(f"seed {SEED}", flush=True)
        for name in words or CHECKS:
            CHECKS[name]()
    return bool(BROKEN)


if __name__ == "__main__":
    os.environ.setdefault("LE_DB", ":memory:")
    raise SystemExit(main(sys.argv[1:]))
