# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Calls worked off by Dask: cut as the operation itself says, in other processes, on other machines.

    from dask.distributed import Client
    import liquid_engine as le
    client = Client(n_workers=4)
    curves = le.dask.run("esrrf", image=stack, temporal="none", magnification=5)

A worker that ends is no loss: Dask gives its parts to others.
"""
from __future__ import annotations

import numbers
import os
from collections.abc import Sequence
from typing import Any

import numpy

from . import _core, _engine, _functions, _options  # noqa: F401


def _is_lazy(x):
    return hasattr(x, "__dask_graph__")


class _Place:
    """A file that workers read parts of."""

    def read(self):
        return _Later(self.text, None).read()

    def __init__(self, text):
        self.text = text
        self.shape, self.dtype = _core.peek(text)

    def __getitem__(self, key):
        if self.text.endswith("]"):  # a part of a part
            return _Later(self.text, key)
        parts = ",".join(":" if k == slice(None) else f"{k.start}:{k.stop}" for k in key)
        return _Later(f"{self.text}[{parts}]", None)


class _Later:
    def __init__(self, text, key):
        self.text, self.key = text, key

    def read(self):
        from ._files import read
        array = read(self.text)
        return array if self.key is None else array[self.key]


def _array(value, operation, name):
    """As a call takes it: no mask is lost when parts of it are put together."""
    array = numpy.asanyarray(value)
    _core.check_array(array, operation, name)
    return numpy.asarray(array)


def _tensor(value, operation, name):
    if isinstance(value, (str, os.PathLike)):
        return _Place(os.fspath(value))
    if not _is_lazy(value):
        return _array(value, operation, name)
    if not isinstance(getattr(value, "shape", None), tuple):  # Delayed has whatever one asks for, as Delayed
        raise TypeError(f"{operation}: argument {name!r}: expected an array, not {type(value).__name__}, whose shape and dtype are "
                        "unknown: give dask.array.from_delayed(x, shape, dtype)")
    if not all(isinstance(n, numbers.Integral) for n in value.shape):
        raise ValueError(f"{operation}: argument {name!r}: a Dask array of unknown shape {value.shape} cannot be cut: "
                         "give x.compute_chunk_sizes()")
    return value


def _example(value):
    """An array of that shape and dtype without memory, for the operation's check."""
    return numpy.broadcast_to(numpy.zeros((), value.dtype), value.shape)


def _part(value, axis, begin, end):
    return value[(slice(None),) * axis + (slice(begin, end),)]


def _take(pieces, axis, operation, name):
    """On a worker: what a part has of an input, which may lie in several places of it."""
    arrays = [p.read() if isinstance(p, (_Later, _Place)) else _array(p, operation, name) for p in pieces]
    return arrays[0] if len(arrays) == 1 else numpy.concatenate(arrays, axis=axis)


def _slab(name, inputs, axes, words, outs, keeps, blocks):
    """On a worker: one slab, without its halo."""
    arrays = {k: _take(pieces, axes.get(k), name, k) for k, pieces in inputs.items()}
    with _options.options(**blocks):
        made = _functions.function(name)(**arrays, **words, outputs=list(outs))
    made = map(numpy.asarray, made if len(outs) > 1 else (made,))  # a block around it may say keep=True
    return tuple(_part(m, *keeps[o]) if o in keeps else m for o, m in zip(outs, made))


def _merge(kind, values, weights):
    """Outputs that every slab computes in full, in doubles."""
    wide = [numpy.asarray(v, dtype=numpy.result_type(v.dtype, numpy.float64)) for v in values]
    if kind == "sum":
        merged = sum(wide)
    elif kind == "mean":
        merged = sum(w * v for w, v in zip(weights, wide)) / sum(weights)
    else:
        merged = (numpy.maximum if kind == "max" else numpy.minimum).reduce(wide)
    return merged.astype(values[0].dtype)


def _append(values, begins, join):
    """Rows of the slabs one after the other; places count from the first item of all."""
    moved = []
    for rows, begin in zip(values, begins):
        rows = rows.copy()
        for element in range(rows.shape[-1] if rows.ndim else 0):
            if join["places"] >> element & 1:
                rows[..., element] += begin * join["scale"]
        moved.append(rows)
    return numpy.concatenate(moved)


def _workers():
    try:
        from distributed import get_client
        return sum(get_client().ncores().values())
    except (ImportError, ValueError):
        return os.cpu_count() or 1


def _plan(function, tensors, words, outs, parts):
    """How the call is cut: along frames, or else along what `tiles` says. Who answers a reproducible one."""
    given = {**{k: _example(v) for k, v in tensors.items()}, **words}
    if outs:
        given["outputs"] = list(outs)
    whys = []
    for cut in function._look("cut", (), given, float(parts)):
        if isinstance(cut, dict):
            return cut, _same_bits(function, given)
        whys.append(cut)
    from ._errors import Unsupported
    why = next(filter(None, whys), "the operation needs its inputs whole")
    raise Unsupported(f"{function.__name__}: this call cannot be cut into slabs: {why}")


