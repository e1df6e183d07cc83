# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Arrays in and out, against numpy."""
import decimal
import fractions
import gc
import os
import pathlib
import sys

import numpy as np
import pytest

import liquid_engine as le


def roberts_by_numpy(image):
    """Differences along the diagonals, as the operation's page defines them; the edges are 0 there."""
    i = image.astype("f8")
    a, b, c, d = i[..., :-1, :-1], i[..., :-1, 1:], i[..., 1:, :-1], i[..., 1:, 1:]
    return b - c + d - a, c - b + d - a


def check_gradients(result, image):
    col, row = roberts_by_numpy(image)
    assert result._fields == ("gradient_col", "gradient_row")
    inner = (..., slice(1, None), slice(1, None))
    assert np.abs(result.gradient_col[inner] - col).max() < 1e-4
    assert np.abs(result.gradient_row[inner] - row).max() < 1e-4


LAYOUTS = {
    "plain": lambda a: a, "reversed": lambda a: a[::-1, ::-1], "every other": lambda a: a[::2, ::3],
    "Fortran": lambda a: np.asfortranarray(a), "transposed": lambda a: a.T,
    "one column everywhere": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_strides(rng, engine, layout):
    image = LAYOUTS[layout](rng.normal(size=(24, 30)).astype("f4"))
    before = image.copy()
    check_gradients(engine.roberts_cross(image), image)
    assert np.array_equal(image, before)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "u4", "f4", "f8", "?"])
def test_dtypes(rng, engine, dtype):
    image = rng.integers(0, 2 if dtype == "?" else 100, size=(16, 16)).astype(dtype)
    check_gradients(engine.roberts_cross(image), image)


def test_lists_and_scalars(engine):
    image = [[0, 1, 4], [9, 16, 25], [36, 49, 64]]
    check_gradients(engine.roberts_cross(image), np.array(image))


def test_project_against_numpy(rng, engine):
    cube = np.exp(rng.normal(size=(8, 9, 10))).astype("f4")
    mean = engine.project(cube, axis=1, scale="linear", colormap="none")
    assert mean.shape == (8, 10)
    assert np.allclose(mean, cube.astype("f8").mean(axis=1), atol=1e-4)
    for axis in (-1, -2, -3):
        assert np.array_equal(engine.project(cube, axis), engine.project(cube, axis + 3))
    with pytest.raises(ValueError, match="-4"):
        engine.project(cube, -4)
    positional = engine.project(cube, 1, "max", "linear", colormap="none")
    assert np.array_equal(positional, cube.max(axis=1))


def clipped(lines):
    """Median and number of what is left of each row, as astropy.stats.sigma_clip(cenfunc="median") of lines does it."""
    rest = []
    for line in lines:
        while True:
            kept = line[np.abs(line - np.median(line)) <= 3 * line.std()]
            if len(kept) == len(line):
                break
            line = kept
        rest.append((len(line), np.median(line)))
    return np.array(rest).T


def test_axes_from_the_last(rng, engine):
    """Where numpy's users write axis=-1."""
    cube = rng.normal(size=(6, 40, 50)).astype("f4")
    cube[2, ::7, ::9] += 100
    for axis in (-3, -2, -1):
        lines = np.moveaxis(cube, axis, -1)
        got = engine.sigma_clip(cube, bounds="closed", axis=axis)
        expected = clipped(lines.reshape(-1, lines.shape[-1]).astype("f8")).reshape(2, *lines.shape[:-1])
        assert np.array_equal(got[[0, 3]], expected)
        assert np.array_equal(got, engine.sigma_clip(cube, bounds="closed", axis=axis + 3))
    for ndim, axis, expected in ((2, -3, "-2 to 1"), (2, 2, "-2 to 1"), (1, -2, "-1 to 0"), (3, -4, "-3 to 2")):
        with pytest.raises(ValueError, match=f"{axis}, expected {expected}"):
            engine.sigma_clip(cube[(0,) * (3 - ndim)], axis=axis)


