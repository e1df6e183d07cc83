# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""The image of the GPU programming lesson with CuPy (Netherlands eScience Center): a grid of stars, blurred by convolution.

`scipy.signal.convolve2d` and its CuPy twin become one call, which runs wherever it is fastest.
usage: lesson_convolution.py [FOLDER]
"""
import sys

import numpy as np

import liquid_engine as le


def main(folder="."):
    deltas = np.zeros((2048, 2048), dtype="f4")
    deltas[8::16, 8::16] = 1
    x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
    gauss = np.exp(-(x * x + y * y) / 2)
    blurred = le.convolve2d(deltas, gauss)
    print(le.last_run())
    window = np.ascontiguousarray(blurred[:256, :256])
    le.write(f"{folder}/stars.png", np.round(255 * window / window.max()).astype("u1"))
    return deltas, gauss, blurred


if __name__ == "__main__":
    main(*sys.argv[1:])
