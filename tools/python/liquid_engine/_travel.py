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


def _unpacked(carrier):
    made = _made.get(id(carrier))  # it was found by its name
    if made is not None:
        return made
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

    def __reduce_ex__(self, protocol):
        named = _found(self.__module__, self.__qualname__) is self
        if not named:
            return self._parts()
        if self.__module__ != "__main__" or protocol < 4:  # older protocols have no names of attributes
            return self.__qualname__
        self._carrier.parts = self._parts()
        return _unpacked, (self._carrier,)