def test_no_axis_is_not_axis_0(engine):
    """Who clips lines is asked anew for a single line that is given without an axis, whichever is asked first."""
    line = np.array([1, 2], "i4")
    lines = [{c.implementation: c.left_out for c in engine.sigma_clip.explain(line, **how).candidates}["lines"]
             for how in ({}, {"axis": 0}, {}, {"axis": -1})]
    assert lines == ["no axis", "", "no axis", ""]


def test_no_copy_of_large_inputs(engine):
    """A gigabyte that is one row seen again and again."""
    row = np.arange(4096, dtype="f4")
    large = np.broadcast_to(row, (1 << 16, 4096))
    shapes = engine.roberts_cross.shapes(large)
    assert shapes["gradient_col"] == ((1 << 16, 4096), np.dtype("f4"))
    some = large[:64, ::-1]
    check_gradients(engine.roberts_cross(some), some)


LARGE = """
import resource, numpy as np, liquid_engine as le
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
row = np.arange(256, dtype="f4") + 1
real = np.ones((256, 512, 256), "f4")                          # 128 MiB
real[:] = row
read_only = np.frombuffer(memoryview(real).toreadonly(), "f4").reshape(real.shape)
column = (np.arange(1024, dtype="f4") + 1)[:, None]
views = {"row everywhere": np.broadcast_to(row, (1024, 1024, 256)),       # a gigabyte, as one reads it
         "column everywhere": np.broadcast_to(column, (1024, 1024, 256)),
         "one number": np.broadcast_to(np.float32(3), (1024, 1024, 256)),
         "backwards": real[::-1, ::-1, ::-1], "every other": real[::2, :, ::2], "transposed": real.T,
         "read-only": read_only}
lines = {"row everywhere": (2, 1, 1), "column everywhere": (1, 1, 1), "one number": (2, 0, 3), "backwards": (2, -1, 256),
         "every other": (2, 2, 1), "transposed": (0, 1, 1), "read-only": (2, 1, 1)}        # contents: axis, slope, start

def check_samples(samples, view, line):                        # a trilinear sample of a line is its value there
    axis, slope, start = line
    count, n = len(samples), view.shape[axis]
    index = (np.linspace(-count / 2, count / 2, count) + n / 2) * (n - 1) / n
    along = {0: 1, 1: 0, 2: 2}[axis]                           # samples are [y, x, z]
    want = (slope * index + start).reshape([-1 if a == along else 1 for a in range(3)])
    assert np.allclose(samples, want, rtol=1e-5), (axis, samples[0, 0], want)

@le.chain
def mean_of_samples(volume):
    return le.project(le.interpolate(volume, 50, outside=0), axis=0, scale="linear", colormap="none")

with le.Engine(db=":memory:", mode="estimate") as engine, le.options(engine=engine):
    mean_of_samples(real[:8, :8, ::2])
    for axis in (0, 1, 2):
        engine.project(real[:8, :8, ::2], axis=axis, scale="linear", colormap="none")
    engine.interpolate(real[:8, :8, ::2], 4)
    engine.volume_render(real[:8, :8, ::2], 4)
    for name, view in views.items():
        before = peak()
        made = [engine.project(view, axis=axis, scale="linear", colormap="none") for axis in (0, 1, 2)]
        samples = engine.interpolate(view, 100)
        images = engine.volume_render(view, 64, angles=[0, 30])
        chained = mean_of_samples(view)
        grown = peak() - before
        print(f"{name}: {grown:.0f} MiB")
        assert grown < 48, name
        for axis in (0, 1, 2):                                 # whole numbers: means of few of them are exact
            part = [0, 0, 0]
            part[axis] = slice(None)
            want = view[tuple(part)].astype("f8").mean()
            assert abs(made[axis][0, 0] - want) <= 1e-5 * want, (name, axis)
        check_samples(samples, view, lines[name])
        few = engine.interpolate(view, 50)
        assert np.allclose(chained, few.astype("f8").mean(axis=0), rtol=1e-4)
        assert images.shape == (2, 64, 64, 3) and np.isfinite(images).all()
"""


def test_memory_of_large_views(new_process):
    """Volumes are not copied, whatever their strides."""
    new_process(LARGE)


# --- out= ---