def _blocks():
    """Options of blocks around the call, which workers do not see, but for those that are of one process."""
    return {k: v for k, v in _options.of_blocks().items() if k not in ("keep", "progress")}


def _same_bits(function, given):
    said = {**_options.of_blocks(), **given}
    if not said.get("reproducible") or said.get("implementation"):
        return {}
    e = function.explain(**given)
    return {"implementation": c.implementation for c in e.candidates if c.candidate == e.choice}


def _refuse_options(function, words):
    """What a call hands to its caller or takes from him is of one process; results are put together of copies."""
    options = _functions.options_of(function._describe())
    if words.get("keep") and "keep" in options:
        raise TypeError(f"{function.__name__}: option 'keep': le.dask.run gives numpy arrays: le.asarray(x) makes a Tensor of one")
    if words.get("out") is not None and "out" in options:
        raise TypeError(f"{function.__name__}: option 'out': le.dask.run makes its results itself")


def _wanted(function, outputs):
    if not outputs:
        return function._outputs[:function._n_usual]
    if isinstance(outputs, str):
        return function._outputs if outputs == "all" else (outputs,)
    try:
        return tuple(outputs)
    except TypeError:
        raise TypeError(f"{function.__name__}: outputs: expected a name, a sequence of names, or 'all', "
                        f"not {type(outputs).__name__}") from None


def _parts(parts):
    if parts is None:
        return 2 * _workers()
    if not isinstance(parts, numbers.Integral):
        raise TypeError(f"parts: expected a whole number from 1, not {parts!r}")
    if parts < 1:
        raise ValueError(f"parts: expected a whole number from 1, not {parts}")
    return parts


def _function(operation):
    from ._own import Operation
    if isinstance(operation, Operation):
        return operation.function
    function = _functions.function(operation) if isinstance(operation, str) else operation
    if function is None:
        raise LookupError(f"there is no operation {operation!r}{_functions.nearest(operation)}")
    if not isinstance(function, _core.Operation):
        raise TypeError(f"expected an operation or its name, not {type(operation).__name__}")
    return function


def run(operation: Any, *, parts: int | None = None, outputs: str | Sequence[str] | None = None,
        **words: Any) -> Any:
    """Runs an operation in slabs by Dask: on the client's workers, or in this process without one.

    Parameters
    ----------
    operation : str or function
        The operation; arguments follow by name. Arrays may be numpy's, Dask's, or places of files that the workers
        can read.
    parts : int, optional
        Slabs; twice the workers' cores otherwise.
    outputs : str or sequence of str, or "all", optional
        Names of the results to make.

    Returns
    -------
    As the operation: numpy arrays. Each slab is a call of its own, whose implementation its worker chooses; with
    ``reproducible=True`` all slabs are made alike.
    """
    import dask
    function = _function(operation)
    _refuse_options(function, words)
    kinds = {a["name"]: a["type"] for a in function._describe()["args"]}
    tensors = {k: _tensor(words.pop(k), function.__name__, k) for k in list(words) if kinds.get(k) == "in" and words[k] is not None}
    wanted = _wanted(function, outputs)
    plan, same = _plan(function, tensors, words, wanted, _parts(parts))
    slabs, blocks = [], _blocks()
    task = dask.delayed(_slab, pure=False, nout=len(wanted))
    for part in plan["parts"]:
        inputs, own, axes = {k: [v] for k, v in tensors.items()}, {**words, **same}, {}
        for name, (axis, stretches) in part["reads"].items():
            axes[name] = axis
            if name in tensors:
                inputs[name] = [_part(tensors[name], axis, a, b) for a, b in stretches]
            elif own.get(name) is not None:
                own[name] = numpy.concatenate([numpy.atleast_1d(own[name])[a:b] for a, b in stretches])
        slabs.append(task(function.__name__, inputs, axes, own, wanted, part["keeps"], blocks))
    made = dask.compute(*slabs)
    results = []
    for k, name in enumerate(wanted):
        values, join = [m[k] for m in made], plan["joins"][name]
        if join["axis"] >= 0:
            results.append(numpy.concatenate(values, axis=join["axis"]))
        elif join["merge"] == "append":
            results.append(_append(values, [p["begin"] for p in plan["parts"]], join))
        else:
            results.append(_merge(join["merge"], values, [p["end"] - p["begin"] for p in plan["parts"]]))
    if len(results) == 1:
        return results[0]
    return _functions.named(function, results, wanted)
