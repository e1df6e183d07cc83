# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Other packages in the same process, imported and used before the library is loaded and after."""
import importlib.util

import pytest

# Each uses its package; `cube`, `le` and `np` are there.
USES = {
    "h5py": """
with h5py.File("theirs.h5", "w") as f:
    f.create_dataset("cube", data=cube, chunks=(4, 6, 6), compression="gzip", shuffle=True)
with h5py.File("theirs.h5") as f:
    assert np.array_equal(f["cube"][::2], cube[::2])
""",
    "netCDF4": """
with netCDF4.Dataset("theirs.nc", "w") as d:
    for name, n in zip("xyz", cube.shape):
        d.createDimension(name, n)
    d.createVariable("cube", "f4", ("x", "y", "z"), zlib=True)[:] = cube
with netCDF4.Dataset("theirs.nc") as d:
    assert np.array_equal(d["cube"][:].data, cube)
""",
    "tifffile": """
tifffile.imwrite("theirs.tif", cube)
assert np.array_equal(tifffile.imread("theirs.tif"), cube)
""",
    "numba": """
@numba.njit(parallel=True)
def total(a):
    s = 0.0
    for i in numba.prange(a.shape[0]):
        s += a[i].sum()
    return s
assert abs(total(cube) - cube.sum(dtype="f8")) < 1e-2
""",
    "torch": """
t = torch.from_numpy(cube)
assert torch.allclose(torch.from_dlpack(le.project(t, **words) if le else np.asarray(t).mean(axis=0)),
                      t.mean(dim=0), atol=1e-5)
assert torch.randn(300, 300).matmul(torch.randn(300, 300)).shape == (300, 300)
""",
}
# What either has written, the other one reads.
PLACES = {
    "h5py": ("theirs.h5:/cube", "h5py.File('ours.h5')['cube'][...]", "ours.h5:/cube"),
    "netCDF4": ("theirs.nc:/cube", "netCDF4.Dataset('ours.h5')['cube'][:].data", "ours.h5:/cube"),
    "tifffile": ("theirs.tif", "tifffile.imread('ours.tif')", "ours.tif"),
}
PROGRAM = """
import sys, numpy as np
le, words = None, dict(axis=0, scale="linear", colormap="none")
cube = np.exp(np.random.default_rng(3).normal(size=(12, 14, 16))).astype("f4")
def library():
    global le
    import liquid_engine as le
    assert np.allclose(le.project(cube, mode="measure", **words), cube.astype("f8").mean(axis=0), atol=1e-5)
def other():
    import {package}
    globals()["{package}"] = {package}
    exec({use!r}, globals())
steps = [library, other] if sys.argv[1] == "after" else [other, library]
for step in [*steps, *steps]:
    step()
theirs, read, ours = {places!r}
if theirs:
    try:
        le.peek(theirs)
    except le.Unsupported:
        sys.exit(0)
    assert np.array_equal(le.read(theirs), cube)
    le.write(ours, cube)
    assert np.array_equal(eval(read), cube)
    other()
    assert np.array_equal(le.read(theirs), cube)
"""


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("package", USES)
def test_beside(package, order, new_process, tmp_path, monkeypatch):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    places = PLACES.get(package, (None, None, None))
    new_process(PROGRAM.format(package=package, use=USES[package], places=places), order, LE_DB=":memory:")


OPENMP = """
import numba, numpy as np, liquid_engine as le
@numba.njit(parallel=True)
def plus(x, out, begin, end):
    for i in numba.prange(begin, end):
        out[i] = x[i] + 1
x = np.zeros(1000, "f4")
plus(x, np.zeros_like(x), 0, 1000)                  # its threads are there before the first trial
@le.operation(atol=1e-6)
def more(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return x + 1
@more.numpy
def threaded(x, out):
    plus(x, out, 0, len(x))
assert np.all(more(x, mode="measure") == 1)
print(numba.threading_layer(), [c.verdict for c in more.explain(x).candidates if c.implementation == "threaded"][0])
"""


@pytest.mark.parametrize("layer", ["workqueue", "omp", "tbb"])
def test_threads_of_numba(layer, new_process):
    """A body with threads of numba's is proven: it is tried in this process."""
    pytest.importorskip("numba")
    if layer != "workqueue":
        try:
            importlib.import_module(f"numba.np.ufunc.{layer}pool")
        except ImportError:
            pytest.skip(f"numba has no {layer} here")
    assert new_process(OPENMP, LE_DB=":memory:", NUMBA_THREADING_LAYER=layer).split() == [layer, "proven"]
