# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Calls cut into slabs by Dask, on two worker processes, one of which is killed."""
import os
import signal
import time

import numpy as np
import pytest

import liquid_engine as le

pytest.importorskip("dask")


@pytest.fixture
def movie(rng):
    return rng.normal(10, 2, size=(12, 24, 26)).astype("f4")


CALLS = [
    ("shift_magnify", dict(magnification_row=2, magnification_col=2)),
    ("roberts_cross", {}),
    ("esrrf", dict(magnification=2, temporal="none")),
]


CONVOLUTIONS = [(mode, boundary) for mode in ("full", "same", "valid") for boundary in ("fill", "wrap", "symm")]


def same(a, b):
    a, b = (a, b) if isinstance(a, tuple) else ((a,), (b,))
    return all(x.shape == y.shape and x.dtype == y.dtype and np.allclose(x, y, rtol=1e-4, atol=1e-4)
               for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("name, words", CALLS, ids=[c[0] for c in CALLS])
@pytest.mark.parametrize("parts", [1, 5])
def test_slabs_are_the_whole(movie, name, words, parts):
    whole = getattr(le, name)(movie, **words)
    assert same(le.dask.run(name, parts=parts, image=movie, **words), whole)


@pytest.mark.parametrize("lazy", [False, True])
def test_masked_arrays(movie, lazy):
    """Refused where the mask hides something, as calls refuse them, also on workers."""
    import dask.array
    masked = np.ma.masked_array(movie)
    given = dask.array.from_array(masked, chunks=(5, -1, -1)) if lazy else masked
    assert same(le.dask.run("roberts_cross", image=given), le.roberts_cross(movie))
    masked[7, 3, 4] = np.ma.masked
    given = dask.array.from_array(masked, chunks=(5, -1, -1)) if lazy else masked
    with pytest.raises(ValueError, match="'image' has masked elements"):
        le.dask.run("roberts_cross", image=given)


def test_memory_that_is_not_aligned(movie):
    """Arrays that come over the network lie anywhere."""
    askew = np.frombuffer(b"x" + movie.tobytes(), "u1")[1:].view("f4").reshape(movie.shape)
    assert not askew.flags.aligned
    assert same(le.dask.run("roberts_cross", parts=3, image=askew), le.roberts_cross(movie))


@pytest.mark.parametrize("mode, boundary", CONVOLUTIONS)
@pytest.mark.parametrize("rows", [4, 21])
def test_the_bits_of_one_call(rng, tmp_path, hdf5, mode, boundary, rows):
    """Parts with more or fewer rows than the result, some of them smaller than the kernel; rows of the other end."""
    image, kernel = rng.normal(size=(41, 19)).astype("f4"), rng.normal(size=(rows, 3))
    words = dict(kernel=kernel, mode=mode, boundary=boundary, fillvalue=2.5, reproducible=True)
    whole = le.convolve2d(image, **words)
    place = f"{tmp_path}/image.h5:/pixels"
    le.write(place, image)
    for parts, source in [(1, image), (2, image), (7, image), (7, place)]:
        assert np.array_equal(le.dask.run("convolve2d", parts=parts, image=source, **words), whole)


def test_stored_frames(rng):
    """Chunks of two frames; a part has the places of its own chunks among all bytes."""
    frames = rng.integers(0, 500, size=(22, 9, 7)).astype("u2")
    words = dict(offsets=np.arange(12) * 2 * 9 * 7 * 2, skipped=np.ones(11, "u4"), chunk=[2, 9, 7], type="u16", npt=1,
                 unit="r_mm", splitting="no", solid_angle=0, distance=0.1, poni1=0, poni2=0, pixel1=1e-4, pixel2=1e-4,
                 outputs=["sum_signal", "radial"], reproducible=True)
    stored = np.frombuffer(frames.tobytes(), "u1")
    made, whole = le.dask.run("integrate_stored", parts=4, frames=stored, **words), le.integrate_stored(stored, **words)
    assert np.array_equal(made.sum_signal, whole.sum_signal) and np.array_equal(made.radial, whole.radial)
    assert np.allclose(made.sum_signal[:, 0], frames.sum(axis=(1, 2)), rtol=1e-5)


def compressed(frame):
    """As the bitshuffle filter has it: bits of u16 by their weight, in one block of LZ4 that is all literals."""
    bits = np.unpackbits(frame.reshape(-1, 1).view("u1"), axis=1, bitorder="little")
    raw = np.packbits(bits.T, axis=1, bitorder="little").tobytes()
    more, rest = divmod(len(raw) - 15, 255)
    block = b"\xf0" + b"\xff" * more + bytes([rest]) + raw
    return len(raw).to_bytes(8, "big") + len(raw).to_bytes(4, "big") + len(block).to_bytes(4, "big") + block


def test_a_scan_has_the_bits_of_one_call(rng):
    """200 compressed frames, and the same frames as they are, in three parts."""
    frames = rng.poisson(40, size=(200, 12, 16)).astype("u2")
    chunks = [np.frombuffer(compressed(f), "u1") for f in frames]
    geometry = dict(npt=7, distance=0.1, poni1=5e-4, poni2=7e-4, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10,
                    error_model="poisson", reproducible=True)
    stored = dict(frames=np.concatenate(chunks), offsets=np.cumsum([0] + [c.size for c in chunks]),
                  skipped=np.zeros(200, "u4"), chunk=[1, 12, 16], type="u16", **geometry)
    for name, words in [("integrate_stored", stored), ("azimuthal_integrate", dict(frames=frames, **geometry))]:
        made, whole = le.dask.run(name, parts=3, **words), getattr(le, name)(**words)
        assert whole.intensity.shape == (200, 7) and np.isfinite(whole.intensity).all()
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(made, whole, strict=True)), name
    assert np.allclose(le.integrate_stored(**stored).intensity, whole.intensity, rtol=1e-5)