def askew(array):
    """The same one byte further, as arrays lie that came through a socket."""
    return np.frombuffer(b"x" + array.tobytes(), "u1")[1:].view(array.dtype).reshape(array.shape)


def test_memory_that_is_not_aligned(rng, engine, tmp_path):
    """Of inputs it is copied, whoever takes them; a result cannot be written so."""
    image = rng.normal(size=(24, 30)).astype("f4")
    other, whole = askew(image), engine.roberts_cross(image)
    assert not other.flags.aligned and not askew(np.ma.array(image)).flags.aligned
    for given in (other, other.view(np.ma.MaskedArray), memoryview(other), askew(image[::-1])[::-1]):
        made = engine.roberts_cross(given)
        assert all(np.array_equal(a, b) for a, b in zip(made, whole, strict=True))
    hidden = np.ma.array(other, mask=image > 1, copy=False)
    assert not hidden.data.flags.aligned
    with pytest.raises(ValueError, match="'image' has masked elements"):
        engine.roberts_cross(hidden)

    edges = le.chain(lambda x: (le.roberts_cross(x).gradient_row, x))
    row, back = edges(other)
    assert np.allclose(row, whole.gradient_row, atol=1e-6) and back is other
    assert np.array_equal(np.asarray(le.asarray(other)), image)
    with pytest.raises(ValueError, match="not aligned to their dtype, so that a copy is needed"):
        le.asarray(other, copy=False)
    le.write(f"{tmp_path}/image.npy", other)
    assert np.array_equal(np.load(tmp_path / "image.npy"), image)
    packed = np.zeros((9, 9), [("value", "f4"), ("flag", "i1")])["value"]
    with pytest.raises(ValueError, match=r"a field of a structured array\?\): give x.copy\(\)"):
        engine.roberts_cross(packed)


def test_out_is_written_and_returned(rng, engine):
    cube = np.exp(rng.normal(size=(8, 9, 10))).astype("f4")
    whole = np.zeros((2, 8, 10, 3), dtype="f4")
    view = whole[1]
    result = engine.project(cube, axis=1, out=view)
    assert result is view
    assert np.array_equal(whole[0], np.zeros_like(view))
    assert np.allclose(view, engine.project(cube, axis=1), atol=1e-5)


def test_out_with_strides_and_pairs(rng, engine):
    image = rng.normal(size=(24, 30)).astype("f4")
    col = np.zeros((30, 24), dtype="f4").T
    result = engine.roberts_cross(image, out=(col, None))
    assert result.gradient_col is col
    check_gradients(result, image)


def test_refused_outs(rng, engine):
    image = rng.normal(size=(24, 30)).astype("f4")
    good = np.zeros_like(image)
    fixed = good.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        engine.roberts_cross(image, out=(fixed, good))
    with pytest.raises(le.ShapeError, match="gradient_row"):
        engine.roberts_cross(image, out=(good, np.zeros((3, 4), "f4")))
    with pytest.raises(TypeError, match="tuple of 2"):
        engine.roberts_cross(image, out=good)
    with pytest.raises(TypeError, match="numpy.ndarray"):
        engine.roberts_cross(image, out=([], good))
    with pytest.raises(le.ArgumentError, match="shares memory"):
        engine.roberts_cross(image, out=(image, good))
    swapped, askew = np.zeros((24, 30), ">f4"), np.zeros(24 * 30 * 4 + 1, "u1")[1:].view("f4").reshape(24, 30)
    for other, text in ((swapped, "byte order: give an array that is, or None"), (askew, "aligned to its dtype: give an array")):
        with pytest.raises(ValueError, match=f"out 'gradient_col' is not .*{text}"):
            engine.roberts_cross(image, out=(other, good))
        assert not other.any()
    masked = np.ma.array(np.zeros_like(image), mask=image > 0)
    half, packed = np.zeros((24, 30), "f2"), np.zeros((24, 30), [("value", "f4"), ("flag", "i1")])["value"]
    for kind, other, text in ((ValueError, masked, "has masked elements.*: give x.data, or None"),
                              (TypeError, half, "float16.*: give an array of float32, or None"),
                              (ValueError, packed, "not aligned to its dtype: give an array that is, or None")):
        with pytest.raises(kind, match=f"out 'gradient_col' .*{text}"):
            engine.roberts_cross(image, out=(other, good))
    assert not good.any() and not masked.data.any()
    engine.roberts_cross(image, out=(masked.data, good))
    assert masked.data.any() and np.array_equal(masked.mask, image > 0)


