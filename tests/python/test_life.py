# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Threads, forks, signals."""
import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback

import numpy as np
import pytest

import liquid_engine as le


def test_threads_get_the_same_bits(rng):
    cube = np.exp(rng.normal(size=(24, 24, 24))).astype("f4")
    with le.Engine(db=":memory:", mode="estimate") as e:
        first = e.project(cube, reproducible=True)
        wrong = []

        def work():
            for _ in range(200):
                if not np.array_equal(e.project(cube, reproducible=True), first):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong


PROFILED = """
import threading
import numpy as np
import liquid_engine as le
cube = np.ones((20, 64, 64), "f4")
le.project(cube)
ended, failed = threading.Event(), []
def work():
    try:
        while not ended.is_set():
            le.project(cube)
    except Exception as error:
        failed.append(error)
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
seen = 0
for _ in range(500):
    with le.profile() as p:
        le.project(cube)
        try:
            le.profile().__enter__()
        except ValueError as error:
            seen += "under way already" in str(error)
    seen += any(r.kind == "run" and "project" in r.name for r in p.rows)
ended.set()
for t in threads:
    t.join()
print(seen, failed)
"""


def test_profiles_begin_and_end_beside_calls(new_process):
    """Calls on other threads wait for a moment, and a second profile is refused."""
    assert new_process(PROFILED) == "1000 []\n"


def test_profiles_do_not_begin_within_a_call():
    raised = []

    def look(_done):
        try:
            le.profile().__enter__()
        except RuntimeError as error:
            raised.append(str(error))

    cube = np.ones((300, 100, 100), "f4")
    le.shift_magnify(cube, magnification_row=2, magnification_col=2, implementation="reference", progress=look)
    assert raised[0] == "a profile cannot begin within a call of an operation"
    with le.profile() as p:
        le.project(cube)
    assert p.rows


REGISTERED = """
import threading, time
import numpy as np
import liquid_engine as le
x = np.outer(np.arange(16.0), np.arange(16.0)).astype("f4")
one, two = le.chain(lambda v: le.roberts_cross(v)[0]), le.chain(lambda v: (le.roberts_cross(v)[1], le.roberts_cross(v)[0]))
one(x), two(x)
f = one.register("changing")
col, row = le.roberts_cross(x)
ended, failed = threading.Event(), []
def work():
    try:
        while not ended.is_set():
            made = f(x)
            pair = made if isinstance(made, tuple) else (row, made)
            assert np.allclose(pair[0], row, atol=1e-5) and np.allclose(pair[1], col, atol=1e-5)
            le.operations()
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for i in range(300):
    (one, two)[i % 2].register("changing")
    one.register(f"another_{i}")
    time.sleep(0.0005)
ended.set()
for t in threads:
    t.join()
print(failed)
"""


def test_chains_are_registered_beside_calls(new_process):
    assert new_process(REGISTERED) == "[]\n"


LEFT = """
import sys, threading
import numpy as np
import liquid_engine as le
cube = np.ones((96, 96, 96), "f4")
under_way, fresh = threading.Event(), le.Engine(db=":memory:") if sys.argv[1] == "own" else None
def work():
    while True:
        le.volume_render(cube, 96, angles=np.arange(50.), outside=0, implementation="reference", engine=fresh,
                         progress=lambda done: under_way.set())
threading.Thread(target=work, daemon=True).start()
under_way.wait()
print("ends")
"""


@pytest.mark.parametrize("engine", ["default", "own"])
def test_a_program_ends_while_a_thread_calls(new_process, engine):
    """Nobody waits for a daemon thread: its call ends with the program, not in the midst of a loop of the pool."""
    for _ in range(4):
        assert new_process(LEFT, engine) == "ends\n"


LOOPS = """
import threading, time
import numpy as np
import liquid_engine as le
cube = np.ones((20, 20, 20), "f4")
def work():
    while True:
        le.project(cube)
le.project(cube)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
begun = time.monotonic()
le._core.close_default()
print(time.monotonic() - begun)
"""


def test_threads_that_call_in_a_loop_begin_no_more_calls(new_process):
    """Those under way take a millisecond: the program does not wait until there is none by chance."""
    assert float(new_process(LOOPS)) < 1.9  # 2 where it waits


def test_a_handler_at_exit_may_call(new_process):
    """It runs after the module's own, on the thread that ends the program."""
    assert new_process("""
import atexit
import numpy as np
def last():
    made = engine.volume_render(np.ones((96, 96, 96), "f4"), 96, angles=np.arange(20.), outside=0, progress=seen.append,
                                implementation="reference")
    print(made.shape, len(seen) > 0)
atexit.register(last)
import liquid_engine as le
seen, engine = [], le.Engine(db=":memory:")
le.project(np.ones((4, 4, 4), "f4"))
""") == "(20, 96, 96, 3) True\n"