def test_a_movie_has_the_bits_of_one_call(movie):
    for words in (dict(temporal="none"), dict(temporal="avg", frames_per_timepoint=4)):
        words.update(image=movie, magnification=2, reproducible=True)
        assert np.array_equal(le.dask.run("esrrf", parts=3, **words), le.esrrf(**words))


def test_lists_are_cut(rng):
    """Each part renders its own views."""
    volume = rng.random(size=(12, 12, 12)).astype("f4")
    words = dict(angles=[0.0, 20.0, 40.0, 60.0, 80.0], size=6, reproducible=True)
    assert np.array_equal(le.dask.run("volume_render", parts=3, volume=volume, **words),
                          le.volume_render(volume, **words))


def test_merged_outputs(movie):
    words = dict(axis=0, scale="linear", colormap="none")
    for reduce in ("mean", "sum", "max", "min"):
        whole = le.project(movie, reduce=reduce, **words)
        assert same(le.dask.run("project", parts=5, volume=movie, reduce=reduce, **words), whole), reduce


def test_places_and_dask_arrays(movie, tmp_path, hdf5):
    place = f"{tmp_path}/movie.h5:/frames"
    le.write(place, movie)
    whole = le.roberts_cross(movie)
    assert same(le.dask.run("roberts_cross", parts=3, image=place), whole)
    import dask.array
    assert same(le.dask.run("roberts_cross", parts=3, image=dask.array.from_array(movie, chunks=(5, 24, 26))), whole)


def test_what_cannot_be_cut():
    with pytest.raises(NotImplementedError, match="cannot be cut into slabs: the operation needs its inputs whole"):
        le.dask.run("convolve", signal=np.ones(9, "f4"), kernel=[1.0, 2.0])
    with pytest.raises(NotImplementedError, match="it is a single image"):
        le.dask.run("shift_magnify", image=np.ones((9, 9), "f4"))

    @le.operation
    def halved(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
        return x / 2

    for own in (halved, "halved"):
        with pytest.raises(NotImplementedError, match="halved: this call cannot be cut into slabs"):
            le.dask.run(own, x=np.ones(9, "f4"))
    with pytest.raises(LookupError, match="did you mean"):
        le.dask.run("roberts_crss", image=np.ones((3, 3), "f4"))


def test_outputs_by_name(rng):
    frames = rng.poisson(40, size=(6, 12, 16)).astype("u2")
    words = dict(frames=frames, npt=7, distance=0.1, poni1=5e-4, poni2=7e-4, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10,
                 error_model="poisson", reproducible=True)
    whole = le.azimuthal_integrate(outputs="all", **words)
    made = le.dask.run("azimuthal_integrate", parts=3, outputs="all", **words)
    assert made._fields == whole._fields and len(made) > 2
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(made, whole, strict=True))
    assert np.array_equal(le.dask.run("azimuthal_integrate", parts=3, outputs="intensity", **words), whole.intensity,
                          equal_nan=True)


def test_results_are_arrays_of_their_own(movie):
    whole = le.roberts_cross(movie)
    with le.options(keep=True):
        assert same(le.dask.run("roberts_cross", parts=3, image=movie), whole)
    for words, text in [(dict(keep=True), "option 'keep': .* numpy arrays"), (dict(out=movie), "option 'out': .* makes its results")]:
        with pytest.raises(TypeError, match=text):
            le.dask.run("roberts_cross", image=movie, **words)


