# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Versions of code: a hash of a function and of all that it refers to."""
from __future__ import annotations

import collections
import copyreg
import dis
import functools
import hashlib
import os
import sys
import sysconfig
import types

import numpy

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_NAMED = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
          types.GetSetDescriptorType, types.MemberDescriptorType)
_LOOK_UP = {dis.opmap[name] for name in dis.opmap if dis.opmap[name] in dis.hasname and "ATTR" not in name
            and name not in ("LOAD_METHOD", "IMPORT_FROM")}
_METHODS = (types.FunctionType, staticmethod, classmethod, property)
_SYSTEM = tuple(os.path.join(folder, "") for folder in (
    sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(numpy.__file__), os.path.dirname(__file__)))


# --- installed code ---

@functools.lru_cache(256)
def _hash_of(file, *_):
    with open(file, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def _edition(name):
    """What tells versions of an installed module apart; None: it is somebody's own, whose parts are looked at."""
    if name in sys.builtin_module_names:
        return name
    file = getattr(sys.modules.get(name), "__file__", None)
    if name == "__main__" or not file:
        return None
    if not {"site-packages", "dist-packages"}.intersection(file.split(os.sep)) and not file.startswith(_SYSTEM):
        return None
    package = sys.modules.get(name.partition(".")[0])
    try:
        about = os.stat(file)
        content = _hash_of(file, about.st_mtime_ns, about.st_size)
    except OSError:
        return None
    return name, str(getattr(package, "__version__", "")), content


# --- what values are made of ---

def _unknown(value):
    """Nothing tells whether it is the same next time, so it is not."""
    return ("unknown", os.urandom(16)), ()


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _referred(names, space, attributes, seen):
    """What names mean in a namespace; of modules among that, what the attributes are."""
    for name in names:
        value = space.get(name)
        if not isinstance(value, types.ModuleType):
            if name in space:
                yield name
                yield value
        elif id(value) not in seen:
            seen.add(id(value))
            edition = _edition(value.__name__)
            yield name
            yield edition
            if edition is None:
                yield from _referred(attributes, vars(value), attributes, seen)


def _variables(function):
    """Of enclosing functions, by name."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it is empty
            pass


def _of_function(value):
    enclosing = dict(_variables(value))
    edition = _edition(value.__globals__.get("__name__"))
    if edition is not None:
        return ("function", edition, value.__qualname__), list(enclosing.values())
    codes = list(_codes(value.__code__))
    steps = [step for code in codes for step in dis.get_instructions(code)]
    imported = {step.argval: sys.modules.get(step.argval) for step in steps if step.opname == "IMPORT_NAME"}
    if None in imported.values():
        return _unknown(value)
    names = dict.fromkeys([*value.__code__.co_freevars, *(step.argval for step in steps if step.opcode in _LOOK_UP)])
    attributes = dict.fromkeys(name for code in codes for name in code.co_names)
    space = collections.ChainMap(enclosing, imported, value.__globals__)
    return "function", [value.__code__, value.__defaults__, value.__kwdefaults__, vars(value),
                        *_referred(names, space, attributes, set())]


def _of_code(c):
    return ("code", c.co_code, getattr(c, "co_exceptiontable", b""), c.co_flags, c.co_argcount, c.co_posonlyargcount,
            c.co_kwonlyargcount, c.co_names), c.co_consts


def _of_class(value):
    edition = _edition(value.__module__)
    if edition is not None:
        return ("class", edition, value.__qualname__), ()
    own = [part for name, what in vars(value).items() if name != "_abc_impl" for part in (name, what)
           if isinstance(what, _METHODS) or not name.startswith("__")]
    return ("class", value.__qualname__), [*value.__bases__, *own]


def _of_array(value):
    if value.dtype.hasobject:
        return ("array", value.shape, str(value.dtype)), value.tolist()
    return ("array", value.shape, str(value.dtype), hashlib.sha256(value.tobytes()).digest()), ()


def _of_set(value):
    if all(isinstance(v, _PLAIN) for v in value):
        return (type(value).__name__, sorted(map(repr, value))), ()
    return _unknown(value)


def _of_ufunc(value):
    for home in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(home), value.__name__, None) is value:
            return ("ufunc", _edition(home), value.__name__), ()
    return _unknown(value)  # of a Python function, for one


def _of_builtin(value):
    if value.__self__ is None or isinstance(value.__self__, types.ModuleType):
        return ("builtin", value.__module__, _edition(value.__module__), value.__qualname__), ()
    return ("method", value.__name__), [value.__self__]


def _of_object(value):
    """As copies and pickles are made: its class and its state."""
    try:
        if hasattr(value, "py_func"):  # of numba
            return "numba", [value.py_func, getattr(value, "targetoptions", None)]
        if hasattr(value, "__wrapped__") and _edition(type(value).__module__) is not None:
            return ("wrapped", type(value).__qualname__), [value.__wrapped__]
        reduce = copyreg.dispatch_table.get(type(value))
        parts = reduce(value) if reduce else value.__reduce_ex__(4)
        if isinstance(parts, str):  # the name of something of a module
            edition = _edition(getattr(value, "__module__", type(value).__module__))
            return _unknown(value) if edition is None else (("object", parts, edition), ())
        return "object", [list(p) if i > 2 and p is not None else p for i, p in enumerate(parts[:5])]
    except Exception:  # noqa: BLE001  whatever its methods raise
        return _unknown(value)


_KINDS = {types.FunctionType: _of_function, types.MethodType: lambda v: ("method", [v.__func__, v.__self__]),
          types.BuiltinFunctionType: _of_builtin, types.CodeType: _of_code, numpy.ufunc: _of_ufunc, numpy.ndarray: _of_array,
          tuple: lambda v: ("tuple", v), list: lambda v: ("list", v), set: _of_set, frozenset: _of_set,
          dict: lambda v: ("dict", [part for item in v.items() for part in item]),
          staticmethod: lambda v: ("static", [v.__func__]), classmethod: lambda v: ("class method", [v.__func__]),
          property: lambda v: ("property", [v.fget, v.fset, v.fdel])}


def _taken_apart(value):
    """A label, which has a repr of its own, and the parts."""
    if isinstance(value, numpy.generic):
        return _of_array(numpy.asarray(value))
    if isinstance(value, type):
        return _of_class(value)
    if isinstance(value, types.ModuleType):
        edition = _edition(value.__name__)
        return _unknown(value) if edition is None else (("module", edition), ())
    if isinstance(value, _NAMED):
        return ("descriptor", value.__name__), [value.__objclass__]
    return _KINDS.get(type(value), _of_object)(value)


def version_of(function):
    """A hash of a function's code and of what it refers to: constants, functions, objects with their classes; of
    installed packages their versions. Comments and names of variables do not count."""
    h = hashlib.sha256(sys.version.split()[0].encode())
    queue, seen = collections.deque([function]), {}
    while queue:
        value = queue.popleft()
        parts = ()
        if type(value) in _PLAIN:
            label = type(value).__name__, value
        elif id(value) in seen:
            label = "again", seen[id(value)][0]
        else:
            label, parts = _taken_apart(value)
            if not isinstance(value, (tuple, types.CodeType)):  # equal ones may be one, or not
                seen[id(value)] = len(seen), value
        h.update(repr((label, len(parts))).encode("utf-8", "backslashreplace"))
        queue.extend(parts)
    return h.hexdigest()