AT_EXIT = """
import atexit
import numpy as np
def early():
    try:
        print(le.project(cube).shape)
    except ValueError as error:
        print(str(error).partition(":")[0])
atexit.register(early)
import liquid_engine as le
def late():
    print(le.project(cube).shape, le._core.is_open())
atexit.register(late)
cube = np.ones((4, 5, 6), "f4")
"""


@pytest.mark.parametrize("first", ["", "le.project(cube)", "le.project(cube), le.default_engine().close()"])
def test_the_default_engine_at_exit(new_process, first):
    """It is open for what is registered after the import, whether a call has been made before or not."""
    shown = "(5, 6, 3) True\nthe engine has been closed, since the program ends\n"
    assert new_process(AT_EXIT + first) == shown


def test_python_runs_while_the_library_works(rng):
    cube = np.exp(rng.normal(size=(96, 96, 96))).astype("f4")
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    t = threading.Thread(target=count)
    t.start()
    before = counted[0]
    le.volume_render(cube, 96, angles=np.arange(8.0), outside=0, implementation="reference")
    seen = counted[0] - before
    done.set()
    t.join()
    assert seen > 3


def _answer(_):
    cube = np.ones((8, 8, 8), "f4")
    return float(le.project(cube, axis=0, scale="linear", colormap="none").sum())


@pytest.mark.parametrize("way", ["fork", "forkserver", "spawn"])
def test_processes(way):
    assert _answer(0) == 64
    with multiprocessing.get_context(way).Pool(2) as pool:
        assert pool.map(_answer, range(6), chunksize=1) == [64.0] * 6
    assert _answer(0) == 64


def _in_child(work):
    """0 when a forked child found work() true; one that hangs ends by SIGALRM."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(40)
            code = 0 if work() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_forked_children(rng):
    """The default engine is the child's own; another one of the parent's is refused."""
    cube = np.exp(rng.normal(size=(8, 8, 8))).astype("f4")
    mine = le.project(cube)
    with le.Engine(db=":memory:") as e:
        e.project(cube)

        def work():
            same = np.allclose(le.project(cube), mine, atol=1e-5)
            with pytest.raises(NotImplementedError, match="another process"):
                e.project(cube)
            return same

        for _ in range(20):
            assert _in_child(work) == 0
        assert np.allclose(e.project(cube), mine, atol=1e-5)


def test_forked_children_beside_busy_threads(rng, tmp_path, hdf5):
    """Whatever the parent's threads are in the middle of: calls, learning, the database, files, chains."""
    cube = np.exp(rng.normal(size=(8, 8, 8))).astype("f4")
    place, over = f"{tmp_path}/cube.h5:/x", threading.Event()
    le.write(place, cube)

    @le.chain
    def edges(stack):
        return le.roberts_cross(stack).gradient_row

    right = le.project(cube), edges(cube)

    def learn():
        for size in itertools.cycle(range(4, 40)):
            if over.is_set():
                return
            with le.Engine(db=":memory:") as e:
                e.project(np.ones((size, size, 5), "f4"), mode="measure")

    def keep(call):
        while not over.is_set():
            call()

    def work():
        return (np.allclose(le.project(cube), right[0], atol=1e-5) and np.allclose(edges(cube), right[1], atol=1e-5)
                and np.array_equal(le.read(place), cube))

    crew = [threading.Thread(target=learn), threading.Thread(target=keep, args=(lambda: edges(cube),)),
            threading.Thread(target=keep, args=(lambda: le.read(place),))]
    for t in crew:
        t.start()
    codes = [_in_child(work) for _ in range(20)]
    over.set()
    for t in crew:
        t.join()
    assert codes == [0] * 20


LONG = """
import signal, sys, threading, time, os
import numpy as np, liquid_engine as le
cube = np.ones((48, 48, 48), "f4")
words = dict(outside=0, implementation=sys.argv[1])
few, many = np.arange(2.0), np.arange(1000.0)
small = le.volume_render(cube, 48, angles=few, **words)
def interrupt():
    time.sleep(0.4)
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    le.volume_render(cube, 48, angles=many, **words)
    print("not interrupted")
except KeyboardInterrupt:
    print(time.monotonic() - sent)
assert np.array_equal(le.volume_render(cube, 48, angles=few, **words), small)
x = le.explain("volume_render", cube, 48, angles=many, **words)
print([c.verdict for c in x.candidates if c.implementation == sys.argv[1]][0])
"""


@pytest.mark.parametrize("implementation", ["reference", "c"])
def test_interrupts(new_process, implementation):
    """A thousand views take seconds; on an idle machine the exception is there after 0.1 s."""
    delay, verdict = new_process(LONG, implementation, LE_DB=":memory:").split()
    assert float(delay) < 10
    assert verdict in ("proven", "unproven")


