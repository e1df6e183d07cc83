# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Operations on arrays, each by the fastest implementation that this machine has and that is accurate enough.

    import liquid_engine as le
    frames = le.volume_render(cube, 180, angles=[0, 9, 18])     # arrays in, arrays out
    mean = le.project("cube.h5:/density", axis=0)               # or files
    le.explain("project", cube)                                 # why it was made as it was

``dir(liquid_engine)`` lists the operations; ``help(liquid_engine.project)`` explains one. Importing the module loads
nothing: the library is loaded by the first use of a name, the database opened by the first operation that is named,
devices by calls that look for them.
"""
from __future__ import annotations

import _thread
import atexit
import os
import sys

_ERRORS = ["ArgumentError", "Cancelled", "DataError", "DeviceError", "DTypeError", "Error", "FileError",
           "InternalError", "NoCandidate", "OutOfMemory", "ShapeError", "TimeLimit", "UnknownError", "Unsupported",
           "WrongResult"]
_HOMES = {
    **dict.fromkeys(_ERRORS, "_errors"),
    "Tensor": "_core", "asarray": "_core", "flush_log": "_core", "stream": "_core",
    "Engine": "_engine", "default_engine": "_engine", "devices": "_engine", "environment": "_engine",
    "operations": "_engine", "options": "_options",
    "explain": "_look", "bench": "_look", "last_run": "_look", "profile": "_look", "wisdom": "_look", "report": "_look",
    "read": "_files", "write": "_files", "peek": "_files", "from_dlpack": "_files",
    "chain": "_chain", "Chain": "_chain",
    "operation": "_own", "In": "_own", "Out": "_own",
}

__all__ = sorted(_HOMES)


# Modules that another thread is loading would stay locked in a child for ever: forks wait for it.
_loading = _thread.RLock()
os.register_at_fork(before=_loading.acquire, after_in_parent=_loading.release, after_in_child=_loading.release)


def _module(name):
    # The extension finds the libraries that it needs, which takes longer than all of the Python here. What it is told
    # by the other two has to be there before anything of it is used.
    import importlib
    with _loading:
        for needed in ("_engine", "_options"):
            importlib.import_module("." + needed, __name__)
        return importlib.import_module("." + name, __name__)


def _end():
    core = sys.modules.get(__name__ + "._core")
    if core:
        core.close_default()


atexit.register(_end)  # first, and so called last: functions that the program registers may call operations


def __getattr__(name: str):
    if name in _HOMES:
        value = getattr(_module(_HOMES[name]), name)
    elif name == "__version__":
        value = _module("_core").version
    elif name == "dask":
        return _module("dask")
    elif name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        functions = _module("_functions")
        value = functions.function(name)
        if value is None:
            raise AttributeError(
                f"module {__name__!r} has no attribute or operation {name!r}{functions.nearest(name)}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, "__version__", *_module("_engine").operations()})
