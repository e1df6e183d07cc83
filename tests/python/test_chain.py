# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Chains against the same operations one by one."""
import functools
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import liquid_engine as le


@pytest.fixture
def stack(rng):
    return rng.normal(size=(3, 20, 24)).astype("f4")


def one_by_one(stack):
    sharp = le.shift_magnify(stack, magnification_row=2, magnification_col=2)
    return le.roberts_cross(sharp).gradient_row, sharp


def check_pair(pair, stack):
    row, sharp = one_by_one(stack)
    assert np.allclose(pair[0], row, atol=1e-4) and np.allclose(pair[1], sharp, atol=1e-4)


def test_traced_functions(stack):
    calls = []

    @le.chain
    def edges(stack, times=2):
        calls.append(stack.shape)
        sharp = le.shift_magnify(stack, magnification_row=times, magnification_col=times)
        return le.roberts_cross(sharp).gradient_row, sharp

    check_pair(edges(stack), stack)
    check_pair(edges(stack + 1), stack + 1)
    assert len(calls) == 1
    check_pair(edges(stack[:2]), stack[:2])
    assert len(calls) == 2
    assert edges(stack, times=3)[1].shape == (3, 60, 72)
    assert len(calls) == 3
    plan = edges.plan(stack)
    assert [s["operation"] for s in plan["steps"]] == ["shift_magnify", "roberts_cross"]
    assert "roberts_cross" in repr(plan) and "<table>" in plan._repr_html_()


def test_traces_of_other_arguments(rng):
    """What differs in any way that the function can see is traced anew; the latest traces are kept."""
    calls = []

    @le.chain
    def blur(x, kernels, scale=None):
        calls.append(kernels)
        return le.convolve2d(x, kernels[0], mode="same")

    image = rng.normal(size=(50, 50))
    wide = np.zeros((41, 41))  # numpy shows its corners only
    wide[20, 20] = 1
    kernels = [wide, wide * 5, wide[13:28, 13:28], np.array([[1.0]]), np.array([[1.0 + 1e-9]]), np.array([[1.0]], "f4")]
    for kernel in kernels + kernels:
        assert np.allclose(blur(image, [kernel.copy()]), image * kernel.astype("f8").sum(), rtol=1e-10, atol=1e-12)
    assert len(calls) == len(kernels)
    wide[20, 20] = 3
    assert np.allclose(blur(image, [wide]), 3 * image, atol=1e-9)
    apart = [0, 0.0, -0.0, False, "0", b"0", (), [], {}, {"k": 1}, {"k": 1.0}, (1, (2,)), np.float32(1), np.float64(1), float("nan")]
    for scale in apart + apart:
        blur(image, (wide,), scale)
    assert len(calls) == len(kernels) + 1 + len(apart)


def test_traces_of_objects(stack):
    """An object may be another one next time, whatever it shows of itself: nothing is kept for it."""
    class Magnification:
        def __init__(self, factor):
            self.factor = factor

    @le.chain
    def larger(x, by):
        return le.shift_magnify(x, magnification_row=by.factor, magnification_col=by.factor)

    for factor in (2, 3, 4):
        assert larger(stack, Magnification(factor)).shape == (3, 20 * factor, 24 * factor)
    same = Magnification(2)
    assert larger(stack, same).shape == (3, 40, 48)
    same.factor = 5
    assert larger(stack, same).shape == (3, 100, 120)
    assert not larger._traces and json.loads(larger.to_json())["steps"][0]["args"]["magnification_row"] == 5


def test_traces_are_bounded(stack):
    calls = []

    @le.chain
    def edges(x, number):
        calls.append(number)
        return le.roberts_cross(x).gradient_row

    for number in range(100):
        edges(stack, number)
        edges(stack, -1)  # stays, because it is used
    assert len(edges._traces) == 64 and len(calls) == 101
    edges(stack, 99)
    edges(stack, 0)
    assert len(calls) == 102


