# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""The examples run, and say what they should."""
import importlib.util
import pathlib
import runpy
import sys

import numpy as np
import pytest

import liquid_engine as le

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "python"


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG")


def test_mocz(tmp_path, hdf5):
    frames, projection = load("mocz_volume_rendering").main(str(tmp_path))
    assert frames.shape == (10, 180, 180, 3) and projection.shape == (128, 128, 3)
    assert 0.01 < frames.mean() < 0.9 and frames.min() >= 0 and frames.max() <= 1
    assert is_png(tmp_path / "volumerender09.png") and is_png(tmp_path / "projection.png")


def test_lesson(tmp_path):
    deltas, gauss, blurred = load("lesson_convolution").main(str(tmp_path))
    assert blurred.shape == (2062, 2062)
    assert np.allclose(blurred[8:23, 8:23], gauss, atol=1e-5)  # the first star
    assert abs(blurred.sum(dtype="f8") / (deltas.sum() * gauss.sum()) - 1) < 1e-5
    assert is_png(tmp_path / "stars.png")


def test_esrrf(tmp_path, tiff):
    image = load("esrrf_stack").main(str(tmp_path))
    assert image.shape == (1, 240, 240)
    lines = image[0].sum(axis=1)
    assert 105 < np.average(np.arange(240), weights=lines - lines.min()) < 135  # where the two lines are
    assert is_png(tmp_path / "esrrf.png")


def test_diffraction(tmp_path, hdf5):
    pytest.importorskip("h5py")
    curves = load("diffraction_series").main(str(tmp_path))
    assert curves.intensity.shape == (6, 200)
    # a ring of radius r pixels of 0.1 mm at 100 mm: q = 4 pi / lambda sin(atan(r / 1000) / 2), in 1/nm
    q = 4 * np.pi / 0.1 * np.sin(np.arctan((40 + 0.5 * np.arange(6)) / 1000) / 2)
    assert np.abs(curves.radial[curves.intensity.argmax(axis=1)] - q).max() < 0.05 * q[0]
    assert "<rect" in (tmp_path / "peaks.svg").read_text()


def test_variants(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["competing_variants.py", str(tmp_path)])
    space = runpy.run_path(str(FOLDER / "competing_variants.py"))
    x = space["x"].astype("f8")
    assert np.abs(space["y"] - np.tanh(2 * x) * np.exp(-x * x)).max() < 1e-4
    assert "plain" in (tmp_path / "variants.svg").read_text()
    with pytest.raises(le.NoCandidate, match="tolerance"):
        space["softclip"](space["x"], 2.0, implementation="hasty")