def test_progress(rng):
    cube = np.ones((48, 48, 48), "f4")
    seen = []
    words = dict(angles=np.arange(100.0), outside=0, implementation="reference")
    le.volume_render(cube, 48, progress=seen.append, **words)
    known = [s for s in seen if s == s]
    assert seen and known == sorted(known) and all(0 <= s <= 1 for s in known)

    class Enough(Exception):
        pass

    def stop(done):
        raise Enough(done)

    with pytest.raises(Enough):
        le.volume_render(cube, 48, progress=stop, **words)
    assert le.volume_render(cube, 8, angles=[0.0], outside=0).shape == (1, 8, 8, 3)


def test_the_next_call_waits_for_a_trial_that_was_left():
    """The first call ends while a trial in another process goes on; nobody else may answer the second."""
    def stop(done):
        raise KeyboardInterrupt

    cube = np.ones((8, 8, 8), "f4")
    words = dict(angles=[0.0], outside=0, implementation="staged_opencl")
    with le.Engine(db=":memory:") as e:
        if not any("opencl" in d.id for d in le.devices()):
            pytest.skip("no OpenCL device")
        try:
            e.volume_render(cube, 8, progress=stop, **words)
        except KeyboardInterrupt:
            pass  # the trial has taken longer than the time between two ticks
        assert e.volume_render(cube, 8, **words).shape == (1, 8, 8, 3)


def test_long_calls_are_looked_at_early():
    """A call of minutes tells of itself long before the first of 300 parts of it is done."""
    seen = []

    def stop(done):
        seen.append(done)
        raise KeyboardInterrupt

    with le.Engine(db=":memory:", mode="estimate", threads=1) as e:
        with pytest.raises(KeyboardInterrupt):
            e.volume_render(np.ones((64, 64, 64), "f4"), 128, angles=np.arange(2000.0), outside=0,
                            implementation="reference", progress=stop)
    assert len(seen) == 1 and 0 < seen[0] < 1 / 300


@pytest.mark.parametrize("name, implementation, shapes, settings", [
    ("convolve", "reference", [(200_000,), (2001,)], {}),
    ("sigma_clip", "c", [(4096, 2048)], {"deviation": "mad_std"}),  # sorts
    ("sigma_clip", "lines", [(2, 4096 * 1024)], {"axis": 1}),
    ("sigma_clip", "reference", [(4096, 1024)], {}),
])
def test_long_items_are_looked_at(rng, name, implementation, shapes, settings):
    """One item is all of the work."""
    class Enough(Exception):
        pass

    def stop(done):
        raise Enough

    arrays = [rng.normal(size=shape).astype("f4") for shape in shapes]
    with le.Engine(db=":memory:", mode="estimate", threads=1) as e:
        call = getattr(e, name)
        call(*[a[tuple(slice(0, 20) for _ in a.shape)] for a in arrays], implementation=implementation, **settings)
        with pytest.raises(Enough):
            call(*arrays, implementation=implementation, progress=stop, **settings)


def test_benchmarks_end():
    class Enough(Exception):
        pass

    def ring(*_):
        raise Enough

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with le.Engine(db=":memory:") as e, pytest.raises(Enough):
            while True:
                e.volume_render.bench(np.ones((48, 48, 48), "f4"), 48, angles=np.arange(40.0), outside=0, seconds=0.5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signals_of_others_are_left_alone():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


IMPORT = """
import sys
import liquid_engine as le
loaded = [name for name in sys.modules if name.startswith("liquid_engine.") or name == "numpy"]
assert not loaded, loaded
try:
    le.asarray(object())
except le.Error:
    raise SystemExit("not an error of the library's")
except TypeError:
    pass
try:
    le.Engine(db="/nowhere/at/all", mode="frozen").nothing
except AttributeError as error:
    assert "no operation 'nothing'" in str(error)
assert le.project.__name__ == "project" and le.__version__ and "project" in dir(le) and "Engine" in dir(le)
from liquid_engine import NoCandidate, Tensor, roberts_cross
"""


def test_importing_loads_nothing(new_process):
    new_process(IMPORT, LE_DB=":memory:")


FORKED_WHILE_LOADING = """
import os, threading, time, numpy
import liquid_engine as le
x = numpy.ones((3, 3), "f4")
crew = [threading.Thread(target=lambda: le.roberts_cross(x)) for _ in range(3)]
for t in crew:
    t.start()
child = os.fork()
if child == 0:
    le.roberts_cross(x)
    os._exit(0)
for _ in range(100):
    if os.waitpid(child, os.WNOHANG)[0]:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    raise SystemExit("the child waits for a module that a thread of its parent was loading")
"""


def test_a_fork_while_a_thread_loads_the_module(new_process):
    new_process(FORKED_WHILE_LOADING)