def test_results_keep_their_form(stack):
    @le.chain
    def several(x):
        both = le.roberts_cross(x)
        return {"edges": both, "same": [both.gradient_col, x]}

    made = several(stack)
    plain = le.roberts_cross(stack)
    assert made["edges"]._fields == ("gradient_col", "gradient_row")
    assert np.allclose(made["edges"].gradient_row, plain.gradient_row, atol=1e-5)
    assert made["same"][0] is made["edges"].gradient_col and made["same"][1] is stack


def test_parts_of_values(stack):
    @le.chain
    def second(x):
        return le.roberts_cross(x[1], outputs="gradient_row"), le.roberts_cross(x[1:]).gradient_row

    one, rest = second(stack)
    assert np.allclose(one, le.roberts_cross(stack[1]).gradient_row, atol=1e-5)
    assert np.allclose(rest, le.roberts_cross(stack[1:]).gradient_row, atol=1e-5)


@pytest.mark.parametrize("use", [lambda x: x if x else x, lambda x: np.asarray(x), lambda x: x + 1, lambda x: float(x),
                                 lambda x: le.explain("roberts_cross", x)])
def test_values_have_no_contents(stack, use):
    with pytest.raises(TypeError, match="no contents yet"):
        le.chain(lambda x: le.roberts_cross(use(x)))(stack)


def test_mistakes(stack):
    with pytest.raises(TypeError, match="when the chain runs"):
        le.chain(lambda x: le.roberts_cross(x, mode="frozen"))(stack)
    with pytest.raises(TypeError, match="values of its steps"):
        le.chain(lambda x: 3)(stack)
    with pytest.raises(le.ArgumentError):
        le.chain(lambda x: le.project(x, axis=9))(stack)
    with pytest.raises(TypeError, match="'image' is missing"):
        c = le.Chain()
        c.output("result", le.roberts_cross(c.input("image", (4, 4))).gradient_row)
        c.run()


def test_registered_and_as_text(stack, tmp_path):
    @le.chain
    def sharp_edges(stack):
        """Edges of a magnified stack."""
        return one_by_one(stack)

    check_pair(sharp_edges(stack), stack)
    function = sharp_edges.register("sharp_edges")
    for use, part in ((function, stack[:, ::2]), (le.sharp_edges, stack[:2])):
        made = use(part)
        check_pair((made.result_0, made.result_1), part)
    text = json.loads(sharp_edges.to_json())
    assert text["inputs"] == ["stack"] and len(text["steps"]) == 2
    made = {v for s in text["steps"] for v in s["args"].values() if isinstance(v, str)}
    assert set(text["outputs"]) <= made


def test_items_of_values_as_text(stack, tmp_path):
    @le.chain
    def edges(x):
        return le.roberts_cross(le.shift_magnify(x, magnification_row=2, magnification_col=2)[-1]).gradient_row

    whole = edges(stack)
    text = json.loads(edges.to_json())
    (made,) = (v for k, v in text["steps"][0]["args"].items() if isinstance(v, str) and v not in ("x", "result"))
    assert text["steps"][1]["args"]["image"] == made + "[2]"
    program = next((p for p in (Path(le.__file__).with_name("le-run"), Path(le.__file__).parents[2] / "le-run") if p.exists()), None)
    if program is None:
        pytest.skip("le-run is not there")
    (tmp_path / "edges.json").write_text(edges.to_json())
    np.save(tmp_path / "x.npy", stack)
    subprocess.run([program, "edges.json", "x=x.npy", "result=out.npy"], cwd=tmp_path, check=True, capture_output=True)
    assert np.allclose(np.load(tmp_path / "out.npy"), whole, atol=1e-4)