def test_wrong_progress_leaves_out_alone(engine):
    """Found before the call begins: in the midst of a long one its output would be half written."""
    cube, out = np.ones((128, 128, 128), "f4"), np.full((4, 128, 128, 3), 7, "f4")
    with pytest.raises(TypeError, match="'progress'"):
        engine.volume_render(cube, 128, angles=np.arange(4.0), outside=0, implementation="reference", progress="yes", out=out)
    assert (out == 7).all()
    with le.options(progress="yes"), pytest.raises(TypeError, match="'progress'"):
        engine.project(cube)


@pytest.mark.parametrize("truth", [True, np.True_, 1])
def test_truths(engine, truth):
    cube = np.ones((4, 4, 4), "f4")
    assert isinstance(engine.project(cube, keep=truth), le.Tensor)
    assert isinstance(engine.project(cube, keep=type(truth)(0), memory_limit="2GiB"), np.ndarray)


def test_chosen_outputs(rng, engine):
    image = rng.normal(size=(16, 16)).astype("f4")
    both = engine.roberts_cross(image)
    assert np.array_equal(engine.roberts_cross(image, outputs="gradient_row"), both.gradient_row)
    swapped = engine.roberts_cross(image, outputs=["gradient_row", "gradient_col"])
    assert swapped._fields == ("gradient_row", "gradient_col")
    assert engine.roberts_cross(image, outputs="all")._fields == both._fields
    with pytest.raises(ValueError, match="no output 'gradient'"):
        engine.roberts_cross(image, outputs="gradient")


# --- files ---

def test_places(rng, engine, tmp_path, hdf5):
    cube = np.exp(rng.normal(size=(8, 10, 12))).astype("f4")
    place = f"{tmp_path}/cube.h5:/density"
    le.write(place, cube)
    assert le.peek(place) == ((8, 10, 12), np.dtype("f4"))
    assert np.array_equal(le.read(place), cube)
    assert np.array_equal(engine.project(place, axis=0), engine.project(cube, axis=0))
    part = engine.project(place + "[::2]", axis=0)
    assert np.array_equal(part, engine.project(cube[::2], axis=0))
    plain = tmp_path / "cube.nrrd"
    le.write(plain, cube[:, ::-1])
    assert np.array_equal(engine.project(plain, axis=0), engine.project(cube[:, ::-1], axis=0))
    with pytest.raises(OSError, match="nothing.h5"):
        engine.project(pathlib.Path(tmp_path) / "nothing.h5")


def test_streams(rng, engine, tmp_path, hdf5):
    movie = np.exp(rng.normal(size=(20, 12, 14))).astype("f4")
    place = f"{tmp_path}/movie.h5:/frames"
    le.write(place, movie)
    by_frames = engine.project(le.stream(place), axis=0, scale="linear", colormap="none")
    assert np.allclose(by_frames, movie.astype("f8").mean(axis=0), atol=1e-5)


# --- memory of others ---

def test_negated_views_are_refused(rng):
    """Torch's tensors of which DLPack tells the memory alone."""
    class Negated:
        def __init__(self, array, negated=True):
            self.array, self.negated = array, negated

        def is_neg(self):
            return self.negated

        def __dlpack__(self, **words):
            return self.array.__dlpack__(**words)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    cube = rng.normal(size=(3, 4, 5))
    for use in (le.project, le.asarray, le.from_dlpack):
        with pytest.raises(TypeError, match="sign of its elements changed: give x.resolve_neg"):
            use(Negated(cube))
    assert np.allclose(le.project(Negated(cube, negated=False)), le.project(cube), atol=1e-4)
    with pytest.raises(TypeError, match="expected what has __dlpack__"):
        le.from_dlpack([1.0])
    torch = pytest.importorskip("torch")
    view = torch.complex(torch.from_numpy(cube), torch.from_numpy(cube)).conj().imag
    with pytest.raises(TypeError, match="resolve_neg"):
        le.project(view)
    assert np.allclose(le.project(view.resolve_neg()), le.project(-cube), atol=1e-4)


