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


def least(batch, *args):
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        batch(*args)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best


def with_out(call, stack, out):  # as a user writes it: words that are handed on would cost as much as the call
    for _ in range(CALLS):
        call(stack, out=out)


def with_new_array(call, stack):
    for _ in range(CALLS):
        call(stack)


def main():
    stack, out = np.arange(16, dtype="f4").reshape(1, 4, 4), np.zeros((1, 4, 4), "f4")
    with le.Engine(db=":memory:", mode="estimate", threads=1, devices="cpu", implementation="c") as engine:
        call = engine.temporal_projection
        for _ in range(2000):
            call(stack, out=out)
            call(stack)
        in_c = call._look("time", (stack,), {"out": out}, float(BATCHES))
        given, new = least(with_out, call, stack, out), least(with_new_array, call, stack)
        print(f"C {1e6 * in_c:.2f} us; Python beyond it: with out= {1e6 * (given - in_c):.2f} us, "
              f"with a new array {1e6 * (new - in_c):.2f} us")


if __name__ == "__main__":
    main()
