# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Chains: functions of several operations that are planned and run as one."""
from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import operator
import os
import sys
import threading
import weakref

import numpy

from . import _core, _engine, _functions, _options
from ._code import version_of
from ._travel import Traveller

_NO_CONTENTS = "a value of a chain has no contents yet"


def _textless(what):
    def refuse(_):
        raise ValueError(f"{what} has no text in a chain's JSON, which has whole values, their items (x[3]) and lists of numbers")
    return refuse


def _built(name, record, engine):
    chain = _core.Chain(name, engine)
    for method, args in record:
        getattr(chain, method)(*args)
    return chain


class _Recorded:
    """A chain of the extension that remembers how it was built. One that is built alike takes its place when
    operations have been defined anew, and, where it has no engine of its own, in another default engine,
    after the last one was closed or in a forked child."""

    _BUILDS = ("input", "constant", "temp", "slice", "add", "output")

    def __init__(self, name, engine):
        self.name, self.record, self._engine = name, [], engine
        self._made = self._make(self._state())

    def _state(self):
        return self._engine or _engine.default_engine(), _core.definitions()

    def _make(self, state):
        return state, _built(self.name, self.record, state[0])

    def _chain(self):
        state = self._state()
        if self._made[0] != state:
            self._made = self._make(state)
        return self._made[1]

    def __getattr__(self, method):
        call = getattr(self._chain(), method)
        if method not in self._BUILDS:
            return call

        def build(*args):
            made = call(*args)
            self.record.append((method, args))
            return made
        return build


_registered = {}  # of the default engine, by name: how it was built, and its summary


def _register_again(name, engine):
    own_name, record, summary = _registered[name]
    try:
        _built(own_name, record, engine).register(name, summary)
    except Exception as error:  # its steps may take other arguments now: who defines or opens is not to blame
        import logging
        logging.getLogger("liquid_engine").warning("chain %r cannot be registered again: %s", name, error)


def _register_all(engine):
    for name in _registered:
        _register_again(name, engine)


def _follow(name, before=()):
    """Registers chains of an operation that has been defined, and chains of these, anew."""
    before = (*before, name)
    for user, (_, record, _) in list(_registered.items()):
        if user not in before and any(method == "add" and args[0] == name for method, args in record):
            _register_again(user, _engine.default_engine())
            _follow(user, before)


_engine._registers.append(_register_all)
_engine._followers.append(_follow)


class Value(_core.Value):
    """What a step of a chain will have made: shape and dtype, and no contents yet."""

    def __init__(self, chain, number, text=None):
        self.chain, self.number = chain, number
        self.shape, self.dtype = chain._core.shape(number)
        self._text = text  # what it is, where it has no name of its own: a function of the names of others

    @property
    def ndim(self):
        return len(self.shape)

    def __getitem__(self, key):
        """``v[3]`` or ``v[2:5]``: a part along the first axis."""
        if isinstance(key, slice):
            begin, end, step = key.indices(self.shape[0])
            if step != 1:
                raise IndexError("parts of a chain's values have step 1")
            return Value(self.chain, self.chain._core.slice(self.number, 0, begin, end), _textless("several items of a value"))
        if not hasattr(key, "__index__"):
            raise TypeError(f"parts of a chain's values are along the first axis: v[3] or v[2:5], not {key!r}")
        index = key.__index__()
        if not -self.shape[0] <= index < self.shape[0]:
            raise IndexError(f"index {index} is out of range for {self.shape[0]} items")
        index %= self.shape[0]
        text = _textless("a part of a part") if self._text else lambda names: f"{names[self.number]}[{index}]"
        return Value(self.chain, self.chain._core.slice(self.number, 0, index, -1), text)

    def __len__(self):
        return self.shape[0]

    def _refuse(self, *_, **__):
        raise TypeError(_NO_CONTENTS)

    __bool__ = __float__ = __int__ = __iter__ = __array__ = __add__ = __radd__ = __mul__ = __sub__ = _refuse
    __array_ufunc__ = None

    def __repr__(self):
        return f"<value of chain {self.chain.name!r}: {self.dtype}{list(self.shape)}>"


