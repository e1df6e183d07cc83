# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""eSRRF on a TIFF stack, as in NanoPyx (Saraiva et al. 2025; Laine et al. 2023): frames of blinking molecules become one image of
five times the resolution. Without a stack of one's own, one is simulated. usage: esrrf_stack.py [FOLDER [STACK.tif]]
"""
import sys

import numpy as np

import liquid_engine as le


def blinking(frames=20, size=48, molecules=60):
    """Molecules on two lines 1.5 pixels apart, each seen in some frames."""
    rng = np.random.default_rng(2)
    y = np.repeat([size / 2 - 0.75, size / 2 + 0.75], molecules // 2)
    x = rng.uniform(5, size - 5, molecules)
    rows, cols = np.mgrid[:size, :size]
    spots = np.exp(-((rows - y[:, None, None]) ** 2 + (cols - x[:, None, None]) ** 2) / (2 * 1.4**2))
    on = rng.random((frames, molecules)) < 0.15
    return rng.poisson(10 + 400 * np.einsum("fm,mij->fij", on, spots)).astype("u2")


def main(folder=".", stack=None):
    if stack is None:
        stack = f"{folder}/blinking.tif"
        le.write(stack, blinking())
    image = le.esrrf(stack, magnification=5, radius=1.5)
    print(le.last_run())
    le.write(f"{folder}/esrrf.png", np.round(255 * image[0] / image.max()).clip(0, 255).astype("u1"))
    return image


if __name__ == "__main__":
    main(*sys.argv[1:])
