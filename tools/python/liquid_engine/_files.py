# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Reading and writing files, and memory of other libraries."""
from __future__ import annotations

import os

from . import _core, _engine  # noqa: F401


def read(place, *, engine=None):
    """The array in a place: "cube.h5:/density[::2]", "stack.tif", "frame_%02d.png", "x.nrrd", "x.raw:f32:64,64"."""
    return _core.read(os.fspath(place), engine)


def write(place, x, *, engine=None):
    """Writes an array to a place; the file appears when it is complete."""
    _core.write(os.fspath(place), x, engine)


def peek(place):
    """Shape and dtype of what is in a place; reads headers only."""
    return _core.peek(os.fspath(place))


def from_dlpack(x):
    """A numpy array over the host memory of whoever speaks DLPack (torch, jax ...), without a copy."""
    import numpy
    return numpy.from_dlpack(x)