def test_dlpack_and_tensors(rng, engine):
    cube = np.exp(rng.normal(size=(8, 9, 10))).astype("f4")
    kept = engine.project(cube, axis=0, keep=True)
    assert isinstance(kept, le.Tensor) and kept.shape == (9, 10, 3) and kept.dtype == np.float32
    array = np.from_dlpack(kept)
    assert np.shares_memory(array, np.asarray(kept))
    assert np.array_equal(array, engine.project(cube, axis=0))
    assert kept.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        kept.__dlpack__(dl_device=(2, 0))
    for words in (dict(dl_device=(1, 0)), dict(copy=True), dict(stream=None, max_version=None, dl_device=None, copy=None)):
        assert "dltensor" in repr(kept.__dlpack__(**words))
    held = le.asarray(cube)
    assert np.shares_memory(np.asarray(held), cube)
    assert np.array_equal(engine.project(held, axis=0), array)
    cube *= 2
    held.touch()
    assert np.array_equal(engine.project(held, axis=0), engine.project(cube.copy(), axis=0))
    cube /= 2

    class Foreign:  # as torch's tensors: DLPack and nothing else
        def __dlpack__(self, **words):
            return cube.__dlpack__(**words)

        def __dlpack_device__(self):
            return cube.__dlpack_device__()

    assert np.array_equal(engine.project(Foreign(), axis=0), array)
    assert np.shares_memory(le.from_dlpack(Foreign()), cube)
    assert np.shares_memory(np.asarray(le.asarray(Foreign())), cube)


def test_tensors_over_arrays(rng, engine):
    image = rng.normal(size=(40, 50)).astype("f4")
    references = sys.getrefcount(image)
    held = le.asarray(image)
    assert sys.getrefcount(image) == references + 1
    expected = engine.roberts_cross(image)
    del image
    gc.collect()
    assert all(np.array_equal(a, b) for a, b in zip(engine.roberts_cross(held), expected))
    view = np.asarray(held)
    del held
    assert view.shape == (40, 50) and np.isfinite(view).all()

    reversed_rows = view[:, ::-1]
    assert not np.shares_memory(np.asarray(le.asarray(reversed_rows)), view)
    assert np.array_equal(np.asarray(le.asarray(reversed_rows)), reversed_rows)
    with pytest.raises(ValueError, match="row-major"):
        le.asarray(reversed_rows, copy=False)
    assert not np.shares_memory(np.asarray(le.asarray(view, copy=True)), view)
    view.flags.writeable = False
    assert not np.asarray(le.asarray(view)).flags.writeable
    with pytest.raises(TypeError, match="float16"):
        le.asarray(view.astype("f2"))


def test_copies_on_devices_stay(rng):
    image = rng.normal(size=(60, 70)).astype("f4")
    with le.Engine(db=":memory:", mode="estimate") as e:
        if not any(d.id.startswith("opencl") for d in le.devices(e)):
            pytest.skip("no OpenCL device")
        held = le.asarray(image)
        moved = []
        for _ in range(3):
            e.roberts_cross(held, device="opencl")
            moved.append(le.last_run().bytes_to_device)
        assert moved[0] >= image.nbytes and moved[1:] == [0, 0]
        image[:] = 0
        held.touch()
        assert not any(g.any() for g in e.roberts_cross(held, device="opencl"))


def test_all_errors_have_names():
    for error in le.Error.__subclasses__():
        assert getattr(le, error.__name__) is error and error.__name__ in dir(le)


def test_lists_of_complex_numbers():
    """Refused where complex arrays are: nothing of them is dropped."""
    for given in ([[1j, 2], [3, 4 + 5j]], np.array([[1j, 2], [3, 4 + 5j]])):
        with pytest.raises(le.DTypeError, match="c128"):
            le.roberts_cross(given)