class Chain:
    """A chain built by hand: ``c.input(name, shape, dtype)``, operations on values, ``c.output(name, value)``.

    Parameters
    ----------
    name : str
        For reports and messages.
    engine : Engine, optional
        Another engine than the default one, which it would follow: where that is closed, the next use opens another.
    """

    def __init__(self, name="chain", engine=None):
        self.name, self._engine = name, engine
        self._core = _Recorded(name, engine)
        self._blocks = None  # of options, that are open while it is traced
        self._inputs, self._outputs, self._steps = {}, {}, []
        self._unlock()
        _chains.add(self)

    def _unlock(self):
        self._lock, self._runner = threading.Lock(), None  # of runs, one at a time; the thread that holds it

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def input(self, name, shape, dtype="f4"):
        """A value that is given, by this name, when the chain runs."""
        _check_text("input", "name", name)
        if name == "outputs":
            raise ValueError("input: name: expected another one than 'outputs', which names results of a run")
        try:
            extents = tuple(map(operator.index, shape))
        except TypeError:
            raise TypeError(f"input {name!r}: shape: expected whole numbers, not {shape!r}") from None
        return self._input(name, extents, dtype)

    def _input(self, name, extents, dtype):
        self._inputs[name] = Value(self, self._core.input(name, extents, dtype))
        return self._inputs[name]

    def constant(self, array):
        """An array that is the same in every run."""
        return Value(self, self._core.constant(numpy.array(array, subok=True)), _textless("a constant array"))

    def output(self, name, value):
        """Makes a value a result of this name."""
        _check_text("output", "name", name)
        if not isinstance(value, Value) or value.chain is not self:
            raise TypeError(f"output {name!r}: expected a value of this chain")
        self._core.output(name, value.number)
        self._outputs[name] = value

    def run(self, /, outputs=None, **given):
        """Runs the chain: inputs by name, and options of calls. The results by name, as a dict."""
        arrays = {k: given.pop(k) for k in list(given) if k in self._inputs}
        missing = [k for k in self._inputs if k not in arrays]
        if missing:
            raise TypeError(f"chain {self.name!r}: input {missing[0]!r} is missing")
        names = (outputs,) if isinstance(outputs, str) else tuple(outputs or self._outputs)
        return self._run(arrays, names, given)

    def _run(self, arrays, names, options):
        arrays = {k: a if isinstance(a, _core.Tensor) else numpy.asanyarray(a) for k, a in arrays.items()}
        with self._alone():
            return dict(zip(names, self._core.run(arrays, names, options)))

    @contextlib.contextmanager
    def _alone(self):
        if self._runner == threading.get_ident():
            raise RuntimeError(f"chain {self.name!r}: it is under way on this thread, which cannot run it again meanwhile")
        with self._lock:
            self._runner = threading.get_ident()
            try:
                yield
            finally:
                self._runner = None

    def plan(self, **options):
        """Who would run each step, where, and how long that would take, as a Plan."""
        return Plan(json.loads(self._core.plan(options)))

    def register(self, name=None, summary=None):
        """Makes the chain an operation of the engine, whose function is returned."""
        name = name or self.name
        _check_text("register", "name", name)
        if summary is not None:
            _check_text("register", "summary", summary)
        if not name.isidentifier():
            raise ValueError(f"an operation cannot be called {name!r}: expected a name as functions have")
        self._core.register(name, summary)
        if self._engine is None:
            _registered.pop(name, None)  # the order is that of the latest ones
            _registered[name] = (self._core.name, list(self._core.record), summary)
            _engine.defined(name)
        vars(sys.modules[__package__]).pop(name, None)
        return _functions.function(name, self._engine)

    def to_json(self):
        """The chain as le-run takes it. ValueError: it has something that JSON cannot say, such as a constant array."""
        names = _Names({value.number: name for name, value in (*self._outputs.items(), *self._inputs.items())})
        steps = [{"operation": s["operation"],
                  "args": {k: names.text_of(v) for k, v in s["args"].items()}}
                 for s in self._steps]
        try:
            return json.dumps({"name": self.name, "inputs": list(self._inputs), "steps": steps,
                               "outputs": list(self._outputs)}, indent=1, allow_nan=False)
        except ValueError:
            raise ValueError(f"chain {self.name!r}: JSON has no NaN and no infinity") from None


_chains: weakref.WeakSet[Chain] = weakref.WeakSet()


def _unlock_all():
    for chain in _chains:
        chain._unlock()


os.register_at_fork(after_in_child=_unlock_all)  # another thread of the parent's may run one


