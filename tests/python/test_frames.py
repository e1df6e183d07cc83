# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Frames of own functions that failed may be looked at for as long as their exception is kept."""
import gc
import traceback

import numpy as np
import pytest

import liquid_engine as le

KINDS = ["itself", "below", "behind", "holds it"]


def holds_memory(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.flags.owndata or array.base is not None


def arrays_of(error):
    """Arrays of the functions here in the frames of an exception and of those behind it, by name."""
    found, behind = [], [error]
    while behind:
        error = behind.pop()
        found += [(name, value) for frame, _ in traceback.walk_tb(error.__traceback__)
                  for name, value in frame.f_locals.items()
                  if "made_here" in frame.f_locals and isinstance(value, np.ndarray)]
        behind += [e for e in (error.__cause__, error.__context__) if e is not None]
    return found


def below(x):
    made_here, rest = True, x[1:]
    return rest / made_here + [1, 2]  # of other shapes


def fail(kind, x, out=None):
    made_here, part = True, x[::-2]
    if kind == "holds it":
        raise ValueError("with", x)
    if kind == "below":
        below(x)
    try:
        below(x if kind == "behind" else np.ones(5))
    except ValueError as error:
        raise ValueError("boom") from (error if made_here else None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [np.array, lambda x: le.asarray(x.copy()), list], ids=["array", "tensor", "list"])
def test_those_of_a_reference_hold_their_arrays(kind, given):
    """Which lie over the caller's."""
    @le.operation(name=f"fails_{kind.replace(' ', '_')}")
    def own(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        made_here = fail(kind, x)
        return made_here

    truth = np.arange(70000, dtype="f4")
    with pytest.raises(le.DataError) as caught:
        own(given(truth))
    gc.collect()
    other = [np.full(70000, 5, "f4") for _ in range(9)]
    found = arrays_of(caught.value.__cause__)
    assert {"x", "part"} <= {name for name, _ in found} and ("rest" in dict(found)) == (kind != "holds it")
    for name, array in found:
        assert holds_memory(array), name
        if array.size > 5:
            assert np.array_equal(array, {"part": truth[::-2], "rest": truth[1:]}.get(name, truth)), name
    if kind == "holds it":
        assert np.array_equal(caught.value.__cause__.args[1], truth)
    assert len(other) == 9


@pytest.mark.parametrize("kind", KINDS)
def test_those_of_a_trial_hold_no_memory_of_the_engine(kind):
    """Its sample goes with the trial, and so does what a call makes for outputs."""
    @le.operation(name=f"tried_{kind.replace(' ', '_')}")
    def own(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return 2 * x

    @own.numpy
    def version(x, out):
        fail(kind, x, out)

    def finished():
        kept = np.ones(3)
        raise KeyError(len(kept))

    try:
        finished()
    except KeyError as before:
        with pytest.raises(le.NoCandidate, match="boom|with|shapes") as caught:
            own(np.ones(70000, dtype="f4"), implementation="version")
        frame = before.__traceback__.tb_next.tb_frame
        assert frame.f_locals["kept"].sum() == 3, "frames of what the caller handles are the caller's"
    cause = caught.value.__cause__
    assert (cause is None) == (kind == "holds it")
    assert all(holds_memory(array) for _, array in arrays_of(caught.value))


def test_those_of_an_interrupt_hold_their_arrays():
    @le.operation(name="interrupted_with_arrays")
    def own(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        made_here = x[1:]
        raise KeyboardInterrupt(len(made_here))

    with pytest.raises(KeyboardInterrupt) as caught:
        own(np.arange(70000, dtype="f4"))
    found = arrays_of(caught.value)
    assert [name for name, _ in found if name == "x"] and all(holds_memory(array) for _, array in found)
