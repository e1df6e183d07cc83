# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Chains and own operations that go to other processes."""
import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import liquid_engine as le

NOTEBOOK = """
import copy, functools, pickle, sys
import numpy as np
import liquid_engine as le
times = 2

@le.chain
def edges(stack, *, index=0):
    return le.roberts_cross(le.shift_magnify(stack, magnification_row=times, magnification_col=2))[index]

def plain(stack):
    return edges.__wrapped__(stack)

again = le.chain(plain)

@le.operation(atol=1e-4, cases=lambda rng, size: dict(x=rng.random(size or 100).astype("f4"), a=2.0))
def softclip(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
    return np.tanh(a * x.astype("f8"))

@softclip.numpy
def quick(x, a, out):
    np.tanh(np.float32(a) * x, out=out)

softclip.opencl("__kernel void k(__global const float *x, float a, __global float *out, uint n)"
                "{ uint i = get_global_id(0); if (i < n) out[i] = tanh(a * x[i]); }")
@le.operation(atol=1e-6)
def third(x: le.In["f4", "n"]) -> le.Out["f4", "n"]:
    return x.astype("f8") / 3

@third.numpy
def itself(x, out):
    out[:] = third.reference(x)

both = functools.partial(lambda clip, chain, x: (clip(x, 2.0), chain(x.reshape(5, 5))), softclip, edges)
"""
KEPT = """
import cloudpickle
with open(sys.argv[1], "wb") as f:
    f.write(cloudpickle.dumps((edges, again, softclip, both, third)))
"""
TAKEN = """
import pickle, sys
import numpy as np
import liquid_engine as le
def taken():
    with open(sys.argv[1], "rb") as f:
        return pickle.loads(f.read())
edges, again, softclip, both, third = taken()
definitions = le._core.definitions()
x = np.random.default_rng(3).random(25).astype("f4")
row = le.roberts_cross(le.shift_magnify(x.reshape(5, 5), magnification_row=2, magnification_col=2))
for chain in (edges, again):
    assert np.allclose(chain(x.reshape(5, 5)), row[0], atol=1e-5)
assert np.allclose(edges(stack=x.reshape(5, 5), index=1), row[1], atol=1e-5)
assert np.allclose(softclip(x, 2.0), np.tanh(2 * x), atol=1e-4)
assert repr(softclip) == "<own operation softclip: reference, quick, opencl>"
assert {"reference", "quick"} <= {r["implementation"] for r in softclip.verify(cases=2).rows.values() if r["cases"] == 2}
clipped, other = both(x)
assert np.array_equal(clipped, softclip(x, 2.0)) and np.allclose(other, row[0], atol=1e-5)
assert le.operations().count("softclip") == 1
assert np.allclose(third(x, implementation="itself"), x / 3, atol=1e-6) and repr(third).endswith("third: reference, itself>")
once_more = taken()
assert all(a is b for a, b in zip(once_more[:3], (edges, again, softclip))), once_more
assert le._core.definitions() == definitions
assert pickle.loads(__import__("cloudpickle").dumps(softclip)) is softclip
print("taken")
"""


def test_by_value_from_main(new_process, tmp_path):
    """A notebook's are made anew, once, where nothing has their names."""
    pytest.importorskip("cloudpickle")
    place = str(tmp_path / "kept")
    new_process(NOTEBOOK + KEPT, place)
    assert new_process(TAKEN, place) == "taken\n"


NAMED = NOTEBOOK + """
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    for made in (edges, softclip):
        kept = pickle.dumps(made, protocol)
        assert len(kept) < 120 and pickle.loads(kept) is made, kept
assert copy.copy(edges) is edges and copy.deepcopy(softclip) is softclip
assert pickle.loads(pickle.dumps(again)) is not again  # the name is that of the function
old = edges
def edges(stack):
    return stack
try:
    pickle.dumps(old)
except pickle.PicklingError as error:
    assert "edges" in str(error)
    print("refused")
"""


def test_by_name_from_main(new_process):
    """As functions: children of multiprocessing have the same __main__."""
    assert new_process(NAMED) == "refused\n"


SCRIPT = NOTEBOOK.replace("lambda clip, chain, x: (clip(x, 2.0), chain(x.reshape(5, 5)))", "print") + """
import multiprocessing
if __name__ == "__main__":
    x = np.ones((5, 5), "f4")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.allclose(pool.map(edges, [x])[0], edges(x)) and np.allclose(pool.apply(softclip, (x[0], 2.0)), np.tanh(2), atol=1e-4)
    print("answered")
"""


def test_children_of_a_script(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "LE_DB": ":memory:"}, check=False)
    assert (done.returncode, done.stdout) == (0, "answered\n"), done.stderr


def test_of_a_module():
    """By name alone; within a function there is none."""
    kept = pickle.dumps(edges)
    assert b"_carrier" not in kept and pickle.loads(kept) is edges
    local = le.chain(lambda x: le.roberts_cross(x).gradient_row)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(local)
    assert np.allclose(copy.copy(local)(np.eye(5, dtype="f4")), edges(np.eye(5, dtype="f4")))


@le.chain
def edges(x):
    return le.roberts_cross(x).gradient_row


SUBMITTED = NOTEBOOK + """
if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    import dask.array
    from dask.distributed import Client, LocalCluster
    x = np.random.default_rng(3).random((10, 10)).astype("f4")
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, silence_logs=50) as cluster, Client(cluster) as client:
        made = client.submit(edges, x).result(timeout=60)
        assert np.allclose(made, edges(x), atol=1e-5)
        made = client.gather([client.submit(softclip, x[0] + i, 2.0) for i in range(10)])
        assert np.allclose(made, np.tanh(2 * (x[0] + np.arange(10)[:, None])), atol=1e-4)
        slabs = dask.array.from_array(np.stack([x] * 4), chunks=(2, 10, 10))
        made = slabs.map_blocks(edges, chunks=(2, 20, 20), dtype="f4").compute()
        assert np.allclose(made, edges(np.stack([x] * 4)), atol=1e-5)
        print("answered")
"""


def test_submitted_to_workers(new_process):
    pytest.importorskip("distributed")
    assert new_process(SUBMITTED) == "answered\n"