@pytest.mark.parametrize("scheduler", ["threads", "client"])
def test_options_of_blocks(movie, scheduler):
    """Workers are other threads or processes, which see no block of this one."""
    import dask
    words = dict(image=movie, magnification=2, temporal="none")
    whole = le.esrrf(**words, reproducible=True, implementation="reference")
    chosen = le.esrrf(**words, reproducible=True)
    assert not np.array_equal(whole, chosen)

    def check():
        with le.options(reproducible=True, keep=True, progress=lambda done: None):
            assert np.array_equal(le.dask.run("esrrf", parts=3, **words), chosen)
            with le.options(implementation="reference"):
                assert np.array_equal(le.dask.run("esrrf", parts=3, **words), whole)
                assert np.array_equal(le.dask.run("esrrf", parts=3, implementation=None, **words), chosen)
        with le.options(implementation="nosuch"), pytest.raises(le.NoCandidate, match="no implementation 'nosuch'"):
            le.dask.run("roberts_cross", image=movie)

    if scheduler == "threads":
        with dask.config.set(scheduler="threads", num_workers=2):
            check()
        return
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None,
                                  silence_logs=50) as cluster, distributed.Client(cluster):
        check()


def test_the_option_of_a_block_beside_an_argument_of_its_name(rng):
    """convolve2d's mode is another one."""
    image, kernel = rng.normal(size=(41, 19)).astype("f4"), rng.normal(size=(3, 3))
    with le.options(mode="estimate"):
        made = le.dask.run("convolve2d", parts=2, image=image, kernel=kernel, mode="same")
        with pytest.raises(ValueError, match="there is no mode 'guess'"), le.options(mode="guess"):
            le.dask.run("convolve2d", parts=2, image=image, kernel=kernel, mode="same")
    assert np.allclose(made, le.convolve2d(image, kernel, mode="same"), atol=1e-4)


def test_mistakes_say_what_is_expected(movie):
    import dask.array
    lazy = dask.array.from_array(movie, chunks=(5, -1, -1))
    cases = [(ValueError, dict(image=lazy[lazy[:, 0, 0] > 10]), r"'image': .* unknown shape \(nan, 24, 26\).*compute_chunk_sizes"),
             (TypeError, dict(image=dask.delayed(movie)), "'image': expected an array, not Delayed.*from_delayed"),
             (TypeError, dict(image=movie.astype("i8")), r"has dtype i64, .*: give x.astype\(numpy.float32\)"),
             (TypeError, dict(image=lazy.astype("i8")), r"has dtype i64, .*: give x.astype\(numpy.float32\)"),
             (TypeError, dict(image=movie, parts="two"), "parts: expected a whole number from 1, not 'two'"),
             (ValueError, dict(image=movie, parts=0), "parts: expected a whole number from 1, not 0"),
             (TypeError, dict(image=movie, outputs=5), "outputs: expected a name, a sequence of names, or 'all', not int")]
    for kind, words, text in cases:
        with pytest.raises(kind, match=text):
            le.dask.run("roberts_cross", **words)
    with pytest.raises(TypeError, match="an operation or its name, not int"):
        le.dask.run(5, image=movie)


def test_transforms_of_tiles_are_not_cut(rng):
    """Their bits depend on where an image begins."""
    image, kernel = rng.random(size=(300, 300)).astype("f4"), rng.random(size=(33, 33))
    with pytest.raises(NotImplementedError, match="other bits"):
        le.dask.run("convolve2d", image=image, kernel=kernel, reproducible=True)
    assert np.allclose(le.dask.run("convolve2d", parts=3, image=image, kernel=kernel),
                       le.convolve2d(image, kernel), atol=1e-3)


def test_a_worker_is_killed(movie):
    distributed = pytest.importorskip("distributed")
    whole = le.esrrf(movie, magnification=2, temporal="none", reproducible=True)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        import threading
        pids = list(client.run(os.getpid).values())
        assert len(set(pids) | {os.getpid()}) == 3
        threading.Thread(target=lambda: (time.sleep(0.3), os.kill(pids[0], signal.SIGKILL))).start()
        for _ in range(3):
            made = le.dask.run("esrrf", parts=12, image=movie, magnification=2, temporal="none", reproducible=True)
            assert np.array_equal(made, whole)
            time.sleep(0.2)
        assert pids[0] not in client.run(os.getpid).values()
