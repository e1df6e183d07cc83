# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""The Python of README.md, docs/python.md, docs/cluster.md and help texts runs as it is printed; help texts have numpydoc's form."""
import ctypes
import doctest
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import liquid_engine as le

ROOT = pathlib.Path(__file__).parents[2]
OPERATIONS = le.operations()  # before other tests add their own


def blocks(page, language="python"):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch, hdf5):
    shutil.copy(ROOT / "examples/data/web_128.h5", tmp_path / "cube.h5")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_readme(folder):
    text, = blocks("README.md")
    space = {}
    exec(text, space)
    assert space["frames"].shape == (4, 180, 180, 3) and (folder / "frames/web_03.png").exists()


def test_page(folder, rng, tiff):
    pytest.importorskip("numba")
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    calls, chains, own = blocks("docs/python.md")
    slot, = blocks("docs/python.md", "c")
    movie = np.exp(rng.normal(size=(5, 16, 18))).astype("f4")
    le.write("stack.tif", movie)
    cube = le.read("cube.h5:/density")
    space = {"np": np, "le": le, "ctypes": ctypes, "movie": movie, "image": movie[0], "cube": cube,
             "buffer": np.zeros((128, 128, 3), "f4"), "x": rng.normal(size=1000).astype("f4")}
    exec(calls, space)
    assert space["buffer"].any() and space["frames"].shape == (2, 180, 180, 3)
    exec(chains, space)
    assert le.edges(movie)
    (folder / "soft.c").write_text("#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n" + slot + """
void softclip(const le_slot *t, size_t begin, size_t end, int worker) {
    for (size_t i = begin; i < end; i++) {
        float x = ((const float *)t[0].data)[i];
        ((float *)t[2].data)[i] = tanhf((float)t[1].f64 * x) * expf(-x * x);
    }
}""")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", "soft.so", "soft.c", "-lm"], check=True)
    exec(own, space)
    x = space["x"].astype("f8")
    assert np.abs(space["y"] - np.tanh(2 * x) * np.exp(-x * x)).max() < 1e-4
    names = {c.implementation for c in space["softclip"].explain(space["x"], 2.0).candidates}
    assert {"reference", "plain", "loop", "softclip"} <= names


def test_cluster(folder):
    pytest.importorskip("distributed")
    text, = blocks("docs/cluster.md")
    (folder / "web.py").write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "web.py"], check=True, timeout=120)
    alone = le.volume_render("cube.h5:/density", 180, angles=[0, 350], outside=0)
    made = le.read("web.h5:/images")
    assert made.shape == (36, 180, 180, 3) and np.abs(made[[0, 35]] - alone).max() < 1e-4


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_of_operations(name):
    text = getattr(le, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, {"np": np, "le": le}, name, None, 0)
    said = []
    assert test.examples
    failed, _ = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not failed, "".join(said)


def test_numpydoc():
    """An operation's text passes every check, other texts those of pyproject.toml."""
    validate = pytest.importorskip("numpydoc.validate").validate
    optional = {"ES01", "SA01", "EX01"}
    found = []
    for name in dir(le):
        if name not in (*le.__all__, *OPERATIONS) or not callable(getattr(le, name)):
            continue
        allowed = set() if name in OPERATIONS else optional
        found += [(name, *e) for e in validate(f"liquid_engine.{name}")["errors"] if e[0] not in allowed]
    assert not found
