# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Engines and what they have."""
from __future__ import annotations

import atexit
import os
from collections import namedtuple

import numpy  # noqa: F401  before the extension, whose arrays are numpy's

from . import _core, _errors  # noqa: F401  exceptions are there before anything can fail

Device = namedtuple("Device", "id name vendor driver version is_cpu")
Variable = namedtuple("Variable", "name help default")


def _log(level, text):
    import logging
    logging.getLogger("liquid_engine").log(
        (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)[level], "%s", text)


_core.set_log_function(_log)


class Engine(_core.Engine):
    """An engine with options of its own; the module's functions use a default one.

    Parameters (keywords, each may be left out)
    ----------
    db : str
        Database of timings; ":memory:" keeps nothing.
    devices : str
        Devices that calls may use: "cpu", "opencl:0" ...
    threads : int
        Threads, at most.
    mode : {"learn", "estimate", "measure", "frozen"}
        What calls do about what is not yet known.
    memory_limit : int or str
        Working memory of a call: bytes, or "2G".
    site_db, cache_dir, run_type, implementation, seed, explore_share, trial_limit, device_memory_limit
        As the environment variables that ``environment()`` lists.

    It has the same functions as the module (``engine.project(cube)``), is a context manager, and pickles as its
    options: a worker process opens the same database.
    """

    _names = frozenset("db devices threads mode memory_limit site_db cache_dir run_type implementation seed "
                       "explore_share trial_limit device_memory_limit".split())

    def __new__(cls, **options):
        for name in options:
            if name not in cls._names:
                import difflib
                near = difflib.get_close_matches(name, cls._names, 1)
                raise TypeError(f"Engine() got an unexpected keyword argument {name!r}"
                                + (f" (did you mean {near[0]!r}?)" if near else ""))
        for name in ("db", "site_db", "cache_dir"):
            if options.get(name) is not None:
                options[name] = os.fspath(options[name])
        return super().__new__(cls, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        return _open, (self._options,)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        from ._functions import function
        found = function(name, self)
        if found is None:
            from ._functions import nearest
            raise AttributeError(f"the engine has no operation {name!r}{nearest(name, self)}")
        return found

    def __dir__(self):
        return [*object.__dir__(self), *self._operations()]

    def __repr__(self):
        given = ", ".join(f"{k}={v!r}" for k, v in self._options.items())
        return f"liquid_engine.Engine({given})" + (" (closed)" if self.closed else "")


def _open(options):
    return Engine(**options)


def _open_default():
    engine = Engine()
    import sys
    own = sys.modules.get(__package__ + "._own")
    if own:
        own.register_all(engine)
    return engine


_core.set_opener(_open_default)
os.register_at_fork(after_in_child=_core.forget_default)
atexit.register(_core.close_default)


def default_engine() -> Engine:
    """The engine of the module's functions, opened when it is first needed."""
    return _core.default_engine()


def devices(engine: Engine | None = None) -> list[Device]:
    """Devices that calls may use. Looks for OpenCL, which takes tenths of a second."""
    return [Device(*row) for row in (engine or default_engine())._devices()]


def operations(engine: Engine | None = None) -> list[str]:
    """Names of the operations."""
    return (engine or default_engine())._operations()


def environment() -> list[Variable]:
    """Environment variables that the library reads."""
    return [Variable(*row) for row in _core.environment()]
