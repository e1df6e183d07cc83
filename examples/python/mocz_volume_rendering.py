# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""A volume rendering of a cosmic web, after Philip Mocz, "Create Your Own Volume Rendering (With Python)" (2022).

His script turns a grid of rays for each view, interpolates the cube along them and composites slice by slice; here that loop
is one line. usage: mocz_volume_rendering.py [FOLDER]
"""
import sys
from pathlib import Path

import numpy as np

import liquid_engine as le

cube = Path(__file__).parent.parent / "data" / "web_128.h5"


def main(folder="."):
    n_angles = 10
    angles = 90 * np.arange(n_angles) / n_angles  # degrees
    frames = le.volume_render(f"{cube}:/density", 180, angles=angles, outside=0)
    le.write(f"{folder}/volumerender%02d.png", frames)
    projection = le.project(f"{cube}:/density", axis=0)  # log of the mean, viridis
    le.write(f"{folder}/projection.png", projection)
    print(le.last_run())
    return frames, projection


if __name__ == "__main__":
    main(*sys.argv[1:])