class _Names(dict):
    """Of values in JSON, by their numbers."""

    def __missing__(self, number):
        return f"v{number}"

    def text_of(self, argument):
        if isinstance(argument, Value):
            argument = argument._text or self[argument.number]
        return argument(self) if callable(argument) else argument


class Plan(dict):
    """A chain's plan: "why", "predicted_s", "steps" ..."""

    def __repr__(self):
        from ._look import _seconds, _table
        rows = [("operation", "candidate", "device", "expected", "moved")]
        rows += [(s["operation"], s["candidate"], s["device"], _seconds(s["predicted_s"]), str(s["bytes_moved"]))
                 for s in self["steps"]]
        return f"{self['chain']}: {_seconds(self['predicted_s'])} ({self['why']})\n" + _table(rows, right=(3, 4))

    def _repr_html_(self):
        from ._look import _html_table
        largest = max((s["predicted_s"] or 0 for s in self["steps"]), default=0)
        return _html_table(f"{self['chain']} ({self['why']})", ["operation", "candidate", "device", "expected", "moved"],
                           [[s["operation"], s["candidate"], s["device"], (s["predicted_s"], largest), s["bytes_moved"]]
                            for s in self["steps"]])


# --- steps ---

def _step_argument(chain, a, value):
    """(name, kind, value) as the extension takes it, and what the text of it is made of."""
    name, kind = a["name"], a["type"]
    if isinstance(value, Value):
        if kind != "in":
            raise TypeError(f"argument {name!r}: {_NO_CONTENTS}")
        return (name, "in", value.number), value
    if kind == "in":
        constant = chain.constant(value)
        return (name, "in", constant.number), constant
    if isinstance(value, str) or (kind == "str"):
        return (name, "str", str(value)), str(value)
    if kind == "i64":
        return (name, "i64", value.__index__()), value.__index__()
    if kind in ("f64", "str_or_f64"):
        return (name, "f64", float(value)), float(value)
    array = numpy.array(value, dtype=numpy.float64, order="C", ndmin=1)
    if kind == "table":
        return (name, "table", array), array.tolist() if array.ndim == 1 else _textless("a table with rows")
    return (name, "f64s", array.reshape(-1)), array.reshape(-1).tolist()


def _wanted(function, words):
    names = words.pop("outputs", None)
    if names is None:
        return None, function._outputs[:function._n_usual]
    if isinstance(names, str):
        return names, function._outputs if names == "all" else (names,)
    if not hasattr(names, "__getitem__") or isinstance(names, dict):  # what is asked for has an order
        raise TypeError(f"{function.__name__}: outputs: expected a name, a sequence of names, or 'all', "
                        f"not {type(names)!r}")
    return names, tuple(names)


def _check_text(method, argument, given):
    if not isinstance(given, str):
        raise TypeError(f"{method}: {argument}: expected a text, not {given!r}")


def trace(function, args, words):
    """A call with values of a chain: adds a step."""
    names, wanted = _wanted(function, words)
    bound = function.__signature__.bind(*args, **words).arguments
    values = [v for v in bound.values() if isinstance(v, Value)]
    chain = values[0].chain
    if any(v.chain is not chain for v in values):
        raise TypeError(f"{function.__name__}: values of two chains")
    if chain._blocks is not None and _options.of_blocks() is not chain._blocks:
        raise TypeError(f"{function.__name__}: options of a block are given around the call of the chain, not in it")
    options = _functions.options_of(function._describe())
    for word in bound:
        if word in options and bound[word] is not None:
            raise TypeError(f"{function.__name__}: option {word!r} is given when the chain runs")
    step, text = [], {}
    for a in _functions.parameters(function._describe()):
        if bound.get(a["name"]) is not None:
            argument, shown = _step_argument(chain, a, bound[a["name"]])
            step.append(argument)
            text[a["name"]] = shown
    needed = [a["name"] for a in function._describe()["args"] if a["type"] == "out" and not a["optional"]]
    every = [*wanted, *(name for name in needed if name not in wanted)]
    temps = [chain._core.temp() for _ in every]
    step += [(name, "out", number) for name, number in zip(every, temps)]
    chain._core.add(function.__name__, step)
    values = [Value(chain, number) for number in temps]
    text.update(zip(every, values))
    chain._steps.append({"operation": function.__name__, "args": text})
    made = values[:len(wanted)]
    return made[0] if len(made) == 1 else _functions.named(function, made, names)


# --- traced functions ---

_TRACES = 64  # that a function keeps