def test_a_bar_that_cannot_be_shown(new_process):
    """What tqdm raises is raised, by calls and by chains."""
    assert new_process("""
import sys, types
import numpy as np
import liquid_engine as le
def tqdm(*_, **__):
    raise RuntimeError("no display")
sys.modules["tqdm"] = types.ModuleType("tqdm")
sys.modules["tqdm.auto"] = types.SimpleNamespace(tqdm=tqdm)
x = np.ones((8, 8), "f4")
for use in (le.roberts_cross, le.chain(lambda x: le.roberts_cross(x).gradient_row)):
    try:
        use(x, progress=True)
    except RuntimeError as error:
        print(error)
    use(x)
""") == "no display\nno display\n"


@pytest.mark.parametrize("hidden", [False, True])
def test_masked_arguments(rng, hidden):
    """Numbers in lists, inputs and constants of chains: what hides nothing is taken, what hides something is not."""
    cube, kernel = np.exp(rng.normal(size=(6, 6, 6))), np.ma.masked_array([[0.0, 1.0], [2.0, 3.0]], mask=[[0, hidden], [0, 0]])
    image, numbers = np.ma.masked_array(cube[0], mask=hidden), np.ma.masked_array([0.0, 9.0], mask=[0, hidden])
    c = le.Chain("blurred")
    uses = {"angles": (lambda n: le.volume_render(cube, 6, angles=n, outside=0), numbers),
            "limits": (lambda n: le.project(cube, limits=n), numbers),
            "'x'": (le.chain(lambda x: le.roberts_cross(x).gradient_row), image),
            "'constant'": (lambda k: c.constant(k).shape, kernel),
            "'image'": (lambda i: c.run(image=i)["row"], image)}
    c.output("row", le.roberts_cross(c.input("image", image.shape, "f8")).gradient_row)
    for name, (use, array) in uses.items():
        if hidden:
            with pytest.raises(ValueError, match=f"{name}.* masked elements.*filled"):
                use(array)
        else:
            assert np.array_equal(use(array), use(array.data))


def test_masked_arrays(rng, engine):
    image = np.ma.masked_array(rng.normal(size=(20, 30)).astype("f4"))
    assert np.array_equal(engine.roberts_cross(image).gradient_row, engine.roberts_cross(image.data).gradient_row)
    image[3, 4] = np.ma.masked
    with pytest.raises(ValueError, match="masked.*filled"):
        engine.roberts_cross(image)


def test_results_outlive_everything(rng):
    with le.Engine(db=":memory:") as e:
        result = e.project(np.exp(rng.normal(size=(8, 9, 10))).astype("f4"), axis=0)
    copy = result.copy()
    np.zeros(1 << 20)
    assert np.array_equal(result, copy) and result.flags.writeable


# --- mistakes ---

