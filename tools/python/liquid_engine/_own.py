# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Own operations: a reference, and implementations that compete for its calls."""
from __future__ import annotations

import functools
import hashlib
import inspect
import math
import re
import sys
import traceback
import typing
from dataclasses import dataclass, field

import numpy

from . import _core, _engine, _functions
from ._code import version_of
from ._engine import default_engine
from ._errors import NoCandidate
from ._travel import Traveller

_own: dict[str, "Operation"] = {}  # of the default engine, by name
_kept: list[object] = []           # compiled code that descriptors point to


def _register_all(engine):
    for operation in list(_own.values()):
        operation._register(engine)


_engine._registers.insert(0, _register_all)  # before chains of them

# --- types of arguments ---

@dataclass(frozen=True)
class _Tensor:
    kind: str
    dtypes: tuple
    shape: str


class _Annotation:
    kind = ""

    def __class_getitem__(cls, key):
        dtype, shape = key if isinstance(key, tuple) else (key, "")
        names = tuple(numpy.dtype(d.strip()).str[1:] for d in str(dtype).split("|"))
        return _Tensor(cls.kind, names, shape)


class In(_Annotation):
    """``In["f4", "h w"]``: an array of that dtype ("f4|f8": one of them) whose extents are symbols or numbers."""

    kind = "in"


class Out(_Annotation):
    """``Out["f4", "2*h 2*w"]``: a result.

    Extents are numbers, symbols of inputs or whole-number arguments, and ``factor*symbol+offset``.
    """

    kind = "out"


_EXTENT = re.compile(r"(?:(\d+)\*)?([A-Za-z_]\w*)?([+-]?\d+)?$")


def _extent(text, symbols):
    m = _EXTENT.match(text)
    if not m or not (m.group(2) or m.group(3)) or (m.group(1) and not m.group(2)):
        raise ValueError(f"extent {text!r}: expected a number, a symbol, or factor*symbol+offset")
    factor, symbol, offset = int(m.group(1) or 1), m.group(2), int(m.group(3) or 0)
    if symbol is None:
        return (-1, 0, offset)
    if not 0 < factor < 1 << 31 or abs(offset) >= 1 << 31:
        raise ValueError(f"extent {text!r}: expected a factor from 1 and an offset, both below 2**31")
    if symbol not in symbols:
        symbols.append(symbol)
    return (symbols.index(symbol), factor, offset)


def _describe_tensor(name, t, symbols):
    if not isinstance(t.shape, str):
        raise TypeError(f"argument {name!r}: its shape is a text of extents, \"h w\", not {t.shape!r}")
    extents = [_extent(e, symbols) for e in t.shape.split()]
    return {"name": name, "doc": "", "type": t.kind, "dtypes": list(t.dtypes),
            "shape": "[" + ",".join(t.shape.split()) + "]", "extents": extents}


def _default(name, kind, default, whose):
    expected = "a whole number of 64 bits that a float holds" if kind == "i64" else "a number"
    try:
        held = float(default)  # as descriptors state it
        fits = kind == "f64" or (int(default) == default == int(held) and abs(held) < 2**63)
        if fits and not isinstance(default, str):
            return held
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{whose}: argument {name!r}: its default is {default!r}, expected {expected}")


def _describe_scalar(name, annotation, default, whose):
    kind = {float: "f64", int: "i64"}.get(annotation)
    if kind is None:
        raise TypeError(f"{whose}: argument {name!r}: expected an annotation In[dtype, shape], float or int, not "
                        f"{annotation!r}")
    optional = default is not inspect.Parameter.empty
    return {"name": name, "doc": "", "type": kind, "optional": optional,
            "default": _default(name, kind, default, whose) if optional else 0}


def _name_of(function, name):
    """The name that was asked for, or the function's own; partial functions and callable objects have none."""
    if not callable(function):
        raise TypeError(f"expected a function, not {function!r}")
    name = name or getattr(function, "__name__", None)
    if not name:
        raise TypeError(f"{function!r} has no name: give name=...")
    return name