def _key_of(value):
    """Equal for values that a function cannot tell apart; TypeError: nothing says so of this one."""
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return kind, repr(value)  # which tells -0.0 from 0.0, and no NaN from another one
    if kind is numpy.ndarray or isinstance(value, numpy.generic):
        if not value.dtype.hasobject:
            return kind, value.shape, value.dtype, hashlib.sha256(value.tobytes()).digest()
    elif isinstance(value, (tuple, list, dict)) and not getattr(value, "__dict__", None):
        return kind, tuple(map(_key_of, value.items() if isinstance(value, dict) else value))
    raise TypeError(f"what a {kind.__name__} holds may change unseen")


def _names_of(bound):
    """Of all arguments one by one, as inputs of a chain have them: those of ``*more`` are more_0, more_1."""
    params = bound.signature.parameters.values()
    names = [p.name for p in params if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    more = next((p.name for p in params if p.kind is p.VAR_POSITIONAL), None)
    names += [f"{more}_{i}" for i in range(len(bound.args) - len(names))]
    for word in bound.kwargs:
        while word in names:
            word += "_"
        names.append(word)
    return names


class _Arguments:
    """Of a call of a chained function, by the names that inputs of the chain have."""

    def __init__(self, bound, n_plain):
        if n_plain is None:
            self._n, self._words = len(bound.args), tuple(bound.kwargs)
            self._values = dict(zip(_names_of(bound), (*bound.args, *bound.kwargs.values())))
        else:  # each parameter has one argument
            self._n, self._words = n_plain, tuple(bound.arguments)[n_plain:]
            self._values = bound.arguments
        self.arrays = {}
        for name, value in self._values.items():
            if isinstance(value, (numpy.ndarray, _core.Tensor)):
                self.arrays[name] = value
            elif hasattr(value, "__array__") and not numpy.isscalar(value) and not isinstance(value, Value):
                self.arrays[name] = numpy.asarray(value)

    def have_values(self):
        return any(isinstance(value, Value) for value in self._values.values())

    def key(self):
        """Equal for calls that have the same trace; TypeError: nothing says so of this one."""
        arrays = self.arrays
        return (self._n, self._words,
                *((name, arrays[name].shape, str(arrays[name].dtype)) if name in arrays
                  else (name, _key_of(value)) for name, value in self._values.items()))

    def call(self, function, inputs):
        values = list({**self._values, **inputs}.values())
        return function(*values[:self._n], **dict(zip(self._words, values[self._n:])))


class _Traced:
    """One trace of a function: for these shapes, dtypes and other arguments."""

    def __init__(self, function, name, engine, given):
        self.chain = Chain(name, engine)
        inputs = {n: self.chain._input(n, array.shape, array.dtype) for n, array in given.arrays.items()}
        self.numbers = {v.number: n for n, v in inputs.items()}
        self.chain._blocks = _options.of_blocks()
        result = given.call(function, inputs)
        self.names = {}  # of outputs, by value
        self.structure = self._structure(result, "result")

    def _output(self, value, name):
        if value.number in self.numbers:
            return ("input", self.numbers[value.number])
        if value.number not in self.names:
            while name in self.chain._outputs or name in self.chain._inputs:
                name += "_"
            self.chain.output(name, value)
            self.names[value.number] = name
        return ("output", self.names[value.number])

    def _structure(self, result, name):
        if isinstance(result, Value):
            return self._output(result, name)
        if isinstance(result, dict):
            return ("dict", {k: self._structure(v, str(k)) for k, v in result.items()})
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return (type(result)._make, [self._structure(v, f) for v, f in zip(result, result._fields)])
        if isinstance(result, (tuple, list)):
            return (type(result), [self._structure(v, f"{name}_{i}") for i, v in enumerate(result)])
        hint = ": no input of its steps was an array (lists are not: give numpy.asarray(x))" if isinstance(result, numpy.ndarray) else ""
        raise TypeError(f"a chain gives values of its steps, not {type(result).__name__}{hint}")

    def rebuild(self, structure, arrays, made):
        kind, what = structure
        if kind == "input":
            return arrays[what]
        if kind == "output":
            return made[what]
        if kind == "dict":
            return {k: self.rebuild(v, arrays, made) for k, v in what.items()}
        return kind([self.rebuild(v, arrays, made) for v in what])


def _name_of(function):
    """Partial functions have that of what they call, and objects that of their class."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


_rebuilt: dict[tuple, TracedFunction] = {}  # what came from other processes, with its traces: it may come with each task


def _rebuild(function, engine):
    key = (_name_of(function), version_of(function), str(inspect.signature(function)),
           engine and repr(sorted(engine._options.items())))
    found = _rebuilt.pop(key, None)
    if found is None or (found._engine and found._engine.closed):
        found = TracedFunction(function, engine)
    _rebuilt[key] = found
    for oldest in list(_rebuilt)[:-_TRACES]:
        _rebuilt.pop(oldest, None)
    return found


class TracedFunction(Traveller):
    """A function whose operations are planned and run as one; traced once for each set of shapes, dtypes and other
    arguments, and at each call where these may have changed unseen."""

    def __init__(self, function, engine=None):
        functools.update_wrapper(self, function)
        self.__dict__.pop("_carrier", None)  # of what the function was made of
        self.__name__ = _name_of(function)
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self._function, self._engine = function, engine
        self._signature = inspect.signature(function)
        kinds = [p.kind for p in self._signature.parameters.values()]
        various = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}.intersection(kinds)
        self._n_plain = None if various else sum(kind is not inspect.Parameter.KEYWORD_ONLY for kind in kinds)
        self._traces, self._latest_trace, self._definitions = {}, None, 0

    def _parts(self):
        return _rebuild, (self._function, self._engine)

    def _bind(self, args, words):
        options = {k: words.pop(k) for k in list(words) if k in _functions.OPTIONS
                   and k not in self._signature.parameters}
        for word in ("out", "outputs"):
            if options.get(word) is not None:
                raise TypeError(f"{self.__name__}: option {word!r}: a chain makes all its results itself")
        engine = options.pop("engine", None) or self._engine or _options.of_blocks().get("engine")
        try:
            bound = self._signature.bind(*args, **words)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}") from None
        bound.apply_defaults()
        given = _Arguments(bound, self._n_plain)
        if given.have_values():
            raise TypeError(f"{self.__name__}: a chain is no step of another one: "
                            f"call {self.__name__}.__wrapped__ in it")
        return given, options, engine

    def _trace_of(self, given, engine):
        try:  # the default engine is another one in a forked child, or once closed
            key = (os.getpid(), engine or _engine.default_engine(), *given.key())
        except TypeError:
            key = None
        if self._definitions != _core.definitions():  # what a trace knows of its steps may hold no longer
            self._traces, self._definitions = {}, _core.definitions()
        found = self._traces.pop(key, None)
        if found is None:
            found = _Traced(self._function, self.__name__, engine, given)
        if key is not None:
            self._traces[key] = found
            for oldest in list(self._traces)[:-_TRACES]:
                self._traces.pop(oldest, None)
        self._latest_trace = found
        return found

    def __call__(self, /, *args, **words):
        given, options, engine = self._bind(args, words)
        traced = self._trace_of(given, engine)
        names = tuple(traced.chain._outputs)
        made = traced.chain._run(given.arrays, names, options) if names else {}
        return traced.rebuild(traced.structure, given.arrays, made)

    def plan(self, /, *args, **words):
        """The plan that a call with these arguments would follow."""
        given, options, engine = self._bind(args, words)
        return self._trace_of(given, engine).chain.plan(**options)

    def _latest(self):
        if self._latest_trace is None:
            raise TypeError(f"{self.__name__} has not been called yet: its shapes are unknown")
        return self._latest_trace.chain

    def register(self, name=None):
        """Makes it an operation of the engine, for whatever shapes a call has."""
        return self._latest().register(name or self.__name__, (self.__doc__ or "").strip().split("\n")[0] or None)

    def to_json(self):
        """The latest trace as le-run takes it."""
        return self._latest().to_json()


def chain(function=None, *, engine=None):
    """Make a function of operations a chain: its steps are planned together, and data stays where it is cheapest.

    The function is called with values, which have shape and dtype but no contents, once for each set of shapes,
    dtypes and other arguments; at each call where one of these is no number, text, array, or tuple, list or dict of
    them. The latest 64 sets are kept.

    Parameters
    ----------
    function : callable
        It calls operations, and gives back what they make.
    engine : Engine, optional
        Another engine than the default one.

    Returns
    -------
    TracedFunction
        It is called as the function is; ``plan`` tells who runs each step.
    """
    if function is None:
        return lambda f: TracedFunction(f, engine)
    return TracedFunction(function, engine)
