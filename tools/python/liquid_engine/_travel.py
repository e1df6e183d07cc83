# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""How chains and own operations go to other processes: by name, as functions do; but __main__ is another program there, so
that what is made in it goes with its code, where the pickler takes functions so (cloudpickle, which Dask has)."""
from __future__ import annotations

import functools
import sys
import types
import weakref

_made: weakref.WeakValueDictionary[int, Traveller] = weakref.WeakValueDictionary()  # by the id of the carrier


def _nothing():
    pass


def _found(module, name):
    found = sys.modules.get(module)
    for attribute in name.split("."):
        found = getattr(found, attribute, None)
    return found


class _Later:
    """What its own code refers to, until that is there: at its first use it becomes the same thing."""

    def __init__(self, carrier):
        self._from = carrier

    def _become(self):
        made = _unpacked(self._from)
        self.__dict__, self.__class__ = made.__dict__, type(made)
        return self

    def __call__(self, *args, **words):
        return self._become()(*args, **words)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._become(), name)

    def __repr__(self):
        return repr(self._become())


def _unpacked(carrier):
    made = _made.get(id(carrier))  # it was found by its name
    if made is not None:
        return made
    if not hasattr(carrier, "parts"):
        return _Later(carrier)
    make, parts = carrier.parts
    return make(*parts)


class Traveller:
    """What is made of a function. ``_parts()`` gives what makes it anew, and the arguments of that."""

    @functools.cached_property
    def _carrier(self):
        """A function of __main__: pickle refers to it by name, as an attribute of what it stands for; cloudpickle takes it
        with all that is in it. Nothing else tells the one from the other."""
        carrier = types.FunctionType(_nothing.__code__, {"__name__": "__main__"})
        carrier.__module__, carrier.__qualname__ = "__main__", f"{self.__qualname__}._carrier"
        _made[id(carrier)] = self
        return carrier

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        named = _found(self.__module__, self.__qualname__) is self
        if not named:
            return self._parts()
        if self.__module__ != "__main__" or protocol < 4:  # older protocols have no names of attributes
            return self.__qualname__
        self._carrier.parts = self._parts()
        return _unpacked, (self._carrier,)