def _annotations(function):
    """Also those of what a partial function calls, and of a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return inspect.get_annotations(function, eval_str=True)


def _by_position(function):
    """Arguments come in order; those that are keyword-only, also after a partial function's own, go by name."""
    words = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    if not words:
        return function

    def call(*values):
        n = len(values) - len(words)
        return function(*values[:n], **dict(zip(words, values[n:])))
    return call


def _specification(function, name):
    hints = _annotations(function)
    symbols, args, scalars = [], [], []
    for p in inspect.signature(function).parameters.values():
        annotation = hints.get(p.name)
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise TypeError(f"{name}: argument {str(p)!r}: every argument of an operation has a name of its own")
        if isinstance(annotation, _Tensor):
            args.append(_describe_tensor(p.name, annotation, symbols))
        else:
            args.append(_describe_scalar(p.name, annotation, p.default, name))
            scalars.append(args[-1])
    result = hints.get("return")
    if typing.get_origin(result) is tuple:  # tuple[Out[...], Out[...]]
        result = typing.get_args(result)
    results = result if isinstance(result, tuple) else (result,)
    if not results or not all(isinstance(r, _Tensor) and r.kind == "out" for r in results):
        raise TypeError(f"{name}: the return annotation is Out[dtype, shape], or a tuple of them")
    known = set(symbols) | {a["name"] for a in scalars if a["type"] == "i64"}
    for i, r in enumerate(results):
        args.append(_describe_tensor("out" if len(results) == 1 else f"out{i + 1}", r, symbols))
    unknown = [s for s in symbols if s not in known]
    if unknown:
        raise TypeError(f"{name}: symbol {unknown[0]!r} is in no input")
    return args, symbols


# --- numba ---

@functools.cache
def _numba_tools():
    from numba import types as t
    from numba.core import cgutils
    from numba.extending import intrinsic
    from llvmlite import ir

    @intrinsic
    def as_pointer(context, address):
        return t.voidptr(address), lambda c, b, s, a: b.inttoptr(a[0], cgutils.voidptr_t)

    @intrinsic
    def as_double(context, bits):
        return t.float64(bits), lambda c, b, s, a: b.bitcast(a[0], ir.DoubleType())

    return as_pointer, as_double


def compile_numba(function, args):
    """Machine code that runs a function over the slots of a call (docs/python.md): its address."""
    import numba
    from numba import types as t
    as_pointer, as_double = _numba_tools()
    lines, names = ["def entry(table, begin, end, worker):"], []
    space = {"carray": numba.carray, "as_pointer": as_pointer, "as_double": as_double, "int64": numpy.int64,
             "loop": function if hasattr(function, "py_func") else numba.njit(function)}
    for i, a in enumerate(args):
        names.append(f"a{i}")
        if a["type"] in ("in", "out"):
            ndim = len(a["extents"])
            space[f"t{i}"] = numpy.dtype(a["dtypes"][0])
            lines.append(f"    s{i} = carray(as_pointer(table[{4 * i + 1}]), ({max(ndim, 1)},), int64)")
            shape = "(" + "".join(f"s{i}[{d}]," for d in range(ndim)) + ")" if ndim else "(1,)"
            lines.append(f"    a{i} = carray(as_pointer(table[{4 * i}]), {shape}, t{i})")
        elif a["type"] == "f64":
            lines.append(f"    a{i} = as_double(table[{4 * i + 2}])")
        else:
            lines.append(f"    a{i} = table[{4 * i + 3}]")
    lines.append(f"    loop({', '.join(names)}, begin, end)")
    exec("\n".join(lines), space)  # noqa: S102  the text is the one above
    compiled = numba.cfunc(t.void(t.CPointer(t.int64), t.intp, t.intp, t.int32), nopython=True)(space["entry"])
    _kept.append(compiled)
    return compiled.address


def _address_of(pointer):
    """Of a ctypes function, a cffi pointer, or a number."""
    if isinstance(pointer, int) and pointer > 0:
        return pointer
    if type(pointer).__module__.startswith("_cffi_backend"):
        import cffi
        return int(cffi.FFI().cast("intptr_t", pointer))
    import ctypes
    address = None
    if isinstance(pointer, (ctypes.c_void_p, ctypes._CFuncPtr)):
        address = ctypes.cast(pointer, ctypes.c_void_p).value
    if not address:
        raise TypeError(f"c_function: expected a function of ctypes or cffi, or its address, not {pointer!r}")
    return address


