# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Engines, options, explanations, benchmarks, profiles, what is stored, the log."""
import inspect
import json
import logging
import os
import pathlib
import pickle
import sys

import numpy as np
import pytest

import liquid_engine as le


@pytest.fixture
def cube(rng):
    return np.exp(rng.normal(size=(12, 13, 14))).astype("f4")


def test_importing_opens_nothing(new_process, tmp_path):
    text = """
import sys, os, time
import numpy, logging
threads = len(os.listdir("/proc/self/task"))
import liquid_engine as le
maps = open("/proc/self/maps").read()
print(os.path.exists(sys.argv[1]), "libOpenCL" in maps, len(os.listdir("/proc/self/task")) - threads)
"""
    database = str(tmp_path / "none.sqlite3")
    assert new_process(text, database, LE_DB=database).split() == ["False", "False", "0"]


def test_signatures_and_help():
    s = inspect.signature(le.project)
    assert list(s.parameters)[:2] == ["volume", "axis"]
    assert s.parameters["reduce"].default == "mean" and s.parameters["axis"].default == 0
    clip = inspect.signature(le.sigma_clip).parameters  # without an axis all pixels are one, which no number says
    assert clip["axis"].default is None and clip["maxiters"].default == 0 and clip["sigma_lower"].default == 3
    assert s.parameters["mode"].kind is inspect.Parameter.KEYWORD_ONLY
    for word in ("Parameters\n----------", "Returns\n-------", "Notes\n-----", "float32", "colormap : "):
        assert word in le.project.__doc__
    import pydoc
    text = pydoc.render_doc(le.project, renderer=pydoc.plaintext)
    assert "project(" in text and "axis=0" in text and "Parameters" in text
    assert "project" in dir(le) and "esrrf" in le.operations()


@pytest.mark.parametrize("name", le.operations())
def test_every_operation_has_a_page(name):
    """numpydoc: a summary that ends with a point, every parameter with a type and a sentence."""
    function = getattr(le, name)
    lines = function.__doc__.split("\nSee Also\n")[0].split("\n")
    assert lines[0].endswith(".") and lines[0][0].isupper() or not lines[0][0].isalpha()
    for p in inspect.signature(function).parameters.values():
        at = [i for i, line in enumerate(lines) if line.startswith(f"{p.name} : ")]
        assert len(at) == 1, p.name
        assert lines[at[0] + 1].strip().endswith("."), p.name


def test_options_of_blocks(engine, cube):
    with le.options(implementation="c", engine=engine):
        engine.project(cube)
        assert le.last_run().candidate.startswith("c@")
        engine.project(cube, implementation="reference")
        assert le.last_run().candidate.startswith("reference@")
        with le.options(implementation="reference"):
            engine.project(cube)
            assert le.last_run().candidate.startswith("reference@")
        engine.project(cube)
        assert le.last_run().candidate.startswith("c@")
        with pytest.raises(le.NoCandidate):
            with le.options(implementation="nobody"):
                engine.project(cube)
        import threading
        seen = []
        t = threading.Thread(target=lambda: seen.append((engine.project(cube, implementation="reference"),
                                                         le.last_run().candidate)))
        t.start()
        t.join()
        assert seen[0][1].startswith("reference@")


def test_engines(cube):
    with le.Engine(db=":memory:", threads=1, mode="estimate") as e:
        assert e.threads == 1 and "project" in dir(e)
        assert np.allclose(e.project(cube), le.project(cube), atol=1e-5)
        assert np.allclose(le.project(cube, engine=e), le.project(cube), atol=1e-5)
        again = pickle.loads(pickle.dumps(e))
        assert again.threads == 1
        again.close()
        bound = pickle.loads(pickle.dumps(e.project))
        assert bound._engine.threads == 1
        with pytest.raises(AttributeError, match="did you mean 'project'"):
            e.projekt
        project = e.project
    assert e.closed
    with pytest.raises(ValueError, match="closed"):
        project(cube)
    assert pickle.loads(pickle.dumps(le.project)).__name__ == "project"
    with pytest.raises(ValueError, match="no mode"):
        le.Engine(mode="fast")


def test_explanations(engine, cube):
    x = engine.project.explain(cube)
    assert x.choice and x.operation == "project"
    names = [c.implementation for c in x.candidates]
    assert "reference" in names and "c" in names
    assert all(c.left_out for c in x.candidates if not c.applicable)
    text = repr(x)
    assert all(c.candidate in text for c in x.candidates)
    assert x._repr_html_().count("<tr>") == len(x.candidates) + 1
    forced = le.explain("project", cube, implementation="c", engine=engine)
    assert all(c.implementation == "c" for c in forced.candidates if c.applicable)


def test_benchmarks(engine, cube):
    b = engine.project.bench(cube, seconds=0.001, device="cpu")
    assert b.fastest and b.fastest.within
    done = [t for t in b.timings if t.seconds]
    assert {"reference", "c"} <= {t.implementation for t in done}
    assert all(len(t.seconds) >= 3 and t.within for t in done)
    medians = [t.median_s for t in done]
    assert medians == sorted(medians)
    assert "<rect" in b.plot() and b.fastest.candidate in repr(b) and "<table>" in b._repr_html_()