MISTAKES = [
    (dict(), TypeError, "missing"),
    (dict(volume=np.zeros((3, 3), "f4")), le.ShapeError, "2 dimensions"),
    (dict(volume=np.zeros((3, 3, 3), "c8")), le.DTypeError, "c64"),
    (dict(volume=np.zeros((3, 3, 3), "f2")), TypeError, "float32"),
    (dict(volume=np.zeros((3, 3, 3), ">f4")), ValueError, "newbyteorder"),
    (dict(volume=np.zeros((3, 3, 3), "i8")), le.DTypeError, "f32, f64: give x.astype(numpy.float32)"),
    (dict(volume=np.zeros((3, 3, 3), "U3")), TypeError, "no operation takes"),
    (dict(volume=np.zeros(27, [("a", "f4"), ("b", "u1")])["a"].reshape(3, 3, 3)), ValueError, "structured array?): give x.copy"),
    (dict(volume=np.zeros(27, [("a", "c16"), ("b", "f8")])["a"].reshape(3, 3, 3)), ValueError, "x.copy"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), axis=5), le.ArgumentError, "expected -3 to 2"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), axis=1.5), TypeError, "axis"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), reduce="median"), le.ArgumentError, "'mean', 'max'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), axs=1), TypeError, "did you mean 'axis'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), mode="fast"), ValueError, "estimate, learn, measure and frozen"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), objective="speed"), ValueError, "time, p99"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), memory_limit="many"), ValueError, "2G"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), implementation="nobody"), le.NoCandidate, "nobody"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), atol=-1), le.ArgumentError, "tolerance"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), limits=[1, 2, 3]), le.ArgumentError, "3 numbers"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), engine="none"), TypeError, "Engine"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), device=5), TypeError, "project: option 'device': expected a text"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), rtol="x"), TypeError, "project: option 'rtol'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), memory_limit=1.5), TypeError, "project: option 'memory_limit'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), limits=[None, 1]), TypeError, "project: argument 'limits': expected numbers"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), limits=[1j, 1]), TypeError, "complex128"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), reduce="max\0x"), ValueError, "without NUL"),
    (dict(volume="cube.npy\0x"), ValueError, "project: argument 'volume': expected a text without NUL"),
    (dict(volume=[[1], [2, 3]]), ValueError, "project: argument 'volume'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), reduce="x" + "\u00e9" * 4000), le.ArgumentError, "'mean', 'max'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), outputs=5), TypeError, "sequence of names"),
    (dict(volume=None), TypeError, "argument 'volume': expected an array or a list of numbers, not <class 'NoneType'>"),
    (dict(volume=b"cube.h5:/x"), TypeError, "expected an array or a list of numbers, not <class 'bytes'>"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), axis=2**70), OverflowError, "argument 'axis': expected a whole number of 64 bits"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), memory_limit=-1), ValueError, "a number from 0 or as '2G', not -1"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), memory_limit=2**70), ValueError, f"not {2**70}"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), keep="no"), TypeError, "option 'keep': expected True or False, not 'no'"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), reproducible=0.5), TypeError, "option 'reproducible': expected True or False"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), progress=3), TypeError, "option 'progress': expected True, False or a function, not 3"),
    (dict(volume=np.zeros((2, 2, 2), "f4"), outputs=["image"] * 1000), ValueError, "named twice"),
]


@pytest.mark.parametrize("words, kind, text", MISTAKES, ids=[m[2] for m in MISTAKES])
def test_mistakes(engine, words, kind, text):
    with pytest.raises(kind) as caught:
        engine.project(**words)
    assert text in str(caught.value)
    if isinstance(caught.value, le.Error):
        assert caught.value.status < 0


@pytest.mark.parametrize("limits", [1, [], [1, 2, 3]], ids=str)
def test_lists_of_so_many_numbers(engine, limits):
    with pytest.raises(le.ArgumentError, match="'limits' has [013] numbers, expected 2$"):
        engine.project(np.zeros((2, 2, 2), "f4"), limits=limits)


def test_lists_without_numbers(engine):
    with pytest.raises(le.ArgumentError, match="has 0 numbers, expected 1 or more"):
        engine.volume_render(np.ones((4, 4, 4), "f4"), 4, angles=[])


def test_too_many_arguments(engine):
    with pytest.raises(TypeError, match="positional"):
        engine.roberts_cross(np.zeros((3, 3), "f4"), 1)
    with pytest.raises(TypeError, match="multiple values"):
        engine.project(np.zeros((2, 2, 2), "f4"), 1, axis=1)


def test_lists_of_other_numbers(rng, engine):
    cube = rng.random((4, 4, 4), dtype="f4")
    expected = engine.project(cube, limits=[0.5, 2])
    for limits in ((fractions.Fraction(1, 2), decimal.Decimal(2)), np.array([0.5, 2], "f2"), np.array([[0.5, 0, 2]])[0, ::2]):
        assert np.array_equal(engine.project(cube, limits=limits), expected)


def test_outputs_named_twice(engine):
    image = np.ones((4, 4), "f4")
    for names in (["gradient_row"] * 2, ["gradient_row", "gradient_col"] * 40):
        with pytest.raises(ValueError, match="'gradient_(row|col)' is named twice"):
            engine.roberts_cross(image, outputs=names)