# --- exceptions ---

def _clear_frames(error, trace):
    """Of an exception and of those behind it, but for the one that the caller was handling: their arrays lie over memory
    that goes with the call."""
    seen, left = {id(None), id(sys.exception())}, [error]
    traceback.clear_frames(trace)
    while left:
        error = left.pop()
        if id(error) not in seen:
            seen.add(id(error))
            traceback.clear_frames(error.__traceback__)
            left += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]


# --- the operation ---

@dataclass
class Verified:
    """Candidates on cases of the operation's own: how many each took and failed, and the largest error."""

    rows: dict = field(default_factory=dict)

    @property
    def ok(self):
        return all(not r["failed"] for r in self.rows.values())

    def _add(self, candidate, implementation, error, applies, right, why):
        r = self.rows.setdefault(candidate, {"implementation": implementation, "cases": 0, "failed": 0,
                                             "error_max_abs": 0.0, "why": ""})
        if not applies:
            r["why"] = r["why"] or why
            return
        r["cases"] += 1
        r["failed"] += not right
        r["error_max_abs"] = max(r["error_max_abs"], 0.0 if math.isnan(error) else error)
        r["why"] = why or r["why"]

    def __repr__(self):
        from ._look import _table
        return _table([("candidate", "cases", "failed", "largest error", "why")]
                      + [(c, str(r["cases"]), str(r["failed"]), f"{r['error_max_abs']:.2g}", r["why"])
                         for c, r in self.rows.items()], right=(1, 2, 3))

    def _repr_html_(self):
        from ._look import _html_table
        return _html_table("verified", ["candidate", "cases", "failed", "largest error", "why"],
                           [[c, r["cases"], r["failed"], f"{r['error_max_abs']:.2g}", r["why"]]
                            for c, r in self.rows.items()])


def _defined(function, words, implementations):
    """On the other side. What is known there already stays, with its verdicts."""
    with _engine._opening:  # tasks come on several threads
        made = operation(function, **words)
        for method, given, more in implementations:
            try:
                getattr(made, method)(given, **more)
            except ImportError as error:  # no numba: others answer
                import logging
                logging.getLogger("liquid_engine").warning("%s: implementation %r is left out: %s", made.name, more["name"], error)
    return made