@pytest.mark.parametrize("option", ["db", "site_db", "cache_dir"])
def test_places_of_an_engine_are_named(option):
    with pytest.raises(TypeError, match=f"Engine: option '{option}': expected a text, bytes or a path, not 5"):
        le.Engine(**{option: 5})


def test_one_block_of_options_in_many_places(engine, cube):
    """Threads and tasks that enter the same object leave it in any order, and see no other one's options."""
    import asyncio
    import threading
    block, other = le.options(implementation="nobody"), le.options(implementation="c")
    first_in, both_in, first_out = threading.Event(), threading.Event(), threading.Event()
    failed = []

    def is_refused():
        try:
            engine.project(cube)
        except le.NoCandidate:
            return True
        return False

    def hold(before, entered, until, done):
        try:
            before.wait(10)
            with block:
                entered.set()
                assert until.wait(10) and is_refused()
                with other, block, other:
                    assert not is_refused()
                assert is_refused()
            assert not is_refused()
        except BaseException as error:
            failed.append(error)
        done.set()

    begun, last = threading.Event(), threading.Event()
    begun.set()
    threads = [threading.Thread(target=hold, args=a) for a in ((begun, first_in, both_in, first_out),
                                                               (first_in, both_in, first_out, last))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed

    async def task(seconds):
        with block:
            await asyncio.sleep(seconds)
            inside = is_refused()
        return inside, is_refused()

    async def both():
        return await asyncio.gather(task(0.02), task(0.04))

    assert asyncio.run(both()) == [(True, False)] * 2 and not is_refused()
    with pytest.raises(RuntimeError, match="entered it"):
        block.__exit__()


def test_last_run_and_profiles(engine, cube):
    engine.project(cube, implementation="c")
    info = le.last_run()
    assert info.candidate.startswith("c@") and info.seconds >= 0 and "c@" in repr(info)
    with le.profile(engine) as p:
        engine.project(cube, implementation="c")
    assert any(r.kind == "run" and "project" in r.name for r in p.rows)
    assert "project" in p.table() and "<table>" in p._repr_html_()


def test_profile_is_saved(engine, cube, tmp_path):
    with le.profile(engine) as p:
        engine.project(cube)
    p.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())


def test_what_is_stored(cube, tmp_path):
    first, second = tmp_path / "a.sqlite3", tmp_path / "b.sqlite3"
    for file in (first, second):
        with le.Engine(db=file, mode="measure", devices="cpu") as e:
            e.project(cube if file == first else cube[:6])
    le.wisdom.save(tmp_path / "a.json", db=first)
    assert json.loads((tmp_path / "a.json").read_text())["schema"] == 1
    new = le.wisdom.load(tmp_path / "a.json", db=tmp_path / "c.sqlite3")
    assert new.stored > 0 and new.refused == 0
    again = le.wisdom.load(tmp_path / "a.json", db=tmp_path / "c.sqlite3")
    assert again.stored == 0 and again.same > 0
    assert le.wisdom.merge(second, db=tmp_path / "c.sqlite3").stored > 0
    with pytest.raises(OSError, match="(?i)no such file"):
        le.wisdom.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("hello")
    with pytest.raises(OSError, match="refused"):
        le.wisdom.load(tmp_path / "bad.json", db=first)


def test_files_that_are_no_databases(tmp_path):
    for other in (tmp_path, tmp_path / "junk", tmp_path / "none"):
        (tmp_path / "junk").write_bytes(bytes(range(256)))
        with pytest.raises(OSError, match="no such file|not a timings database"):
            le.report(db=other)
        with pytest.raises(OSError, match="no such file|not a timings database"):
            le.wisdom.save(tmp_path / "out.json", db=other)
    assert (tmp_path / "junk").read_bytes() == bytes(range(256)) and not (tmp_path / "out.json").exists()


def test_databases_whose_names_are_no_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.sqlite3"
    for given in (name, os.fsdecode(name), pathlib.Path(os.fsdecode(name))):
        with le.Engine(db=given, cache_dir=os.fsencode(tmp_path) + b"/\xfe", devices="cpu") as e:
            e.project(np.ones((4, 4, 4), "f4"))
            assert pickle.loads(pickle.dumps(e))._options == e._options
        assert os.path.getsize(name) > 0


@pytest.mark.parametrize("words, kind", [
    (dict(threads=2.5), TypeError), (dict(threads=-1), ValueError), (dict(threads=10**30), ValueError),
    (dict(seed="x"), TypeError), (dict(explore_share=float("nan")), ValueError), (dict(trial_limit=-1), ValueError),
    (dict(memory_limit=1.5), TypeError), (dict(devices=5), TypeError), (dict(site_db="x\0y"), ValueError)])
def test_wrong_options(words, kind):
    with pytest.raises(kind, match=f"option '{next(iter(words))}'"):
        le.Engine(db=":memory:", **words)


def test_log(caplog, new_process):
    """Warnings are logging's records; lines of other threads never wait for Python."""
    text = """
import logging, sys, numpy as np, liquid_engine as le
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
e = le.Engine(db="/proc/nowhere/x.sqlite3")
e.project(np.ones((4, 4, 4), "f4"))
e.close()
le.flush_log()
"""
    assert "liquid_engine " in new_process(text)


def test_environment_and_devices(engine):
    assert "LE_DB" in [v.name for v in le.environment()]
    assert le.devices(engine)[0].id == "cpu"
    assert sys.modules["liquid_engine"].__version__.count(".") == 2
