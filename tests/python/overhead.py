# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""What a call costs in Python beyond C: ``python tests/python/overhead.py``. Run it on a quiet machine.

The same call of 16 numbers by a choice that is known, from C (a loop in the extension) and from Python, in 150 batches one after the
other; the least time of each counts.
"""
import time

import numpy as np

import liquid_engine as le

BATCHES, CALLS = 150, 1000


def least(call, *args, **words):
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(CALLS):
            call(*args, **words)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best


def main():
    stack, out = np.arange(16, dtype="f4").reshape(1, 4, 4), np.zeros((1, 4, 4), "f4")
    with le.Engine(db=":memory:", mode="estimate", threads=1, devices="cpu", implementation="c") as engine:
        call = engine.temporal_projection
        for _ in range(2000):
            call(stack, out=out)
            call(stack)
        in_c = call._look("time", (stack,), {"out": out}, float(BATCHES))
        with_out, new = least(call, stack, out=out), least(call, stack)
        print(f"C {1e6 * in_c:.2f} us; Python beyond it: with out= {1e6 * (with_out - in_c):.2f} us, "
              f"with a new array {1e6 * (new - in_c):.2f} us")


if __name__ == "__main__":
    main()