class Operation(Traveller):
    """An own operation. Calling it runs whichever implementation is right and fastest; its attributes ``numpy``,
    ``numba``, ``c_function`` and ``opencl`` add implementations."""

    def __init__(self, function, name, atol, rtol, cases, of_largest):
        functools.update_wrapper(self, function)
        self.__dict__.pop("_carrier", None)  # of what the function was made of
        self.__qualname__ = getattr(function, "__qualname__", name)
        args, symbols = _specification(function, name)
        summary = (function.__doc__ or "").strip().split("\n")[0]
        self.name, self.reference, self.cases = name, function, cases
        self._spec = {"name": name, "summary": summary, "reference": "", "args": args, "symbols": symbols,
                      "atol": float(atol), "rtol": float(rtol), "of_largest": of_largest,
                      "cases": functools.partial(_make_case, cases) if cases else None}
        self._version = version_of(function)
        self._variants: dict[str, dict] = {}
        self._given: dict[str, tuple] = {}  # how they were added, for other processes
        self._numbers: dict[str, int] = {}
        self._made = None

    def _same_as(self, other):
        plain = {k: v for k, v in self._spec.items() if k != "cases"}
        theirs = {k: v for k, v in other._spec.items() if k != "cases"}
        return (self._version == other._version and plain == theirs
                and version_of(self.cases) == version_of(other.cases))

    def _register(self, engine):
        self._number = _core.register_operation(engine, self._spec)
        self._numbers = {}
        self._register_variant(engine, "reference", {"kind": "reference", "function": _by_position(self.reference),
                                                     "run_type": "reference", "speed": 0.0, "source": ""})
        for name, variant in self._variants.items():
            self._register_variant(engine, name, variant)
        self._made = None
        vars(sys.modules[__package__]).pop(self.name, None)

    def _register_variant(self, engine, name, variant):
        # a verdict is about an implementation and the reference that it was compared with
        source = f"{variant['source']} {self._version} {self._spec['args']} {self._spec['atol']} {self._spec['rtol']}"
        whole = {"summary": "", "operation": self.name, "name": name, **variant,
                 "source": hashlib.sha256(source.encode()).hexdigest()}
        self._numbers[name] = _core.register_implementation(engine, self._number, whole)
        self._made = None

    def _add(self, name, variant, given=None):
        self._add_variant(name, variant)
        self._given[name] = given

    def _add_variant(self, name, variant):
        if _own.get(self.name) is not self:
            raise ValueError(f"{self.name} has been defined anew: add implementations to the new one")
        if name == "reference":
            raise ValueError("an implementation cannot be called 'reference'")
        known = self._variants.get(name)
        engine = default_engine()
        if name in self._numbers and known and known["source"] == variant["source"]:
            if variant["kind"] == "python":
                _core.replace_function(self._numbers[name], variant["function"])
            self._variants[name] = variant
            return
        self._register_variant(engine, name, variant)
        self._variants[name] = variant

    def _check_parameters(self, function, more=()):
        """Of an implementation: it gets the arguments in order, whatever it calls them."""
        names = [*(a["name"] for a in self._spec["args"]), *more]
        try:
            inspect.signature(function).bind(*names)
        except TypeError:
            raise TypeError(f"{self.name}: an implementation has the parameters ({', '.join(names)}), not "
                            f"{inspect.signature(function)}") from None
        except ValueError:  # it does not tell
            pass

    # --- implementations ---

    def numpy(self, function=None, *, name=None, speed=0.5):
        """A Python function of the inputs and the outputs, which it fills: ``def plain(x, a, out): ...``."""
        if function is None:
            return lambda f: self.numpy(f, name=name, speed=speed)
        name = _name_of(function, name)
        self._check_parameters(function)
        self._add(name, {"kind": "python", "function": function, "run_type": "numpy",
                         "speed": speed, "source": version_of(function)}, ("numpy", function, dict(name=name, speed=speed)))
        return function

    def numba(self, function=None, *, name=None, serial=False, speed=1.0):
        """A loop over ``range(begin, end)`` along the first axis of the result, ``def loop(x, a, out, begin, end)``;
        compiled by numba, called by the engine's threads for disjoint parts, in one piece if ``serial``."""
        if function is None:
            return lambda f: self.numba(f, name=name, serial=serial, speed=speed)
        plain = getattr(function, "py_func", function)
        name = _name_of(plain, name)
        self._check_parameters(plain, ("begin", "end"))
        source = version_of(function)
        if name in self._numbers and self._variants.get(name, {}).get("source") == source:
            return function
        self._add(name, {"kind": "machine", "address": compile_numba(function, self._spec["args"]), "run_type": "numba",
                         "serial": serial, "speed": speed, "source": source},
                  ("numba", function, dict(name=name, serial=serial, speed=speed)))
        return function

    def c_function(self, pointer, *, name=None, serial=False, version=None, speed=1.0):
        """Machine code ``void f(const le_slot *arguments, size_t begin, size_t end, int worker)`` (docs/python.md) as a
        ctypes or cffi pointer. ``version`` tells versions apart; else the file that holds the code does."""
        address = _address_of(pointer)
        if version is None:
            path = _core.file_of_code(address)
            with open(path or "/dev/null", "rb") as f:
                version = hashlib.sha256(f.read()).hexdigest()
        _kept.append(pointer)
        self._add(name or getattr(pointer, "__name__", "c_function"),
                  {"kind": "machine", "address": address, "run_type": "c", "serial": serial, "speed": speed,
                   "source": str(version)})
        return self

    def opencl(self, text, *, tune=None, kernel=None, name=None, speed=1.0):
        """A kernel of the arguments in order (float and int scalars) and then the symbols of shapes as uint. ``tune``:
        values of words that the text uses, of which the best are found; ``local`` is the work-group size."""
        if not isinstance(text, str):
            raise TypeError(f"opencl: expected the text of a kernel, not {text!r}")
        found = re.search(r"(?:__)?kernel\s+void\s+(\w+)\s*\(", text)
        if kernel is None and not found:
            raise ValueError("opencl: the text has no '__kernel void NAME('")
        kernel = kernel or found.group(1)
        self._add(name or "opencl", {"kind": "opencl", "text": text, "kernel": kernel,
                                     "source_name": f"own/{self.name}/{name or kernel}", "run_type": "opencl",
                                     "tune": dict(tune or {}), "speed": speed, "source": f"{text} {tune}"},
                  ("opencl", text, dict(tune=tune, kernel=kernel, name=name, speed=speed)))
        return self

    def remove(self, name):
        """Takes an implementation away."""
        del self._variants[name], self._given[name]
        self._numbers.pop(name, None)
        _core.unregister_implementation(None, self.name, name)
        self._made = None

    # --- calls ---

    @property
    def function(self):
        """The operation's function, as those of the module are."""
        default_engine()  # after a fork it is registered again
        if self._made is None:
            self._made = _functions.function(self.name)
        return self._made

    def __call__(self, /, *args, **words):
        return self.function(*args, **words)

    def explain(self, /, *args, **words):
        """Why a call would be made as it would, and what else there is."""
        return self.function.explain(*args, **words)

    def bench(self, /, *args, **words):
        """Runs every candidate of a call, and compares it with the reference. What crashes or hangs does so in a trial,
        and is left out."""
        for name in self._variants if words.get("implementation") is None else ():
            try:
                self.function(*args, **{k: v for k, v in words.items() if k != "seconds"}, implementation=name)
            except NoCandidate:
                pass
        return self.function.bench(*args, **words)

    def shapes(self, /, *args, **words):
        """Shapes and dtypes of the results of a call, without running it."""
        return self.function.shapes(*args, **words)

    def verify(self, cases=20):
        """Compares every implementation with the reference on so many cases. Nothing is tried in a process of its own
        first: machine code that crashes takes this process along."""
        self.function  # noqa: B018  registers
        v = Verified()
        for index in range(cases):
            for row in _core.verify(None, self.name, index):
                v._add(*row)
        return v

    def _parts(self):
        words = {"name": self.name, "atol": self._spec["atol"], "rtol": self._spec["rtol"], "cases": self.cases,
                 "of_largest": self._spec["of_largest"]}
        return _defined, (self.reference, words, [given for given in self._given.values() if given])

    def __repr__(self):
        return f"<own operation {self.name}: {', '.join(['reference', *self._variants])}>"


