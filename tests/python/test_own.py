# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Own operations: who is right is found out, who is wrong is left out, what is known stays."""
import ctypes
import functools
import os
import pickle
import shutil
import subprocess
import sys
import types
import typing

import numpy as np
import pytest

import liquid_engine as le
from liquid_engine._code import version_of

TEXT = """__kernel void softclip(__global const float *x, float a, __global float *out, uint n)
{ uint i = get_global_id(0); if (i < n) out[i] = tanh(a * x[i]) * exp(-x[i] * x[i]); }"""


def reference(x, a):
    return np.tanh(a * x.astype("f8")) * np.exp(-x.astype("f8") ** 2)


def plain(x, a, out):
    np.multiply(np.tanh(np.float32(a) * x), np.exp(-x * x), out=out)


def make(name, **words):
    @le.operation(name=name, atol=1e-4, **words)
    def softclip(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
        return reference(x, a)
    return softclip


def candidate(operation, name, *args):
    found = [c for c in operation.explain(*args).candidates if c.implementation == name]
    assert found, f"no {name}"
    return found[0]


@pytest.fixture
def x(rng):
    return rng.normal(size=5000).astype("f4")


def ask(operation, x, name=None):
    """An answer, which must be right whoever gives it."""
    y = operation(x, 2.0, implementation=name)
    assert np.abs(y - reference(x, 2.0)).max() < 1e-4
    return y


def test_a_reference_alone(x):
    own = make("alone")
    assert ask(own, x).dtype == np.float32
    assert own.shapes(x, 1.0) == {"out": ((5000,), np.dtype("f4"))}
    out = np.zeros_like(x)
    assert own(x, 2.0, out=out) is out


def test_right_ones_are_proven(x):
    own = make("proven", cases=lambda rng, size: dict(x=rng.normal(size=size or 300).astype("f4"), a=1.5))
    own.numpy(plain)
    assert candidate(own, "plain", x, 2.0).verdict == "unproven"
    ask(own, x, "plain")
    known = candidate(own, "plain", x, 2.0)
    assert known.verdict == "proven" and known.error_max_abs < 1e-5 and known.left_out == ""
    ask(own, x[::-3])
    assert own.verify(cases=7).ok


def wrong(x, a, out):
    out[:] = 3


def raising(x, a, out):
    raise ValueError("boom: my bug")


def half(x, a, out):
    out[: len(out) // 2] = reference(x, a)[: len(out) // 2]


@pytest.mark.parametrize("bad, reason", [(wrong, "exceeds the tolerance"), (raising, "ValueError: boom: my bug"),
                                         (half, "tolerance")])
def test_bad_ones_are_left_out(x, bad, reason):
    own = make(f"bad_{bad.__name__}")
    own.numpy(bad)
    with pytest.raises(le.NoCandidate, match=reason):
        own(x, 2.0, implementation=bad.__name__)
    known = candidate(own, bad.__name__, x, 2.0)
    assert known.verdict == "failed" and reason in known.left_out and not known.applicable
    ask(own, x)
    assert not own.verify(cases=2).ok


def root_of(name, **words):
    """Its reference refuses what is below 0, its version does not look."""
    @le.operation(name=name, atol=1e-5, **words)
    def root(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        if (x < 0).any():
            raise ValueError("below 0")
        return np.sqrt(x)

    @root.numpy
    def careless(x, out):
        np.sqrt(np.abs(x), out=out)
    return root


def good_cases(rng, size):
    return dict(x=rng.random(size or 50).astype("f4"))


def bad_cases(rng, size):
    raise RuntimeError("no idea")


@pytest.mark.parametrize("words", [{}, dict(cases=good_cases), dict(cases=bad_cases)], ids=["no sample", "cases", "bad cases"])
def test_what_the_reference_refuses_is_refused(words):
    """By whoever answers it first; nobody is to blame."""
    own = root_of(f"root_{len(words)}_{words.get('cases', root_of).__name__}", **words)
    good, bad = np.linspace(0, 9, 700, dtype="f4"), np.full(700, -1, "f4")
    for name in ("careless", None, "careless", "careless"):
        with pytest.raises(le.DataError, match="below 0") as caught:
            own(bad, implementation=name)
        assert isinstance(caught.value.__cause__, ValueError)
    assert candidate(own, "careless", good).left_out == ""
    assert np.allclose(own(good, implementation="careless"), np.sqrt(good), atol=1e-5)
    assert candidate(own, "careless", good).verdict == "proven"


@pytest.mark.parametrize("words", [{}, dict(cases=bad_cases)], ids=["no sample", "bad cases"])
def test_without_a_sample_nothing_is_proven(words):
    """Until a first answer was compared, whose error is known then."""
    own = root_of(f"untried_{len(words)}", **words)
    good = np.linspace(0, 9, 700, dtype="f4")
    with pytest.raises(le.DataError):
        own(-good, implementation="careless")
    known = candidate(own, "careless", good)
    assert known.verdict == "unproven" and np.isnan(known.error_max_abs)
    own(good, implementation="careless")
    known = candidate(own, "careless", good)
    assert known.verdict == "proven" and known.error_max_abs < 1e-5
    assert candidate(own, "careless", np.ones(70000, "f4")).verdict == "unproven"


def test_untried_ones_do_not_vouch():
    """Two that are wrong alike, and have had no trial, are not compared with each other."""
    own = root_of("untried_pair")
    own.numpy(lambda x, out: np.copyto(out, 1 + np.sqrt(np.abs(x))), name="wrong")
    own.numpy(lambda x, out: np.copyto(out, 1 + np.abs(x) ** 0.5), name="as_wrong")
    good = np.linspace(0, 9, 700, dtype="f4")
    for name in ("wrong", "as_wrong"):
        with pytest.raises(le.NoCandidate, match="tolerance"):
            own(good, implementation=name)
    assert np.allclose(own(good), np.sqrt(good), atol=1e-5)


def test_cells_run_again(x, new_process, tmp_path):
    """Five times the same changes nothing; an edited one is proven anew, alone."""
    own = make("cell")
    own.numpy(plain)
    ask(own, x, "plain")
    for _ in range(5):
        again = make("cell")
        assert again is own
        again.numpy(plain)
        assert candidate(again, "plain", x, 2.0).verdict == "proven"

    def other(x, a, out):
        np.multiply(np.tanh(np.float32(a) * x), np.exp(-(x * x)), out=out)
        out += 0

    own.numpy(other)
    ask(own, x, "other")
    own.numpy(lambda x, a, out: plain(x, a, out), name="other")
    assert candidate(own, "other", x, 2.0).verdict == "unproven"
    ask(own, x, "other")
    own.remove("other")
    assert "other" not in [c.implementation for c in own.explain(x, 2.0).candidates]
    ask(own, x)


def test_an_edited_reference_ends_all_verdicts(x):
    first = make("edited")
    first.numpy(plain)
    ask(first, x, "plain")

    @le.operation(name="edited", atol=1e-4)
    def edited(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
        return 1 + reference(x, a)

    edited.numpy(plain)
    with pytest.raises(le.NoCandidate, match="tolerance"):
        edited(x, 2.0, implementation="plain")
    assert np.allclose(edited(x, 2.0), 1 + reference(x, 2.0), atol=1e-6)


PROGRAM = """
import numpy as np, liquid_engine as le, os, signal, sys
@le.operation(atol=1e-4)
def remembered(x: le.In["f4", "n"], a: float = 2.0) -> le.Out["f4", "n"]:
    return a * x.astype("f8")
@remembered.numpy
def plain(x, a, out):
    np.multiply(x, np.float32(a), out=out)
@remembered.numpy
def wrong(x, a, out):
    out[:] = 7
x = np.arange(100, dtype="f4")
print([c.verdict for n in ("plain", "wrong") for c in remembered.explain(x).candidates if c.implementation == n])
assert np.array_equal(remembered(x, mode="measure"), 2 * x)
le.default_engine().close() if sys.argv[1] == "close" else None
"""


class Times:
    """An implementation with a state."""

    def __init__(self, factor):
        self.factor = factor

    def run(self, x, a, out):
        np.multiply(reference(x, a), self.factor, out=out)

    __call__ = run


def function_of(text, **more):
    """The function f of a text, as another process or cell would make it."""
    space = {"np": np, "reference": reference, **more}
    exec(text, space)
    return space["f"]


def in_module(factor, monkeypatch):
    module = types.ModuleType("scales")
    module.scaled = function_of(f"def f(x): return x * {factor}")
    monkeypatch.setitem(sys.modules, "scales", module)
    return module


EDITED = {
    "method": lambda k, _: Times(k).run,
    "object": lambda k, _: Times(k),
    "class": lambda k, _: type("Own", (), {"__call__": function_of(f"def f(self, x, a, out): out[:] = {k} * reference(x, a)")})(),
    "partial": lambda k, _: functools.partial(Times.run, Times(k)),
    "ufunc": lambda k, _: function_of("def f(x, a, out): out[:] = U(reference(x, a)).astype('f4')", U=np.frompyfunc(lambda v: k * v, 1, 1)),
    "comprehension": lambda k, _: function_of(f"def g(v): return {k} * v\ndef f(x, a, out): out[:] = [g(v) for v in reference(x, a)]"),
    "dict": lambda k, _: function_of("def f(x, a, out): out[:] = D['k'] * reference(x, a)", D={"k": k}),
    "set": lambda k, _: function_of("def f(x, a, out): out[:] = max(S) * reference(x, a)", S={0, k}),
    "keyword": lambda k, _: function_of(f"def f(x, a, out, *, k={k}): out[:] = k * reference(x, a)"),
    "attribute": lambda k, _: function_of(f"def g(): pass\ng.k = {k}\ndef f(x, a, out): out[:] = g.k * reference(x, a)"),
    "module": lambda k, m: function_of("def f(x, a, out): out[:] = s.scaled(reference(x, a))", s=in_module(k, m)),
    "module in a closure": lambda k, m: (lambda s: lambda x, a, out: np.copyto(out, s.scaled(reference(x, a))))(in_module(k, m)),
    "import": lambda k, m: in_module(k, m) and function_of(
        "def f(x, a, out):\n    from scales import scaled\n    out[:] = scaled(reference(x, a))"),
    "deep": lambda k, _: function_of(f"def g0(v): return {k} * v\n" + "".join(
        f"def g{i + 1}(v): return g{i}(v)\n" for i in range(8)) + "def f(x, a, out): out[:] = g8(reference(x, a))"),
    "exceptions": lambda k, _: function_of("def f(x, a, out):\n    out[:] = reference(x, a)\n"
                                           + ("    try: 1 / 0\n    except ZeroDivisionError: pass" if k == 1 else "    1 / 0")),
}


@pytest.mark.parametrize("how", EDITED, ids=list(EDITED))
def test_edited_code_is_proven_anew(x, how, monkeypatch):
    """What was right is not believed of what has taken its place, nor what was wrong."""
    own = make(f"edited_{how.replace(' ', '_')}")
    for factor in (1, 3, 1):
        own.numpy(EDITED[how](factor, monkeypatch), name="own")
        if factor == 1:
            ask(own, x, "own")
        else:
            with pytest.raises(le.NoCandidate):
                own(x, 2.0, implementation="own")


@pytest.mark.parametrize("how", [h for h in EDITED if h != "ufunc"])
def test_the_same_code_stays_proven(how, monkeypatch):
    first, again, other = (version_of(EDITED[how](factor, monkeypatch)) for factor in (1, 1, 3))
    assert first == again != other


def test_installed_functions_by_name(x):
    """A ufunc or builtin is what its name says; it is another one under another name."""
    @le.operation(name="sine", atol=1e-6)
    def sine(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return np.sin(x.astype("f8"))

    sine.numpy(np.sin, name="fast")
    assert np.allclose(sine(x, implementation="fast"), np.sin(x), atol=1e-6)
    sine.numpy(np.cos, name="fast")
    with pytest.raises(le.NoCandidate):
        sine(x, implementation="fast")
    assert version_of(np.sin) == version_of(np.sin) != version_of(np.cos)
    assert version_of(np.convolve) == version_of(np.convolve) != version_of(np.correlate)
    assert version_of(len) == version_of(len) != version_of(sum)


def test_another_function_under_a_name_of_the_reference(x, monkeypatch):
    monkeypatch.setitem(globals(), "WAVE", np.sin)

    def define():
        @le.operation(name="wave", atol=1e-4)
        def wave(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return WAVE(x.astype("f8"))  # noqa: F821

        wave.numpy(lambda x, out: np.sin(x, out=out), name="own")
        return wave

    assert np.allclose(define()(x, implementation="own"), np.sin(x), atol=1e-4)
    monkeypatch.setitem(globals(), "WAVE", np.cos)
    with pytest.raises(le.NoCandidate):
        define()(x, implementation="own")


REPAIRED = """
import sys
import numpy as np
import liquid_engine as le
import own_scale

@le.operation(name="repaired", atol=1e-4)
def repaired(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return 2.0 * x

@repaired.numpy
def own(x, out):
    out[:] = own_scale.scale(x)

x = np.ones(100, "f4")
try:
    print(repaired(x, implementation="own")[0])
except le.NoCandidate:
    print("left out")
print([c.verdict for c in repaired.explain(x).candidates if c.implementation == "own"])
"""


def test_a_repaired_helper_of_another_file(new_process, tmp_path):
    database = str(tmp_path / "own.sqlite3")
    for factor, says in ((3, "left out\n['failed']"), (2, "2.0\n['proven']"), (3, "left out\n['failed']")):
        (tmp_path / "own_scale.py").write_text(f"def scale(x): return {factor} * x\n")
        path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
        assert new_process(REPAIRED, PYTHONPATH=path, LE_DB=database).strip() == says


def test_verdicts_are_remembered(new_process, tmp_path):
    database = str(tmp_path / "own.sqlite3")
    assert new_process(PROGRAM, "close", LE_DB=database).split("\n")[0] == "['unproven', 'unproven']"
    assert new_process(PROGRAM, "close", LE_DB=database).split("\n")[0] == "['proven', 'failed']"
    edited = PROGRAM.replace("= 7", "= 8")
    assert new_process(edited, "close", LE_DB=database).split("\n")[0] == "['proven', 'unproven']"


def test_functions_without_text(x):
    space = {"np": np, "le": le, "reference": reference}
    exec("def f(x: le.In['f4', 'n'], a: float = 2.0) -> le.Out['f4', 'n']:\n    return reference(x, a)\n"
         "def g(x, a, out):\n    out[:] = reference(x, a)", space)
    own = le.operation(space["f"], name="without_text", atol=1e-4)
    own.numpy(space["g"])
    assert np.allclose(own(x, implementation="g"), reference(x, 2.0), atol=1e-6)
    assert np.allclose(own(x, 1.0), reference(x, 1.0), atol=1e-6)


def test_shapes(rng):
    @le.operation
    def magnify(image: le.In["f4", "h w"], flat: le.In["f4|f8", "w"], by: int = 3) -> tuple[le.Out["f4", "2*h by"],
                                                                                          le.Out["f8", "w+1"]]:
        return np.full((2 * image.shape[0], by), image.sum()), np.append(flat, 0)

    image, flat = rng.normal(size=(4, 5)).astype("f4"), rng.normal(size=5)
    big, longer = magnify(image, flat)
    assert big.shape == (8, 3) and longer.shape == (6,) and longer.dtype == np.float64
    assert np.allclose(big, image.sum(), atol=1e-4) and np.array_equal(longer[:-1], flat)
    assert magnify(image, flat, by=7)[0].shape == (8, 7)
    with pytest.raises(le.ShapeError, match=r"axis 0 of 'flat' \[w\] is 4, expected 5"):
        magnify(image, flat[:4])
    with pytest.raises(le.ShapeError, match="2 dimensions|1 dimensions"):
        magnify(flat.astype("f4"), flat)
    with pytest.raises(TypeError, match="symbol 'z' is in no input"):
        @le.operation
        def unknown(x: le.In["f4", "n"]) -> le.Out["f4", "z"]:
            return x
    with pytest.raises(TypeError, match="expected an annotation"):
        @le.operation
        def untyped(x, a: float) -> le.Out["f4", "3"]:
            return x
    with pytest.raises(le.ArgumentError, match="library's own"):
        @le.operation
        def project(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return x


C_TEXT = """
#include <math.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { void *data; const int64_t *shape; double f64; int64_t i64; } le_slot;
void good(const le_slot *t, size_t begin, size_t end, int worker) {
    const float *x = t[0].data; float *out = t[2].data, a = (float)t[1].f64;
    for (size_t i = begin; i < end; i++) out[i] = tanhf(a * x[i]) * expf(-x[i] * x[i]);
}
void crash(const le_slot *t, size_t begin, size_t end, int worker) { *(volatile int *)(begin - begin) = 1; }
void hang(const le_slot *t, size_t begin, size_t end, int worker) { for (volatile int i = 1; i;) ; }
void stray(const le_slot *t, size_t begin, size_t end, int worker) {
    good(t, begin, end, worker);
    ((float *)t[2].data)[t[2].shape[0]] = 5;
}
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_c_functions(x, tmp_path):
    (tmp_path / "soft.c").write_text(C_TEXT)
    library = str(tmp_path / "soft.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, str(tmp_path / "soft.c"), "-lm"], check=True)
    code = ctypes.CDLL(library)
    with le.Engine(db=":memory:", trial_limit=1):
        pass
    own = make("machine")
    for name in ("good", "crash", "stray"):
        own.c_function(getattr(code, name), name=name)
    ask(own, x, "good")
    assert candidate(own, "good", x, 2.0).verdict == "proven"
    for name, reason in (("crash", "signal 11"), ("stray", "behind")):
        with pytest.raises(le.NoCandidate, match=reason):
            own(x, 2.0, implementation=name)
        assert candidate(own, name, x, 2.0).verdict == "quarantined"
    ask(own, x)
    assert np.allclose(own(x[::2], 2.0, implementation="good"), reference(x[::2], 2.0), atol=1e-5)


HANGS = """
import ctypes, sys, numpy as np, liquid_engine as le
@le.operation(atol=1e-4)
def hanging(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
    return np.tanh(a * x.astype("f8")) * np.exp(-x.astype("f8") ** 2)
hanging.c_function(ctypes.CDLL(sys.argv[1]).hang, name="hang")
x = np.ones(10, "f4")
try:
    hanging(x, 1.0, implementation="hang")
except le.NoCandidate as e:
    print(e)
assert np.allclose(hanging(x, 1.0), np.tanh(1) * np.exp(-1), atol=1e-6)
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_hanging_code(new_process, tmp_path):
    (tmp_path / "soft.c").write_text(C_TEXT)
    library = str(tmp_path / "soft.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, str(tmp_path / "soft.c"), "-lm"], check=True)
    assert "did not end within 0.5 s" in new_process(HANGS, library, LE_TRIAL_LIMIT="0.5", LE_DB=":memory:")


def test_numba(x):
    pytest.importorskip("numba")
    own = make("compiled")

    @own.numba
    def loop(x, a, out, begin, end):
        for i in range(begin, end):
            out[i] = np.tanh(a * x[i]) * np.exp(-x[i] * x[i])

    @own.numba(serial=True)
    def off(x, a, out, begin, end):
        for i in range(begin, end):
            out[i] = a

    ask(own, x, "loop")
    ask(own, x[::-2], "loop")
    assert candidate(own, "loop", x, 2.0).verdict == "proven"
    with pytest.raises(le.NoCandidate, match="tolerance"):
        own(x, 2.0, implementation="off")
    with pytest.raises(le.NoCandidate, match="another dtype"):
        own(x, 2.0, implementation="loop", out=np.zeros(len(x)))
    ask(own, x)


@pytest.mark.parametrize("default", [7, -3, 10**6, 9 * 10**15 - 1, 2**53, 2**62, -(2**62), np.int64(5), 1e6])
def test_whole_number_defaults(default):
    @le.operation(name="with_default")
    def with_default(x: le.In["f4", "n"], k: int = default) -> le.Out["i8", "n"]:
        return np.full(x.shape, k)

    assert with_default(np.ones(2, "f4")).tolist() == [int(default)] * 2


@pytest.mark.parametrize("kind, default", [(int, 2**53 + 1), (int, 2**63 - 1), (int, -(2**63)), (int, 2.5), (int, "7"), (int, None),
                                           (int, float("nan")), (float, None), (float, "1"), (float, 10**400)],
                         ids=lambda value: str(value)[:20])
def test_defaults_that_no_descriptor_holds(kind, default):
    """They would be other ones in calls: 0 for large whole numbers."""
    def with_default(x: le.In["f4", "n"], k: kind = default) -> le.Out["i8", "n"]:
        return np.full(x.shape, k)

    with pytest.raises(ValueError, match=r"with_default: argument 'k': its default is .*, expected a .*number"):
        le.operation(with_default)


def test_annotations_that_checkers_leave_alone():
    @le.operation
    @typing.no_type_check
    def unchecked(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
        return a * x

    np.testing.assert_array_equal(unchecked(np.ones(3, "f4"), 2.0), [2, 2, 2])


def test_an_argument_called_self(x):
    @le.operation
    def methodical(self: le.In["f4", "n"], words: float = 2.0) -> le.Out["f4", "n"]:
        return self * words

    for use in (methodical, le.methodical):
        np.testing.assert_array_equal(use(self=x, words=3.0), 3 * x)
        assert use.explain(self=x).choice and use.shapes(self=x)["out"][0] == x.shape
        assert use.bench(self=x, seconds=0.01).operation == "methodical"


def test_held_functions_follow_their_names():
    """An operation that is defined with other arguments, or a chain with other outputs, is the one that is called."""
    @le.operation
    def renewed(a: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return a

    held, x = le.renewed, np.arange(4, dtype="f4")
    np.testing.assert_array_equal(held(x), x)

    @le.operation  # noqa: F811
    def renewed(b: le.In["f4", "n"], k: float) -> tuple[le.Out["f4", "n"], le.Out["f4", "n"]]:
        return k * b, b + np.float32(k)

    for made in (held(x, 2.0), held(b=x, k=2.0), held(x, k=2.0)):
        assert made._fields == ("out1", "out2")
        np.testing.assert_array_equal(made, [2 * x, x + 2])
    with pytest.raises(TypeError, match="missing required argument: 'k'"):
        held(x)
    with pytest.raises(TypeError, match="'a'"):
        held(a=x, k=2.0)
    with le.Engine(db=":memory:", mode="estimate") as e:
        for engine in (None, e):
            image = np.outer(x, x)
            one = le.chain(lambda v: le.roberts_cross(v)[0], engine=engine)
            two = le.chain(lambda v: tuple(le.roberts_cross(v)[::-1]), engine=engine)
            one(image), two(image)
            follows = one.register("renewed_chain")
            col, row = le.roberts_cross(image)
            np.testing.assert_allclose(follows(image), col, atol=1e-5)
            two.register("renewed_chain")
            np.testing.assert_allclose(follows(image), [row, col], atol=1e-5)


NESTED = """
import numpy as np, liquid_engine as le
@le.operation
def last(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return x if len(x) < 2 else np.concatenate([x[:1], last(x[1:])])
@last.numpy
def plain(x, out):
    out[:] = x if len(x) < 2 else np.concatenate([x[:1], last(x[1:])])
@le.operation
def endless(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return le.endless_chain(np.ones(len(x) + 1, "f4"))[:-1]
by_hand = le.Chain("endless_chain")
by_hand.output("o", endless(by_hand.input("v", (3,))))
by_hand.register()
x = np.arange(80, dtype="f4")
assert np.array_equal(last(x), x)
for f, given in ((last, np.ones(400, "f4")), (endless, np.ones(3, "f4")), (le.endless_chain, np.ones(3, "f4"))):
    try:
        f(given)
    except RecursionError as error:
        assert "100 calls of operations within one another" in str(error), error
        print("refused")
assert np.array_equal(last(x[:50]), x[:50])
assert all("RecursionError" not in c.left_out and "TooDeep" not in c.left_out for c in last.explain(x).candidates)
"""


def test_endless_recursion(new_process):
    """It is a RecursionError, as Python's own, and nobody is left out for it."""
    assert new_process(NESTED) == "refused\nrefused\nrefused\n"


def test_opencl(x):
    own = make("kernels")
    own.opencl(TEXT, tune=dict(local=[32, 64]))
    own.opencl(TEXT.replace("exp(", "1 + exp("), name="off")
    own.opencl(TEXT.replace("out[i]", "out[j]"), name="unbuilt")
    if all(c.implementation != "opencl" for c in own.explain(x, 2.0).candidates):
        pytest.skip("no OpenCL device")
    ask(own, x, "opencl")
    texts = [c.candidate for c in own.explain(x, 2.0).candidates if c.implementation == "opencl"]
    assert any("local=32" in t for t in texts) and any("local=64" in t for t in texts)
    assert candidate(own, "opencl", x, 2.0).verdict == "proven"
    with pytest.raises(le.NoCandidate, match="tolerance"):
        own(x, 2.0, implementation="off")
    with pytest.raises(le.NoCandidate):
        own(x, 2.0, implementation="unbuilt")
    own.opencl(TEXT.replace("tanh", "sin"), name="opencl")  # the text, not the name, is what was proven
    with pytest.raises(le.NoCandidate, match="tolerance"):
        own(x, 2.0, implementation="opencl")
    ask(own, x)


@pytest.mark.parametrize("dtype, fits, does_not", [("f8", (2.0, 0.5, float("nan")), (0.1, 16777217.0, 1e300)),
                                                   ("i4", (2.0, 3.0), (0.1, 16777217.0)),
                                                   ("f4", (2.0, 0.1, float("inf")), (1e300, 1e-300))])
def test_numbers_that_a_kernel_would_round(dtype, fits, does_not):
    """Kernels get them as float: they answer where that makes no difference, whatever they were proven with."""
    @le.operation(name=f"scaled_{dtype}", atol=1e-9 if dtype == "f8" else 1e-3)
    def scaled(x: le.In["f8", "n"], a: float) -> le.Out[dtype, "n"]:
        with np.errstate(invalid="ignore", over="ignore"):
            return (x * a).astype(dtype)

    word = {"f8": "double", "f4": "float", "i4": "int"}[dtype]
    scaled.opencl(f"__kernel void k(__global const double *x, float a, __global {word} *out, uint n)"
                  "{ uint i = get_global_id(0); if (i < n) out[i] = x[i] * a; }")
    x = np.arange(1000.0) % 100
    if all(c.implementation != "opencl" for c in scaled.explain(x, 2.0).candidates):
        pytest.skip("no OpenCL device")
    for a in fits:
        np.testing.assert_allclose(scaled(x, a, implementation="opencl"), scaled.reference(x, a), atol=1e-3)
    for a in does_not:
        with pytest.raises(le.NoCandidate, match="numbers as float"):
            scaled(x, a, implementation="opencl")
        for _ in range(3):
            np.testing.assert_array_equal(scaled(x, a), scaled.reference(x, a))
    np.testing.assert_allclose(scaled(x, fits[0], implementation="opencl"), scaled.reference(x, fits[0]), atol=1e-3)


DANGEROUS = """
import numpy as np, liquid_engine as le
if not any("opencl" in d.id for d in le.devices()):
    print("no device"); raise SystemExit
le.project(np.ones((8, 8, 8), "f4"), device="opencl")  # it is open: no process could be forked for it any more
x = np.arange(2000, dtype="f4")
for body in ("__global float *p = (__global float *)(ulong)(16 + i); *p = 1;", "volatile int on = 1; while (on) {}", ""):
    @le.operation
    def twice(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return x * 2.0
    twice.opencl("__kernel void k(__global const float *x, __global float *out, uint n) "
                 "{ uint i = get_global_id(0); if (i < n) { %s out[i] = 2 * x[i]; } }" % body)
    try:
        assert np.array_equal(twice(x, implementation="opencl"), 2 * x)
        print("right")
    except le.NoCandidate as error:
        print(error)
    assert np.array_equal(twice(x), 2 * x)
"""


def test_kernels_that_crash_or_hang(new_process):
    """They do so in another process, whenever they were registered; with a CPU driver it would be the end of this one."""
    said = new_process(DANGEROUS, LE_TRIAL_LIMIT="0.5", LE_DB=":memory:").splitlines()
    if said == ["no device"]:
        pytest.skip("no OpenCL device")
    crash, hang, right = said
    assert "crash" in crash and "did not end" in hang and right == "right"


BUSY = """
import threading, numpy as np, liquid_engine as le
stop = False
def spin():
    while not stop:
        sum(range(1000))
threads = [threading.Thread(target=spin) for _ in range(3)]
[t.start() for t in threads]
x, bad = np.arange(64, dtype="f4"), 0
for k in range(12):
    @le.operation(name=f"busy{k}")
    def f(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return x * 2.0
    @f.numpy
    def plain(x, out):
        np.multiply(x, 2, out=out)
    f(x, implementation="plain")
    bad += [c.verdict for c in f.explain(x).candidates if c.implementation == "plain"] != ["proven"]
stop = True
[t.join() for t in threads]
print(bad)
"""


def test_no_false_verdict_beside_busy_threads(new_process):
    assert new_process(BUSY, LE_DB=":memory:").strip() == "0"


def test_an_operation_within_another(x):
    inner = make("inner")
    inner.numpy(plain)

    @le.operation(atol=1e-4)
    def outer(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return inner(x, 2.0) + le.roberts_cross(np.ones((3, 3), "f4")).gradient_row[1, 1]

    assert np.abs(outer(x) - reference(x, 2.0)).max() < 1e-4
    assert sys.getrefcount(outer) < 50


def test_interrupts_are_no_mistakes():
    """Ctrl-C in the body of a function: the call ends by it, and the function answers the next one."""
    interrupted = []

    @le.operation(atol=1e-6, cases=lambda rng, size: dict(x=rng.normal(size=size or 100).astype("f4")))
    def interrupted_once(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        if len(x) == 7 and not interrupted:
            interrupted.append(1)
            raise KeyboardInterrupt
        return 2 * x

    x = np.arange(7, dtype="f4")
    with pytest.raises(KeyboardInterrupt):
        interrupted_once(x)
    assert np.array_equal(interrupted_once(x), 2 * x)
    assert all(c.verdict in ("proven", "unproven") for c in interrupted_once.explain(x).candidates)


@pytest.mark.parametrize("mode", ["learn", "measure"])
@pytest.mark.parametrize("who", ["reference", "own"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_interrupted_trials(who, kind, mode):
    """The same in a trial, of which the caller has said nothing."""
    left = [who]

    def interrupt(whoever):
        if whoever in left:
            left.clear()
            raise kind("enough")

    @le.operation(name=f"trial_{who}_{kind.__name__}_{mode}", atol=1e-6)
    def twice(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        interrupt("reference")
        return 2 * x

    @twice.numpy
    def own(x, out):
        interrupt("own")
        np.multiply(x, 2, out=out)

    x = np.arange(7, dtype="f4")
    with pytest.raises(kind, match="enough"):
        twice(x, mode=mode)
    assert not left
    assert np.array_equal(twice(x, implementation="own"), 2 * x)
    assert candidate(twice, "own", x).verdict == "proven"


def test_long_names(x):
    """Two that differ in the last of many characters are two."""
    for factor, end in ((2, "a"), (3, "b")):
        def times(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return x * factor
        own = le.operation(times, name="n" * 200 + end)
        assert np.array_equal(own(x), x * np.float32(factor))


def test_extents_that_are_none():
    for extent in ("0*n", "99999999999999999999*n"):
        with pytest.raises(ValueError, match="factor"):
            @le.operation
            def nothing(x: le.In["f4", extent]) -> le.Out["f4", "n"]:
                return x


@pytest.mark.parametrize("extent, k", [("4*k", 2**62), ("4*k", 2**61 + 1), ("k+2", 2**63 - 1), ("k-2", -2**63), ("k", -1), ("k", 2**63 - 1)])
def test_extents_that_no_array_has(extent, k):
    """The product would wrap to one that an array may have."""
    @le.operation
    def wide(x: le.In["f4", "n"], k: int) -> le.Out["u1", extent]:
        return np.zeros(0, "u1")

    for use in (wide, wide.shapes):
        with pytest.raises(le.ShapeError, match=r"wide: axis 0 of 'out' .* would be"):
            use(np.ones(3, "f4"), k)


def test_long_names_of_symbols():
    name = "elements_of_the_result_along_axis_0"
    text = (f"def long_name(x: le.In['f4', '{name}_x'], {name}: int) -> le.Out['f4', '{name} {name}_x']:\n"
            f"    return np.outer(np.arange({name}), x).astype('f4')")
    space = {"le": le, "np": np}
    exec(text, space)
    np.testing.assert_array_equal(le.operation(space["long_name"])(np.ones(3, "f4"), 2), [[0, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize("kind", ["in", "out"])
def test_axes_beyond_the_most(kind):
    def many(x: le.In["f4", " ".join("abcdefghi") if kind == "in" else "a"]) -> le.Out["f4", " ".join("a" * 9)]:
        return x

    with pytest.raises(ValueError, match=f"'{'x' if kind == 'in' else 'out'}' has 9 axes, expected at most 8"):
        le.operation(many)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", "int64", "uint64", "f8", "bool", "c8"])
def test_dtypes_are_numpys(dtype):
    @le.operation(name=f"same_{dtype}")
    def same(x: le.In[dtype, "n"]) -> le.Out[dtype, "n"]:
        return x

    x = np.array([0, 1, 1], dtype)
    assert np.array_equal(same(x), x) and same(x).dtype == ("u1" if dtype == "bool" else dtype)


@pytest.mark.parametrize("made, reason", [(None, "returned None"), (1j, "complex128, expected float32"),
                                          ("text", "expected float32"), (np.zeros((2, 2)), r"another shape.* \(2, 2\), expected \(5000,\)"),
                                          (np.float32(3), r"another shape.* \(\), expected \(5000,\)"),
                                          (np.ma.masked_less(np.arange(5000), 3), "masked elements.*give x.filled")])
def test_references_that_return_something_else(x, made, reason):
    @le.operation(name="something_else")
    def operation(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return made

    with pytest.raises(le.DataError, match=f"something_else: .*{reason}"):
        operation(x)
    if made is None:
        made = np.full(len(x), 3)
        assert (operation(x) == 3).all()


@pytest.mark.parametrize("dtype, value, held", [("u1", 300, "0 to 255"), ("u4", -1, "0 to 4294967295"), ("i1", -129, "-128 to 127"),
                                                ("i4", 2**40, "-2147483648 to 2147483647"), ("i8", 2**63, "-2**63"), ("u8", -1, "0 to")])
def test_whole_numbers_do_not_wrap(x, dtype, value, held):
    made = np.array([1, value] if value < 2**63 else [value], "u8" if value >= 2**63 else "i8")

    @le.operation(name=f"wraps_{dtype}")
    def operation(x: le.In["f4", "n"]) -> le.Out[dtype, "n"]:
        return made

    held = held.replace("-2**63", str(-2**63))
    with pytest.raises(le.DataError, match=f"'out' has the value {value}, which .* does not hold .{held}"):
        operation(x[: made.size])
    made = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min][: made.size], dtype)
    assert np.array_equal(operation(x[: made.size]), made)


PICKY = """
import numpy as np, liquid_engine as le, sys
@le.operation(atol=1e-4)
def picky(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    if (x < 0).any():
        raise ValueError("negative values")
    return np.sqrt(x)
good = np.ones(1000, "f4")
for _ in range(3):
    if sys.argv[1] == "bad":
        try:
            picky(-good)
        except le.DataError as error:
            assert "picky: ValueError: negative values" in str(error) and isinstance(error.__cause__, ValueError)
        else:
            raise AssertionError
    assert (picky(good) == 1).all()
"""


def test_a_reference_may_refuse_data(new_process, tmp_path):
    """Which is no verdict about it, here and in other processes."""
    database = str(tmp_path / "own.sqlite3")
    for data in ("bad", "good"):
        new_process(PICKY, data, LE_DB=database)


@pytest.mark.parametrize("why", ["cases", "reference"])
def test_no_sample_is_nobodys_fault(x, why):
    @le.operation(name=f"no_sample_{why}", cases=(lambda rng, size: 1 / 0) if why == "cases" else None)
    def operation(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        if why == "reference" and (x < 0).any():
            raise ValueError("negative values")
        return np.sqrt(np.abs(x))

    @operation.numpy
    def version(x, out):
        np.sqrt(np.abs(x), out=out)

    assert np.allclose(operation(abs(x), implementation="version"), np.sqrt(abs(x)))
    assert candidate(operation, "version", abs(x)).left_out == ""


def test_an_interrupt_of_a_reference_is_one(x):
    interrupted = True

    @le.operation(name="interrupted_reference")
    def operation(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        if interrupted:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        operation(x)
    interrupted = False
    assert np.array_equal(operation(x), x)


def test_fractions_are_no_whole_numbers(x):
    @le.operation(name="whole")
    def operation(x: le.In["f4", "n"]) -> le.Out["i4", "n"]:
        return x + 0.5

    with pytest.raises(le.DataError, match="float64, expected int32|float32, expected int32"):
        operation(x)


def scaled(k, x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return k * x


class Scaled:
    def __call__(self, x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return 3 * x


@pytest.mark.parametrize("function", [functools.partial(scaled, 3), Scaled()], ids=["partial", "object"])
def test_what_can_be_called_but_has_no_name(x, function):
    with pytest.raises(TypeError, match="give name="):
        le.operation(function)
    operation = le.operation(function, name="scaled", atol=1e-5)
    operation.numpy(functools.partial(np.multiply, 3), name="ufunc")
    for name in ("reference", "ufunc"):
        assert np.allclose(operation(x, implementation=name), 3 * x)


def test_several_results_without_the_word_tuple(x):
    @le.operation(name="two_results")
    def operation(x: le.In["f4", "n"]) -> (le.Out["f4", "n"], le.Out["f4", "1"]):
        return x, x.sum(keepdims=True)

    assert np.allclose(operation(x).out2, x.sum(), rtol=1e-4)


@pytest.mark.parametrize("kind, given, reason", [
    ("numpy", lambda x: x, r"has the parameters \(x, a, out\), not \(x\)"), ("numpy", 5, "expected a function, not 5"),
    ("numba", lambda x, a, out: None, r"\(x, a, out, begin, end\)"), ("c_function", "name", "address, not 'name'"),
    ("c_function", 0, "address, not 0"), ("opencl", 5, "text of a kernel, not 5")])
def test_what_is_no_implementation(kind, given, reason):
    operation = make("refuses")
    with pytest.raises(TypeError, match=reason):
        getattr(operation, kind)(given)
    assert "reference>" in repr(operation)


def test_arguments_without_an_extent_or_a_name():
    with pytest.raises(TypeError, match="every argument of an operation has a name"):
        @le.operation
        def any_number(*x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return x
    with pytest.raises(TypeError, match="a text of extents"):
        @le.operation
        def shape_as_a_tuple(x: le.In["f4", ("n",)]) -> le.Out["f4", "n"]:
            return x


def test_an_operation_that_has_been_defined_anew(x):
    old = make("anew")

    @le.operation(name="anew")
    def new(x: le.In["f8", "n m"]) -> le.Out["f8", "m n"]:
        return x.T

    with pytest.raises(ValueError, match="defined anew"):
        old.numpy(plain)
    assert new(np.ones((2, 3))).shape == (3, 2)


CRASHES = """
import ctypes, numpy as np, liquid_engine as le
@le.operation(name="crashes", atol=1e-4)
def crashes(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return x
crashes.c_function(ctypes.CDLL(None).abort)
timings = crashes.bench(np.ones(50, "f4"), seconds=0.01).timings
print({t.implementation: (bool(t.seconds), t.left_out) for t in timings})
"""


def test_benches_outlive_crashes(new_process):
    said = new_process(CRASHES)
    assert "'reference': (True, '')" in said and "'abort': (False, 'quarantined: crashed" in said


def two(x: le.In["f4", "n"]) -> (le.Out["f4", "n"], le.Out["f4", "n"]):
    return x, 2 * x


def test_pickling(x, monkeypatch):
    operation = le.operation(two)
    monkeypatch.setattr(sys.modules[__name__], "two", operation)  # as a decorator leaves it
    assert pickle.loads(pickle.dumps(operation)) is operation
    for made in (operation(x), le.roberts_cross(np.ones((3, 3), "f4")), operation(x, outputs=["out2"])):
        back = pickle.loads(pickle.dumps(made))
        assert type(back) is type(made) and np.array_equal(back[0], made[0])


def multiplied(x: le.In["f4", "n"], k: int = 3) -> le.Out["f4", "n"]:
    return k * x


def test_keywords_only(x):
    @le.operation(name="keyword_only")
    def keyword(x: le.In["f4", "n"], *, a: float = 2.0) -> le.Out["f4", "n"]:
        return x * a

    assert np.array_equal(keyword(x), 2 * x) and np.array_equal(keyword(x, a=3.0), 3 * x)
    bound = le.operation(functools.partial(multiplied, k=2), name="keyword_bound")
    assert np.array_equal(bound(x), 2 * x) and np.array_equal(bound(x, k=5), 5 * x)


def test_lists_become_what_is_taken():
    """As numpy.array(x, dtype) makes it, where a single dtype is taken."""
    for name, values in (("i4", [1, -2, 3]), ("u1", [0, 255]), ("i8", [2**60 + 1, -1]), ("u8", [2**63 + 1, 2**64 - 1]), ("c8", [1, 2j]), ("c16", [1, 2]),
                         ("i2", range(4)), ("i4", (True, False))):
        @le.operation(name=f"same_{name}_{len(values)}")
        def same(x: le.In[name, "n"]) -> le.Out[name, "n"]:
            return x

        got = same(values)
        assert got.dtype == np.dtype(name) and got.tolist() == np.array(values, name).tolist()
    for name, values in (("u1", [256]), ("u1", [-1]), ("i4", [2**31]), ("i4", [-2**31 - 1]), ("u8", [-1])):
        @le.operation(name=f"none_{name}_{values[0] % 7}")
        def none(x: le.In[name, "n"]) -> le.Out[name, "n"]:
            return x

        with pytest.raises(OverflowError, match=f"none_{name}_.: argument 'x' has numbers that {np.dtype(name)} does not hold"):
            none(values)

    @le.operation(name="whole_only")
    def whole_only(x: le.In["i4", "n"]) -> le.Out["i4", "n"]:
        return x

    for given in ([1.5, 2], np.array([1, 2])):  # an array has the dtype that its maker chose
        with pytest.raises(le.DTypeError, match="expected i32"):
            whole_only(given)
