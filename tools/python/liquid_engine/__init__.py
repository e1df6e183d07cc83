# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Operations on arrays, each by the fastest implementation that this machine has and that is accurate enough.

    import liquid_engine as le
    frames = le.volume_render(cube, 180, angles=[0, 9, 18])     # arrays in, arrays out
    mean = le.project("cube.h5:/density", axis=0)               # or files
    le.explain("project", cube)                                 # why it was made as it was

``dir(liquid_engine)`` lists the operations; ``help(liquid_engine.project)`` explains one. Importing the module opens
neither database nor devices: the first call does.
"""
from __future__ import annotations

import atexit as _atexit
import os as _os

import numpy as _numpy  # noqa: F401  before the extension, whose arrays are numpy's

from . import _core
from ._errors import (ArgumentError, Cancelled, DataError, DeviceError, DTypeError, Error, FileError, InternalError,
                      NoCandidate, OutOfMemory, ShapeError, TimeLimit, UnknownError, Unsupported)
from ._core import Tensor, asarray, flush_log, stream
from ._engine import Engine, default_engine, devices, environment, operations
from ._options import options

__version__ = _core.version

_LAZY = {
    "explain": "_look", "bench": "_look", "last_run": "_look", "profile": "_look", "wisdom": "_look", "report": "_look",
    "read": "_files", "write": "_files", "peek": "_files", "from_dlpack": "_files",
    "chain": "_chain", "Chain": "_chain",
    "operation": "_own", "In": "_own", "Out": "_own",
}

__all__ = ["ArgumentError", "Cancelled", "DataError", "DeviceError", "DTypeError", "Engine", "Error", "FileError",
           "InternalError", "NoCandidate", "OutOfMemory", "ShapeError", "Tensor", "TimeLimit", "UnknownError",
           "Unsupported", "asarray", "default_engine", "devices", "environment", "flush_log", "operations", "options",
           "stream", *_LAZY]


def __getattr__(name: str):
    if name in _LAZY:
        import importlib
        value = getattr(importlib.import_module("." + _LAZY[name], __name__), name)
    elif name == "dask":
        import importlib
        return importlib.import_module(".dask", __name__)
    elif name.startswith("_"):
        raise AttributeError(name)
    else:
        from ._functions import function
        value = function(name)
        if value is None:
            from ._functions import nearest
            raise AttributeError(f"module 'liquid_engine' has no attribute or operation {name!r}{nearest(name)}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__) | set(operations()))


_os.register_at_fork(after_in_child=_core.forget_default)
_atexit.register(_core.close_default)
