# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Functions made from the descriptors of operations: signatures, documentation, results."""
from __future__ import annotations

import copyreg
import functools
import inspect
from collections import namedtuple

from . import _core, _engine, _options  # noqa: F401
from ._examples import EXAMPLES

_DTYPES = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32",
           "u64": "uint64", "i64": "int64", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}

OPTIONS = {  # of every call: type, explanation
    "rtol": ("float", "Error allowed relative to the reference's result, each element."),
    "atol": ("float", "Error allowed beside that. Given one of the two, the other is 0."),
    "device": ("str", 'Where it may run: "cpu", "opencl", "opencl:0" or part of a device\'s name.'),
    "mode": ('{"learn", "estimate", "measure", "frozen"}', "What to do about what has not been measured."),
    "implementation": ("str", 'An implementation, or a candidate: "avx2[threads=2]".'),
    "run_type": ("str", 'A family of implementations: "c", "simd", "opencl" ...'),
    "memory_limit": ("int or str", 'Working memory: bytes, or "2G".'),
    "objective": ('{"time", "p99", "memory", "cpu_time"}', "What to choose for."),
    "reproducible": ("bool", "The same bits for the same input, whatever has been measured."),
    "keep": ("bool", "Results are Tensors, which may stay on a device."),
    "out": ("array or tuple of arrays", "Where to write the results."),
    "outputs": ('str or sequence of str, or "all"', "Names of the results to make."),
    "engine": ("Engine", "Another engine than the default one."),
    "progress": ("bool or callable", "Shows how far a long call is (tqdm), or is called with a fraction (NaN: not known)."),
}


def parameters(description):
    """Arguments that are no outputs, as Python takes them: those needed first."""
    given = [a for a in description["args"] if a["type"] != "out"]
    return [a for a in given if not a["optional"]] + [a for a in given if a["optional"]]


def options_of(description):
    """Options of calls; an argument of the operation with an option's name goes before it."""
    hidden = {a["name"] for a in description["args"]}
    return {name: about for name, about in OPTIONS.items() if name not in hidden}


def outputs(description):
    """The results: those that are made unless the caller names some come first."""
    args = {a["name"]: a for a in description["args"]}
    return [args[name] for name in description["outputs"]]


def default_of(a):
    """The default that the descriptor states; None where absence has a meaning of its own."""
    if a["default_str"] is not None:
        return a["default_str"]
    if not a["has_default"]:
        return None
    return int(a["default"]) if a["type"] == "i64" else a["default"]


def _signature(description):
    P = inspect.Parameter
    params = [P(a["name"], P.POSITIONAL_OR_KEYWORD, default=default_of(a) if a["optional"] else P.empty)
              for a in parameters(description)]
    params += [P(name, P.KEYWORD_ONLY, default=None) for name in options_of(description)]
    return inspect.Signature(params)


def _dtypes(a):
    return ", ".join(_DTYPES[d] for d in a["dtypes"])


def _type_text(a):
    kind = a["type"]
    if kind == "in":
        text = f"array_like {a['shape']}"
    elif kind == "table":
        text = f"array_like {a['shape']}"
    elif kind in ("str", "str_or_f64") and a["words"]:
        text = "{" + ", ".join(f'"{w}"' for w in a["words"]) + "}" + (" or float" if kind == "str_or_f64" else "")
    else:
        text = {"f64": "float", "i64": "int", "f64s": "sequence of float", "str": "str",
                "str_or_f64": "str or float"}[kind]
    if a["optional"]:
        default = default_of(a)
        text += ", optional" if default is None else f", default {default!r}"
    return text.replace("  ", " ").strip()


def _sentence(text):
    text = text.strip()
    return (text[:1].upper() + text[1:]).rstrip(".") + "." if text else ""


def _explain_argument(a):
    lines = [_sentence(a["doc"])] if a["doc"] else []
    if a["type"] in ("f64", "i64", "f64s") and a["min"] < a["max"]:
        lines.append(f"From {a['min']:g} to {a['max']:g}.")
    if a["type"] == "in":
        lines.append(f"Elements: {_dtypes(a)}. A text or path names a file.")
    return lines or ["See the summary."]