def test_steps_that_are_defined_anew(caplog):
    """An edited cell: whoever has the operation as a step follows, for shapes that he knows already, too."""
    def define(factor):
        @le.operation
        def scale_often(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
            return factor * x

    define(2)
    traced = le.chain(lambda v: le.scale_often(v))
    by_hand = le.Chain("by_hand")
    by_hand.output("o", le.scale_often(by_hand.input("v", (4,))))
    x, users = np.arange(4, dtype="f4"), [traced, lambda v: by_hand.run(v=v)["o"]]
    traced(x)
    users.append(traced.register("scaled_often"))
    outer = le.chain(lambda v: le.scaled_often(v))
    outer(x)
    users += [lambda v: le.scaled_often(v), outer, outer.register("scaled_by_another")]
    for factor in (2, 3, 5):
        define(factor)
        for use in users:
            np.testing.assert_array_equal(use(x), factor * x)

    @le.operation
    def scale_often(renamed: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return 7 * renamed

    np.testing.assert_array_equal(traced(x), 7 * x)
    with pytest.raises(le.Error, match="'x'"):
        by_hand.run(v=x)
    assert "'scaled_often' cannot be registered again" in caplog.text


CALLS = {"words": (lambda s, **more: le.convolve2d(s, np.ones((3, 3)), mode=more.get("how", "same")), (), {"how": "full"}),
         "positions": (lambda s, *more: le.convolve2d(s, np.ones((3, 3)), mode=more[0]), ("full",), {}),
         "by position only": (lambda s, how, /, **more: le.convolve2d(s, np.ones((3, 3)), mode=how, boundary=more["how"]),
                              ("valid",), {"how": "wrap"}),
         "by word only": (lambda s, *, how="same": le.convolve2d(s, np.ones((3, 3)), mode=how), (), {"how": "full"})}


@pytest.mark.parametrize("kind", CALLS)
def test_all_kinds_of_parameters(stack, kind):
    function, positions, words = CALLS[kind]
    np.testing.assert_allclose(le.chain(function)(stack[0], *positions, **words), function(stack[0], *positions, **words), atol=1e-4)


def test_arrays_among_further_arguments(stack):
    """They are inputs, each with a name of its own; what they are called by tells traces apart."""
    @le.chain
    def edges(first, *more, **named):
        return [le.roberts_cross(a).gradient_row for a in (first, *more, *named.values())]

    rows = [le.roberts_cross(a).gradient_row for a in stack]
    for made in (edges(*stack), edges(stack[0], stack[1], last=stack[2]), edges(stack[0], more_0=stack[1], more_1=stack[2]),
                 edges(stack[0], stack[1], more_0=stack[2])):
        np.testing.assert_allclose(made, rows, atol=1e-5)
    swapped = edges(stack[0], more_0=stack[2], more_1=stack[1])
    np.testing.assert_allclose(swapped, [rows[0], rows[2], rows[1]], atol=1e-5)
    assert json.loads(edges.to_json())["inputs"] == ["first", "more_0", "more_1"]
    scaled = le.chain(lambda outputs, self: (le.roberts_cross(outputs)[0], le.roberts_cross(self)[0]))
    np.testing.assert_allclose(scaled(stack[0], self=stack[1]), [le.roberts_cross(a)[0] for a in stack[:2]], atol=1e-5)


def test_inputs_have_any_name_but_that_of_an_option(stack):
    by_hand = le.Chain()
    by_hand.output("row", le.roberts_cross(by_hand.input("self", stack.shape))[1])
    np.testing.assert_allclose(by_hand.run(self=stack)["row"], le.roberts_cross(stack)[1], atol=1e-5)
    with pytest.raises(ValueError, match="input: name: expected another one than 'outputs'"):
        by_hand.input("outputs", (3,))


@pytest.mark.parametrize("given", [{"gradient_row"}, 5, {"gradient_row": 1}, iter(["gradient_row"])], ids=lambda g: type(g).__name__)
def test_outputs_are_named_in_order(stack, given):
    for use in (le.roberts_cross, le.chain(lambda x, **_: le.roberts_cross(x, outputs=given))):
        with pytest.raises(TypeError, match="roberts_cross: outputs: expected a name, a sequence of names, or 'all', not <class"):
            use(stack, **({"outputs": given} if use is le.roberts_cross else {}))


def test_partial_functions(stack):
    def edges(which, image):
        return le.roberts_cross(image)[which]

    chained = le.chain(functools.partial(edges, 1))
    np.testing.assert_allclose(chained(stack), le.roberts_cross(stack)[1], atol=1e-5)
    assert chained.__name__ == "edges" and chained.register()(stack).shape == stack.shape


TEXTLESS = {"several items": lambda x: le.roberts_cross(x[1:]).gradient_row,
            "a part of a part": lambda x: le.roberts_cross(x[1:][0]).gradient_row,
            "a constant array": lambda x: le.measure_sources(x[0], np.ones((20, 24), "i4")),
            "a table with rows": lambda x: le.convolve2d(x[0], np.ones((3, 3))), "NaN": lambda x: le.volume_render(x, 4, outside=float("nan"))}


@pytest.mark.parametrize("what", TEXTLESS, ids=list(TEXTLESS))
def test_what_has_no_text(stack, what):
    c = le.chain(TEXTLESS[what])
    assert c(stack).size
    with pytest.raises(ValueError, match=what):
        c.to_json()


@pytest.mark.parametrize("kind", ["tuple", "dict"])
def test_registered_results_keep_their_order(stack, kind):
    """The one that the chain gives, not that in which its steps make them."""
    @le.chain
    def smoothed_first(frames):
        sharp = le.shift_magnify(frames, magnification_row=2, magnification_col=2)
        row, col = le.roberts_cross(sharp)[::-1]
        return (row, sharp, col) if kind == "tuple" else {"row": row, "all": sharp, "col": col}

    plain = smoothed_first(stack)
    names = ("result_0", "result_1", "result_2") if kind == "tuple" else ("row", "all", "col")
    made = smoothed_first.register(f"smoothed_first_{kind}")(stack)
    assert type(made)._fields == names
    for ours, theirs in zip(made, plain if kind == "tuple" else plain.values()):
        np.testing.assert_array_equal(ours, theirs)
    sharp = le.shift_magnify(stack, magnification_row=2, magnification_col=2)
    np.testing.assert_allclose(made[1], sharp, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(made[0], le.roberts_cross(sharp).gradient_row, rtol=1e-4, atol=1e-4)


def test_registered_with_an_engine(stack):
    """The function is of the engine that has the chain, whatever others call by its name."""
    rows = le.chain(lambda x: le.roberts_cross(x).gradient_row)
    with le.Engine(db=":memory:", mode="estimate") as e:
        columns = le.chain(lambda x: le.roberts_cross(x).gradient_col, engine=e)
        rows(stack), columns(stack)
        only = columns.register("only_here")
        assert np.allclose(only(stack), le.roberts_cross(stack).gradient_col, atol=1e-5) and "only_here" not in le.operations()
        first, second = rows.register("both_have_it"), columns.register("both_have_it")
        assert np.allclose(first(stack), le.roberts_cross(stack).gradient_row, atol=1e-5)
        assert np.allclose(second(stack), le.roberts_cross(stack).gradient_col, atol=1e-5)
    assert np.allclose(le.both_have_it(stack), le.roberts_cross(stack).gradient_row, atol=1e-5)


def test_a_chain_within_itself(new_process):
    """A run that waits for itself would wait for ever."""
    assert new_process("""
import faulthandler
import numpy as np
import liquid_engine as le
faulthandler.dump_traceback_later(60, exit=True)
edges = le.chain(lambda x: le.roberts_cross(le.shift_magnify(x, magnification_row=2, magnification_col=2)).gradient_row)
movie = np.ones((60, 300, 300), "f4")
try:
    edges(movie, progress=lambda done: edges(movie), implementation="reference")
except RuntimeError as error:
    print(error)
print(edges(movie).shape)
""") == "chain '<lambda>': it is under way on this thread, which cannot run it again meanwhile\n(60, 600, 600)\n"


def test_options_and_tensors(stack):
    edges = le.chain(lambda stack: one_by_one(stack))
    check_pair(edges(stack, device="cpu"), stack)
    kept = edges(stack, keep=True)
    assert isinstance(kept[0], le.Tensor)
    check_pair([np.asarray(k) for k in kept], stack)
    check_pair(edges(le.asarray(stack)), stack)


WRONG = [(dict(mode="fast"), ValueError, "'mode': there is no mode 'fast'"), (dict(atol="x"), TypeError, "'atol'"),
         (dict(keep="no"), TypeError, "'keep': expected True or False"), (dict(memory_limit=-1), ValueError, "'memory_limit'"),
         (dict(progress=3), TypeError, "'progress'"), (dict(device=5), TypeError, "'device': expected a text"),
         (dict(out=3), TypeError, "'out': a chain makes"), (dict(outputs="row"), TypeError, "'outputs': a chain makes")]


@pytest.mark.parametrize("words, kind, text", WRONG, ids=[next(iter(w[0])) for w in WRONG])
def test_wrong_options(stack, words, kind, text):
    edges = le.chain(lambda stack: one_by_one(stack))
    for use in (edges, edges.plan):
        with pytest.raises(kind, match=f"option {text}"):
            use(stack, **words)
    with le.Chain("web") as c:
        c.output("row", le.roberts_cross(c.input("stack", stack.shape, "f4")).gradient_row)
    if "outputs" not in words:
        with pytest.raises(kind, match=f"option {text}"):
            c.run(stack=stack, **words)
    with pytest.raises(TypeError, match="option 'engine': a chain has one already"):
        c.run(stack=stack, engine=le.Engine(db=":memory:"))


def test_options_of_blocks(stack):
    """They hold for chains as for calls; what the call says itself comes first."""
    edges = le.chain(lambda stack: one_by_one(stack))
    check_pair(edges(stack), stack)
    with le.options(keep=True):
        assert isinstance(edges(stack)[0], le.Tensor)
        assert isinstance(edges(stack, keep=False)[0], np.ndarray)
    with le.options(mode="fast"), pytest.raises(ValueError, match="option 'mode': there is no mode 'fast'"):
        edges(stack)
    with le.options(implementation="nobody"), pytest.raises(le.Error, match="nobody"):
        edges(stack)


def test_options_beside_many_values(rng):
    """As many inputs and outputs as a chain may have leave room for the options of blocks."""
    images = {f"image_{k}": rng.normal(size=(6, 7)).astype("f4") for k in range(48)}
    c = le.Chain("wide")
    for name, image in images.items():
        c.output(f"row_{name}", le.roberts_cross(c.input(name, image.shape)).gradient_row)
    with le.options(device="cpu", mode="estimate", memory_limit="1G", keep=False):
        made = c.run(**images)
    for name, image in images.items():
        assert np.allclose(made[f"row_{name}"], le.roberts_cross(image).gradient_row, atol=1e-5)
    c.output("one_more", le.roberts_cross(c._inputs["image_0"]).gradient_col)
    with pytest.raises(TypeError, match="97 inputs and outputs, at most 96"):
        c.run(**images)


def test_engines(stack):
    """Of the call, of the decorator, of the block, in this order."""
    edges = le.chain(lambda stack: one_by_one(stack))
    with le.Engine(db=":memory:", mode="estimate") as e, le.Engine(db=":memory:", mode="estimate") as other:
        check_pair(edges(stack, engine=e), stack)
        with le.options(engine=e):
            check_pair(edges(stack), stack)
            check_pair(le.chain(lambda stack: one_by_one(stack), engine=other)(stack), stack)
    with pytest.raises(ValueError, match="closed"):
        edges(stack, engine=e)
    with pytest.raises(TypeError, match="engine: expected a liquid_engine.Engine"):
        edges(stack, engine=3)
    check_pair(edges(stack), stack)


CLOSED = {"plan": lambda c, v, f, x: c.plan(), "run": lambda c, v, f, x: c.run(stack=x), "add": lambda c, v, f, x: le.roberts_cross(v),
          "input": lambda c, v, f, x: c.input("more", (3, 3)), "constant": lambda c, v, f, x: c.constant(x),
          "slice": lambda c, v, f, x: v[1], "output": lambda c, v, f, x: c.output("more", v),
          "register": lambda c, v, f, x: c.register("late"), "call": lambda c, v, f, x: f(x),
          "call by another": lambda c, v, f, x: f(x, engine=le.default_engine()), "explain": lambda c, v, f, x: f.explain(x),
          "shapes": lambda c, v, f, x: f.shapes(x), "document": lambda c, v, f, x: f.__doc__,
          "signature": lambda c, v, f, x: f.__signature__, "traced plan": lambda c, v, f, x: le.chain(one_by_one).plan(x, engine=f._engine),
          "new": lambda c, v, f, x: le.Chain("new", engine=f._engine)}


@pytest.mark.parametrize("how", CLOSED, ids=list(CLOSED))
def test_closed_engines(stack, how):
    """What belongs to an engine is refused when that has been closed, and what was its memory is left alone."""
    with le.Engine(db=":memory:", mode="estimate") as e:
        c = le.Chain("web", engine=e)
        value = c.input("stack", stack.shape)
        c.output("row", le.roberts_cross(value).gradient_row)
        c.register("web_of_closed")
        function = e.web_of_closed
    with pytest.raises(ValueError, match="the engine has been closed"):
        CLOSED[how](c, value, function, stack)


def test_an_engine_in_use(stack):
    """It stays open while a call reads its arguments."""
    class Closing:
        def __init__(self, engine):
            self.engine = engine

        def __array__(self, *_, **__):
            self.engine.close()
            return stack

    with le.Engine(db=":memory:", mode="estimate") as e:
        with pytest.raises(RuntimeError, match="cannot be closed: 1 of its calls"):
            e.roberts_cross(Closing(e))
        assert e.roberts_cross(stack).gradient_row.shape == stack.shape


def test_progress(stack):
    seen = []
    edges = le.chain(lambda stack: one_by_one(stack))
    large = np.tile(stack, (12, 10, 10))
    edges(large, progress=seen.append, implementation="reference")
    assert seen and all(isinstance(done, float) for done in seen)

    def stop(done):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        edges(large, progress=stop, implementation="reference")
    check_pair(edges(stack), stack)


def test_by_hand(stack):
    with le.Chain("web") as c:
        c.output("row", le.roberts_cross(c.input("stack", stack.shape, "f4")).gradient_row)
    assert np.allclose(c.run(stack=stack)["row"], le.roberts_cross(stack).gradient_row, atol=1e-5)


FORKED = """
import os, sys, numpy as np, liquid_engine as le
@le.operation
def twice(x: le.In["f4", "n h w"]) -> le.Out["f4", "n h w"]:
    return 2 * x
@le.chain
def rows(stack):
    return le.roberts_cross(twice(stack)).gradient_row
x = np.random.default_rng(1).random((3, 8, 9)).astype("f4")
expected = rows(x)
rows.register("rows_of_twice")
pid = os.fork()
if not pid:
    os._exit(0 if np.allclose(le.rows_of_twice(x), expected) and np.allclose(le.rows_of_twice(x[:2]), expected[:2]) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_registered_chains_after_a_fork(new_process):
    new_process(FORKED)


CLOSED_DEFAULT = FORKED.split("pid = ")[0] + """
function, project = le.rows_of_twice, le.project
function(x)
flat = project(x, axis=0, scale="linear", colormap="none")
for _ in range(3):
    le.default_engine().close()
    assert np.array_equal(twice(x), 2 * x) and np.allclose(rows(x), expected)
    le.default_engine().close()
    assert np.allclose(function(x[:2]), expected[:2]) and np.allclose(le.rows_of_twice(x), expected)
    le.default_engine().close()
    assert np.allclose(project(x, axis=0, scale="linear", colormap="none"), flat, atol=1e-5)
le.default_engine().close()
"""


def test_a_closed_default_engine_is_replaced(new_process):
    new_process(CLOSED_DEFAULT)


BY_HAND = FORKED.split("pid = ")[0].replace("    return 2 * x", "    hold()\n    return 2 * x") \
    .replace("@le.operation", "import threading\nhold = lambda: None\n@le.operation", 1) + """
c = le.Chain("by hand")
given = c.input("x", x.shape)
c.output("row", le.rows_of_twice(given))
default, own = le.default_engine(), le.Engine(mode="estimate")
of_own = le.Chain("of own", engine=own)
of_own.output("row", le.roberts_cross(of_own.input("x", x.shape)).gradient_row)
c.run(x=x)
entered, go = threading.Event(), threading.Event()
def hold():
    entered.set()
    go.wait(60)
thread = threading.Thread(target=c.run, kwargs=dict(x=x))
thread.start()
assert entered.wait(60)
pid = os.fork()
if not pid:
    go.set()
    assert le.default_engine() is not default and np.allclose(c.run(x=x)["row"], expected)
    c.output("of one", le.roberts_cross(given[1]).gradient_row)
    assert np.allclose(c.run(x=x)["of one"], le.roberts_cross(x[1]).gradient_row)
    try:
        of_own.run(x=x)
    except le.Unsupported:
        os._exit(0)
    os._exit(1)
go.set()
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
for use in (lambda: c.run(x=x), lambda: c.plan(), lambda: c.register("again"), lambda: c.output("also", twice(given)), lambda: c.input("y", (3,))):
    le.default_engine().close()
    use()
assert np.allclose(le.again(x), expected)
own.close()
try:
    of_own.run(x=x)
except ValueError as error:
    assert "has been closed" in str(error)
else:
    sys.exit(1)
"""


def test_chains_by_hand_follow_the_default_engine(new_process):
    new_process(BY_HAND)


def test_what_a_chain_refuses_is_said(stack):
    @le.chain
    def inner(s):
        return le.roberts_cross(s).gradient_row

    @le.chain
    def columns(s):
        return le.roberts_cross(s).gradient_row[:, 2:5]

    @le.chain
    def outer(s):
        return inner(s)

    @le.chain
    def wrapped(s):
        return inner.__wrapped__(s)

    @le.chain
    def blocks(s):
        with le.options(implementation="c"):
            return le.roberts_cross(s).gradient_row

    for function, reason in ((columns, "along the first axis"), (outer, "inner.__wrapped__"), (blocks, "around the call")):
        with pytest.raises(TypeError, match=reason):
            function(stack)
    with pytest.raises(TypeError, match="numpy.asarray"):
        inner(stack.tolist())
    assert np.array_equal(wrapped(stack), inner(stack))
    with le.options(implementation="c"):
        inner(stack)
    with pytest.raises(ValueError, match="cannot be called 'a b'"):
        inner.register("a b")


def test_type_errors_name_the_argument(stack):
    @le.chain
    def edges(s):
        return le.roberts_cross(s).gradient_row

    for use, reason in ((edges, "edges: missing a required argument: 's'"), (edges.plan, "edges: missing a required argument: 's'"),
                        (lambda: edges(stack, 3), "edges: too many positional"), (lambda: edges(stack, t=1), "edges: .*'t'")):
        with pytest.raises(TypeError, match=f"^{reason}"):
            use()
    edges(stack)
    by_hand = le.Chain()
    for use, reason in ((lambda: edges.register(5), "register: name: expected a text, not 5"),
                        (lambda: by_hand.register("c", 5), "register: summary: expected a text, not 5"),
                        (lambda: by_hand.input(5, (3,)), "input: name: expected a text, not 5"),
                        (lambda: by_hand.input("x", 5), "input 'x': shape: expected whole numbers, not 5"),
                        (lambda: by_hand.input("x", "q"), "input 'x': shape: expected whole numbers, not 'q'"),
                        (lambda: by_hand.output(5, None), "output: name: expected a text, not 5")):
        with pytest.raises(TypeError, match=f"^{reason}"):
            use()
    by_hand.output("row", le.roberts_cross(by_hand.input("x", stack.shape), outputs="gradient_row"))
    assert list(by_hand.run("row", x=stack)) == ["row"]
