# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Engines and what they have."""
from __future__ import annotations

import os
import threading
from collections import namedtuple
from collections.abc import Callable

import numpy  # noqa: F401  before the extension, whose arrays are numpy's

from . import _core, _errors  # noqa: F401  exceptions are there before anything can fail

Device = namedtuple("Device", "id name vendor driver version is_cpu")
Variable = namedtuple("Variable", "name help default")


def _log(level, text):
    import logging
    logging.getLogger("liquid_engine").log(
        (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)[level], "%s", text)


_core.set_log_function(_log)


def _path_of(name, given):
    try:
        return os.fsdecode(given)
    except TypeError:
        raise TypeError(f"Engine: option {name!r}: expected a text, bytes or a path, not {given!r}") from None


class Engine(_core.Engine):
    """An engine with options of its own; the module's functions use a default one.

    It has the same functions as the module (``engine.project(cube)``), is a context manager, and pickles as its
    options: a worker process opens the same database.

    Parameters
    ----------
    **options
        Keywords, each of which may be left out. ``db``: the database of timings, ":memory:" keeps nothing;
        ``devices`` that calls may use: "cpu", "opencl:0" ...; ``threads``, at most; ``mode``, what calls do about what
        is not yet known: "learn", "estimate", "measure" or "frozen"; ``memory_limit`` of a call: bytes, or "2G".
        ``site_db``, ``cache_dir``, ``run_type``, ``implementation``, ``seed``, ``explore_share``, ``trial_limit`` and
        ``device_memory_limit`` are as the environment variables that ``environment()`` lists.
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
                options[name] = _path_of(name, options[name])
        return super().__new__(cls, **options)

    def __enter__(self):
        if self.closed:
            raise ValueError("the engine has been closed")
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
    with _opening:
        if _core.is_open():
            return _core.default_engine()
        engine = Engine()
        for register in _registers:
            register(engine)
        return _core.set_default(engine)


def _forget_default():
    global _opening
    _opening = threading.RLock()  # another thread of the parent's may have held it
    _core.forget_default()


_followers: list[Callable[[str], None]] = []


def defined(name):
    """To be called when the default engine has an operation, perhaps in the place of another one."""
    for follow in _followers:
        follow(name)


_opening = threading.RLock()
_registers: list[Callable[[Engine], None]] = []  # called with every new default engine, before others see it
_core.set_opener(_open_default)
os.register_at_fork(after_in_child=_forget_default)


def default_engine() -> Engine:
    """The engine of the module's functions, opened when it is first needed.

    Returns
    -------
    Engine
        The same one each time, in this process.
    """
    return _core.default_engine()


def devices(engine: Engine | None = None) -> list[Device]:
    """The devices that calls may use; looking for OpenCL takes tenths of a second.

    Parameters
    ----------
    engine : Engine, optional
        Another engine than the default one.

    Returns
    -------
    list of Device
        With id, name, vendor, driver, version and is_cpu.
    """
    return [Device(*row) for row in (engine or default_engine())._devices()]


def operations(engine: Engine | None = None) -> list[str]:
    """The names of the operations, own ones and chains too.

    Parameters
    ----------
    engine : Engine, optional
        Another engine than the default one.

    Returns
    -------
    list of str
        In order of registration.
    """
    return (engine or default_engine())._operations()


def environment() -> list[Variable]:
    """Environment variables that the library reads.

    Returns
    -------
    list of Variable
        With name, help and default.
    """
    return [Variable(*row) for row in _core.environment()]