def _make_case(cases, seed, size):
    rng = numpy.random.default_rng(seed)
    return cases(rng, size or None)


def operation(function=None, *, name=None, atol=1e-5, rtol=0.0, cases=None, of_largest=False):
    """Make a function, the reference, an operation whose implementations are proven, timed and chosen.

    Running it again with the same code changes nothing; with other code everything is proven anew.

    Parameters
    ----------
    function : callable
        The reference; annotations ``In`` and ``Out`` tell its arrays.
    name : str, optional
        Another name than the function's.
    atol, rtol : float
        Tolerance of implementations: |result - reference| <= atol + rtol * |reference|, each element.
    cases : callable, optional
        ``cases(rng, size)`` gives arguments as a dict, for trials; without it inputs are normal numbers.
    of_largest : bool
        Multiplies atol by the largest value of the reference's result.

    Returns
    -------
    Operation
        Called as the function is; ``numpy``, ``numba``, ``c_function`` and ``opencl`` add implementations.
    """
    if function is None:
        return lambda f: operation(f, name=name, atol=atol, rtol=rtol, cases=cases, of_largest=of_largest)
    made = Operation(function, _name_of(function, name), atol, rtol, cases, of_largest)
    known = _own.get(made.name)
    if known and known._same_as(made):
        default_engine()
        _core.replace_function(known._numbers["reference"], _by_position(function))
        known.reference = function
        return known
    made._register(default_engine())
    _own[made.name] = made
    _engine.defined(made.name)
    return made