def test_read_only_stays_so(tmp_path):
    """Nothing that is made of a read-only array gives write access to it, and what it holds is what was there."""
    np.save(tmp_path / "x.npy", np.arange(64.0).reshape(8, 8))
    for source in (np.load(tmp_path / "x.npy", mmap_mode="r"), np.frombuffer(bytes(512)).reshape(8, 8),
                   np.broadcast_to(np.arange(8.0), (8, 8))[:1]):
        expected = source.copy()
        held = le.asarray(source)
        del source
        gc.collect()
        for view in (np.asarray(held), np.asarray(le.asarray(np.asarray(held))), le.from_dlpack(held)):
            with pytest.raises(ValueError):
                view.flags.writeable = True
            with pytest.raises(ValueError, match="read-only"):
                le.shift_magnify(np.ones((8, 8), "f8"), magnification_row=1, magnification_col=1, out=view)
            assert np.array_equal(view, expected)
    numpy_1 = np.lib.NumpyVersion(np.__version__) < "2.0.0"  # it has no such word
    with pytest.raises(TypeError if numpy_1 else ValueError, match="copy" if numpy_1 else "copy=False"):
        np.asarray(held, dtype="f4", copy=False)
    assert np.shares_memory(np.asarray(held, dtype="f8"), np.asarray(held))
    assert not np.shares_memory(np.asarray(le.asarray(view, copy=1)), view)


def test_names_that_are_not():
    with pytest.raises(AttributeError, match="did you mean 'roberts_cross'"):
        le.roberts_crss
    with pytest.raises(LookupError, match="no operation"):
        le.explain("nothing", 1)
    with pytest.raises(TypeError, match="did you mean 'threads'"):
        le.Engine(thread=2)
    with pytest.raises(TypeError, match="did you mean 'mode'"):
        le.options(mod="learn")


def test_failing_calls_keep_nothing(engine, new_process):
    """A hundred thousand mistakes of several kinds: the process does not grow with them."""
    text = """
import numpy as np, liquid_engine as le, resource
e = le.Engine(db=":memory:", mode="estimate")
project, bad, good = e.project, np.zeros((3, 3), "f4"), np.zeros((2, 2, 2), "f4")
def fail(n):
    for i in range(n):
        for words in (dict(volume=bad), dict(volume=good, axis=7), dict(volume=good, axs=1) if i % 64 == 0 else {},
                      dict(volume=good, limits=[1, 2, 3]), dict(volume=[[1, 2]])):
            try:
                project(**words)
            except (TypeError, ValueError):
                pass
            else:
                raise SystemExit("no error")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fail(2000)
before = peak()
fail(20000)
print(peak() - before)
"""
    assert int(new_process(text)) < 512  # KiB; a lost reference of 64 bytes would be 6 MiB


@pytest.mark.parametrize("kind", [os.fsencode, str, pathlib.Path])
def test_names_that_are_no_text(rng, tmp_path, monkeypatch, kind):
    """Of files, as os.listdir gives them, and as bytes."""
    monkeypatch.chdir(tmp_path)
    cube = rng.random((4, 5, 6), dtype="f4")
    for name in (b"cube\xff.npy", b"\xe4\xfe.nrrd", "w\u00e4rme.npy".encode()):
        place = kind(os.fsdecode(name))
        le.write(place, cube)
        assert os.path.getsize(name) > cube.nbytes and os.fsdecode(name) in os.listdir()
        assert np.array_equal(le.read(place), cube) and le.peek(place) == ((4, 5, 6), np.dtype("f4"))
        assert np.array_equal(le.project(os.fsdecode(place)), le.project(cube))
        with pytest.raises(OSError, match="none"):
            le.read(os.fsencode(place) + b"none.npy")
        with pytest.raises(ValueError, match="null|NUL"):
            le.read(os.fsencode(place) + b"\0.npy")


def test_streams_of_names_that_are_no_text(rng, tmp_path, tiff):
    stack = rng.random((4, 16, 16), dtype="f4")
    for name in (b"stack\xff.tif", "stack.tif"):
        place = os.path.join(os.fsencode(tmp_path), os.fsencode(name))
        le.write(place, stack)
        for given in (place, os.fsdecode(place)):
            assert np.array_equal(le.roberts_cross(le.stream(given)).gradient_row, le.roberts_cross(stack).gradient_row)
