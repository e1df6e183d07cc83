# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""The types that the build writes: mypy finds what is wrong in a user's program."""
import os
import pathlib
import subprocess
import sys

import pytest

import liquid_engine as le

GOOD = """
from pathlib import Path
from typing import no_type_check
import numpy as np
import liquid_engine as le

cube = np.ones((4, 4, 4), np.float32)
image = le.project(cube, axis=1, reduce="max", mode="learn", memory_limit="2G")
both = le.roberts_cross(image[..., 0], out=None)
total: float = float(both.gradient_row.sum())
view = le.volume_render("cube.h5:/density", 180, angles=[0, 9], outside=0)
with le.Engine(db=":memory:", threads=2) as engine, le.options(atol=1e-3):
    engine.project(cube)
why = le.explain("project", cube).choice
only = le.roberts_cross(image[..., 0], outputs="gradient_row")
kept, two = le.project(cube, keep=True), le.roberts_cross(image[..., 0], keep=True)
kept.touch()
two.gradient_col.touch()
made = le.roberts_cross(image[..., 0], outputs=["gradient_row", "gradient_col"], reproducible=None)[1]
with le.Engine(db=b"x", site_db=Path("y")) as other:
    le.write(b"x.npy", le.read(b"x.npy", engine=other))
    print(le.peek(Path("x.npy"))[0], le.stream(b"x.tif"), only.shape)
le.dask.run("project", volume=cube, parts=2)
le.wisdom.save("x.json")
le.report().save(Path("x.html"))

@le.chain
def edges(stack):  # type: ignore[no-untyped-def]
    return le.roberts_cross(le.shift_magnify(stack, magnification_row=2)).gradient_row

print(edges(cube), edges.plan(cube)["steps"], edges.register("edges").explain(cube).choice)

@no_type_check
def reference(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return x

own = le.operation(reference, name="own")
own.numpy(name="plain")(lambda x, out: None)
print(own(cube), own.verify(cases=5), own.explain(cube).choice)

@le.operation(atol=1e-4, cases=lambda rng, size: dict(x=rng.normal(size=size or 1000).astype("f4"), a=2.0))
@no_type_check
def softclip(x: le.In["f4", "n m"], a: float) -> le.Out["f4", "n m"]:
    return np.tanh(a * x.astype("f8")) * np.exp(-x.astype("f8")**2)

softclip.opencl("__kernel void softclip()", tune=dict(local=[64, 128]))
print(softclip(cube, 2.0), softclip.verify(cases=5).ok)
print(why.upper(), le.project.explain(cube).candidates[0].implementation, total, view.shape)
"""
MISTAKES = [("axis=1", "axs=1"), ('reduce="max"', 'reduce="median"'), ('mode="learn"', 'mode="fast"'),
            ("threads=2", "thread=2"), ("atol=1e-3", "atoll=1e-3"), ("both.gradient_row", "both.gradient_rows"),
            ("only.shape", "only.gradient_row"), ("kept.touch()", "kept.sum()"), ("two.gradient_col.touch()", "two.touch()"),
            ("edges.plan(cube)", "edges.plans(cube)"), ("own.verify(cases=5)", "own.verify(case=5)"),
            ("engine.project(cube)", "engine.projekt(cube)"), ("image[..., 0], out=None", "")]


def mypy(folder, name, text):
    (folder / name).write_text(text)
    path = str(pathlib.Path(le.__file__).parent.parent)
    # mypy finds what is installed by itself, and refuses to be told of it
    where = {} if path.endswith("site-packages") else {"MYPYPATH": path}
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={folder}/cache", str(folder / name)],
                          capture_output=True, text=True, check=False, env={**os.environ, **where})


def test_types(tmp_path):
    pytest.importorskip("mypy")
    if not pathlib.Path(le.__file__).with_name("__init__.pyi").exists():
        pytest.skip("built without stubs")
    done = mypy(tmp_path, "good.py", GOOD)
    assert done.returncode == 0, done.stdout
    for k, (right, wrong) in enumerate(MISTAKES):
        assert right in GOOD
        done = mypy(tmp_path, f"bad{k}.py", GOOD.replace(right, wrong))
        assert done.returncode == 1 and f"bad{k}.py" in done.stdout, (wrong, done.stdout)
