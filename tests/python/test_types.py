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
print(why.upper(), le.project.explain(cube).candidates[0].implementation, total, view.shape)
"""
MISTAKES = [("axis=1", "axs=1"), ('reduce="max"', 'reduce="median"'), ('mode="learn"', 'mode="fast"'),
            ("threads=2", "thread=2"), ("atol=1e-3", "atoll=1e-3"), ("both.gradient_row", "both.gradient_rows"),
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
