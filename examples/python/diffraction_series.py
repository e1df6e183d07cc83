# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""A series of diffraction frames in a compressed HDF5 file becomes curves, as pyFAI makes them: rings of a powder on a flat
detector, 0.1 m behind the sample. usage: diffraction_series.py [FOLDER [FILE.h5:/DATASET]]
"""
import sys

import numpy as np

import liquid_engine as le

DETECTOR = dict(distance=0.1, poni1=0.0128, poni2=0.0128, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10)


def powder(frames=6, size=256):
    """Rings whose radii grow from frame to frame, as of a sample that cools."""
    rng = np.random.default_rng(4)
    rows, cols = np.mgrid[:size, :size]
    r = np.hypot(rows + 0.5 - size / 2, cols + 0.5 - size / 2)
    shifted = r - 0.5 * np.arange(frames)[:, None, None]
    rings = sum(h * np.exp(-((shifted - at) ** 2) / 8) for h, at in ((300, 40), (120, 66), (60, 95)))
    return rng.poisson(20 + rings).astype("u2")


def main(folder=".", series=None):
    if series is None:
        import h5py
        series = f"{folder}/series.h5:/entry/data/data"
        with h5py.File(f"{folder}/series.h5", "w") as f:
            f.create_dataset("entry/data/data", data=powder(), chunks=(1, 256, 256), compression="gzip", shuffle=True)
    curves = le.azimuthal_integrate(series, 200, unit="q_nm^-1", outputs=["radial", "intensity"], **DETECTOR)
    print(le.last_run())
    le.write(f"{folder}/curves.h5:/intensity", curves.intensity)
    from liquid_engine import _svg
    peaks = curves.radial[curves.intensity.argmax(axis=-1)]
    with open(f"{folder}/peaks.svg", "w", encoding="utf-8") as f:
        f.write(_svg.bars("strongest ring, 1/nm", [(f"frame {i}", q, float("nan")) for i, q in enumerate(peaks)], "{:.3g}"))
    return curves


if __name__ == "__main__":
    main(*sys.argv[1:])
