# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# A notebook in cells (# %%): one function in numpy, numba and OpenCL, and a chart of who is how fast.
# usage: competing_variants.py [FOLDER]

# %% the function, as it is meant
import sys

import numpy as np

import liquid_engine as le


@le.operation(atol=1e-4, cases=lambda rng, size: dict(x=rng.normal(size=size or 1000).astype("f4"), a=2.0))
def softclip(x: le.In["f4", "n"], a: float) -> le.Out["f4", "n"]:
    return np.tanh(a * x.astype("f8")) * np.exp(-x.astype("f8") ** 2)


# %% in numpy, in single precision
@softclip.numpy
def plain(x, a, out):
    np.multiply(np.tanh(np.float32(a) * x), np.exp(-x * x), out=out)


# %% a mistake: it is found out, and left out
@softclip.numpy
def hasty(x, a, out):
    np.multiply(np.float32(a) * x, np.exp(-x * x), out=out)


# %% in numba, on the engine's threads
try:
    import numba  # noqa: F401

    @softclip.numba
    def loop(x, a, out, begin, end):
        for i in range(begin, end):
            out[i] = np.tanh(a * x[i]) * np.exp(-x[i] * x[i])
except ImportError:
    print("numba is not installed: without its variant")

# %% in OpenCL, with the best of three work-group sizes
softclip.opencl("""__kernel void softclip(__global const float *x, float a, __global float *out, uint n)
{ uint i = get_global_id(0); if (i < n) out[i] = tanh(a * x[i]) * exp(-x[i] * x[i]); }""", tune=dict(local=[64, 128, 256]))

# %% the answer, and why
x = np.random.default_rng(0).normal(size=1_000_000).astype("f4")
y = softclip(x, 2.0)
print(le.last_run())
print(softclip.explain(x, 2.0))

# %% the chart: medians with standard deviations
chart = softclip.bench(x, 2.0, seconds=0.02)
print(chart)
folder = sys.argv[1] if len(sys.argv) > 1 else "."
chart.plot(f"{folder}/variants.svg", title="softclip of a million numbers")
