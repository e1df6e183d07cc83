# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Reading and writing files, and memory of other libraries."""
from __future__ import annotations

import os

from . import _core, _engine  # noqa: F401


def read(place, *, engine=None):
    """Read the array in a place.

    Parameters
    ----------
    place : str or path
        "cube.h5:/density[::2]", "stack.tif", "frame_%02d.png", "x.nrrd", "x.raw:f32:64,64" ...
    engine : Engine, optional
        Whose threads do it.

    Returns
    -------
    numpy.ndarray
        The elements, in the file's type.

    See Also
    --------
    peek : Shape and dtype without reading.
    stream : A file that an operation reads frame by frame.
    """
    return _core.read(os.fspath(place), engine)


def write(place, x, *, engine=None):
    """Write an array to a place; the file appears when it is complete.

    Parameters
    ----------
    place : str or path
        As for ``read``.
    x : array_like
        What is written.
    engine : Engine, optional
        Whose threads do it.
    """
    _core.write(os.fspath(place), x, engine)


def peek(place):
    """Shape and dtype of what is in a place; reads headers only.

    Parameters
    ----------
    place : str or path
        As for ``read``.

    Returns
    -------
    tuple
        (shape, numpy.dtype).
    """
    return _core.peek(os.fspath(place))


def from_dlpack(x):
    """A numpy array over the host memory of whoever speaks DLPack (torch, jax ...), without a copy.

    Parameters
    ----------
    x : object
        It has ``__dlpack__``.

    Returns
    -------
    numpy.ndarray
        Over the same memory.
    """
    import numpy
    if isinstance(x, _core.Tensor):
        return numpy.asarray(x)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: expected what has __dlpack__, not {type(x)!r}")
    return _core.dlpack_array(x)