def _relatives(d):
    lines = ["explain : Why a call is made as it is, and what else there is.",
             "bench : Time all implementations of a call."]
    for name in _engine.operations():
        other = _core.Operation(name)._describe()
        if other["family"] == d["family"] and name != d["name"]:
            lines.append(f"{name} : {_sentence(other['summary'])}")
    return lines


def documentation(d):
    """numpydoc text of an operation."""
    lines = [_sentence(d["summary"]), "",
             "The fastest implementation here that is accurate enough answers; ``explain`` tells which it is.", "",
             "Parameters", "----------"]
    for a in parameters(d):
        lines += [f"{a['name']} : {_type_text(a)}", *("    " + x for x in _explain_argument(a))]
    for name, (kind, text) in options_of(d).items():
        lines += [f"{name} : {kind}, optional", f"    {text}"]
    lines += ["", "Returns", "-------"]
    for i, a in enumerate(outputs(d)):
        made = " (on demand: outputs=...)" if i >= d["n_usual"] else ""
        lines += [f"{a['name']} : numpy.ndarray {a['shape']}".rstrip(),
                  f"    {_sentence(a['doc']) or 'The result.'}{made} Elements: {_dtypes(a)}."]
    lines += ["", "See Also", "--------", *_relatives(d)]
    tolerance = f"atol {d['atol']:g}{' (of the largest value)' if d['of_largest'] else ''}, rtol {d['rtol']:g}"
    lines += ["", "Notes", "-----", f"Default tolerance: {tolerance}."]
    if d["reference"]:
        lines += [f"Defined by: {d['reference']}."]
    example = EXAMPLES.get(d["name"])
    if example:
        lines += ["", "Examples", "--------", example.strip()]
    return "\n".join(lines) + "\n"


def function(name, engine=None):
    """The function of an operation; None where there is no such operation."""
    try:
        return _core.Operation(name, engine)
    except LookupError:
        return None


def nearest(name, engine=None):
    import difflib
    near = difflib.get_close_matches(name, _engine.operations(engine), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


@functools.cache
def _result_type(operation, names):
    made = namedtuple(f"{operation}_result", names)
    made.__reduce__ = lambda self: (_restore_results, (operation, names, tuple(self)))  # processes hand results on
    return made


def _restore_results(operation, names, values):
    return _result_type(operation, names)._make(values)


def named(made, values, names):
    """The results of a call under their names."""
    if names is None:
        if made._result_type is None:
            made._result_type = _result_type(made.__name__, tuple(made._outputs[:made._n_usual]))
        return made._result_type._make(values)
    chosen = made._outputs if names == "all" else names
    return _result_type(made.__name__, tuple(chosen))._make(values)


# --- methods of operations ---

def _explain(self, /, *args, **words):
    """Why a call would be made as it would, and what else there is. Runs nothing."""
    from ._look import explain_call
    return explain_call(self, args, words)


def _bench(self, /, *args, seconds=0.05, **words):
    """Runs every candidate of a call for about so many seconds each, and compares it with the reference."""
    from ._look import bench_call
    return bench_call(self, args, words, seconds)


def _shapes(self, /, *args, **words):
    """Shapes and dtypes of the results of a call, by name, without running it; -1: found when it runs."""
    return self._look("shapes", args, words, 0.0)


def _doc_of(self):
    if self._doc is None:
        self._doc = documentation(self._describe())
    return self._doc


def _signature_of(self):
    if self._signature is None:
        self._signature = _signature(self._describe())
    return self._signature


_core.Operation.__doc__ = property(_doc_of)
_core.Operation.__signature__ = property(_signature_of)
_core.Operation.explain = _explain
_core.Operation.bench = _bench
_core.Operation.shapes = _shapes


def _restore(name, engine):
    found = function(name, engine)
    if found is None:
        raise LookupError(f"there is no operation {name!r} here")
    return found


copyreg.pickle(_core.Operation, lambda f: (_restore, (f.__name__, f._engine)))
