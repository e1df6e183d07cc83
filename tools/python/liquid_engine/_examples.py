# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Examples of the operations, for their documentation. The test suite runs them."""

_GEOMETRY = "distance=0.1, poni1=0.0032, poni2=0.0032, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10"
_STARS = """
>>> image = np.random.default_rng(1).normal(100, 5, size=(64, 64))
>>> image[20:23, 30:33] += 200
>>> image[50:52, 10:12] += 300
"""

EXAMPLES = {
    "interpolate": """
>>> cube = np.arange(27.0).reshape(3, 3, 3)
>>> le.interpolate(cube, 2, angle=0, outside=0).shape
(2, 2, 2)
""",
    "interpolate_at": """
>>> x = np.array([0.0, 1.0, 3.0])
>>> values = x[:, None, None] + 10 * x[:, None] + 100 * x
>>> le.interpolate_at(x, x, x, values, [[2.0, 0.5, 1.0]])
array([107.])
""",
    "transfer_function": """
>>> le.transfer_function([[0.0, 1.0]], transfer="gray:0:1", scale="linear").shape
(1, 2, 4)
""",
    "composite": """
>>> slices = np.zeros((2, 1, 1, 4))
>>> slices[0, ..., :] = 1, 0, 0, 1        # red and opaque, farthest
>>> slices[1, ..., :] = 0, 0, 1, 0.25     # blue, in front of it
>>> le.composite(slices)[0, 0]
array([0.75, 0.  , 0.25], dtype=float32)
""",
    "project": """
>>> cube = np.ones((4, 5, 6))
>>> le.project(cube, axis=0, reduce="sum", scale="linear", colormap="none").shape
(5, 6)
""",
    "volume_render": """
>>> cube = np.exp(np.random.default_rng(1).normal(size=(16, 16, 16)))
>>> le.volume_render(cube, 32, angles=[0, 45], outside=0).shape
(2, 32, 32, 3)
""",
    "volume_part": """
>>> cube = np.exp(np.random.default_rng(1).normal(size=(16, 16, 16)))
>>> half = cube[:9]                       # boxes share a layer
>>> le.volume_part(half, 32, angles=[0], outside=0, begin=[0, 0, 0], whole=cube.shape).shape
(1, 32, 32, 4)
""",
    "shift_magnify": """
>>> le.shift_magnify(np.ones((8, 9)), shift_row=0.5, magnification_row=2, magnification_col=3).shape
(16, 27)
""",
    "shift_scale_rotate": """
>>> le.shift_scale_rotate(np.ones((8, 9)), angle=np.pi / 2).shape
(8, 9)
""",
    "roberts_cross": """
>>> ramp = np.arange(16.0).reshape(4, 4)
>>> le.roberts_cross(ramp).gradient_col[2, 2]
np.float32(2.0)
""",
    "radial_gradient_convergence": """
>>> gradients = np.ones((16, 16), "f4")
>>> le.radial_gradient_convergence(np.ones((8, 8), "f4"), gradients, gradients, magnification=1).shape
(8, 8)
""",
    "temporal_projection": """
>>> movie = np.arange(4.0)[:, None, None] * np.ones((4, 2, 2))
>>> le.temporal_projection(movie, temporal="var")[0]
array([[1.25, 1.25],
       [1.25, 1.25]], dtype=float32)
""",
    "macro_pixel_correction": """
>>> le.macro_pixel_correction([[1, 3], [1, 3]], magnification=2)
array([[1., 1.],
       [1., 1.]], dtype=float32)
""",
    "esrrf": """
>>> movie = np.random.default_rng(1).poisson(9, size=(10, 16, 16))
>>> le.esrrf(movie.astype("u2"), magnification=5, radius=1.5, sensitivity=1).shape
(1, 80, 80)
""",
    "bitshuffle_lz4": """
>>> chunk = np.frombuffer(np.arange(6, dtype="f4").tobytes(), "u1")
>>> le.bitshuffle_lz4(chunk, [0, 24], skipped=np.ones(1, "u4"), chunk=[2, 3], type="f32")
array([[0., 1., 2.],
       [3., 4., 5.]], dtype=float32)
""",
    "azimuthal_integrate": f"""
>>> frame = np.full((64, 64), 7, "u2")
>>> curve = le.azimuthal_integrate(frame, npt=20, solid_angle=0, {_GEOMETRY})
>>> curve.radial.shape, float(curve.intensity.max())
((20,), 7.0)
""",
    "azimuthal_integrate_2d": f"""
>>> frame = np.full((64, 64), 7, "u2")
>>> le.azimuthal_integrate_2d(frame, npt=20, npt_azim=36, {_GEOMETRY}).intensity.shape
(36, 20)
""",
    "azimuthal_sigma_clip": f"""
>>> frame = np.full((64, 64), 7, "u2")
>>> frame[40, 40] = 60000                 # a cosmic ray
>>> float(le.azimuthal_sigma_clip(frame, npt=20, solid_angle=0, {_GEOMETRY}).intensity.max())
7.0
""",
    "azimuthal_median": f"""
>>> frame = np.full((64, 64), 7, "u2")
>>> float(le.azimuthal_median(frame, npt=20, solid_angle=0, {_GEOMETRY}).intensity.max())
7.0
""",
    "integrate_stored": f"""
>>> frames = np.full((2, 64, 64), 7, "u2")
>>> stored, offsets = np.frombuffer(frames.tobytes(), "u1"), [0, 8192, 16384]
>>> le.integrate_stored(stored, npt=20, offsets=offsets, skipped=np.ones(2, "u4"), chunk=[1, 64, 64], type="u16",
...                     {_GEOMETRY}).intensity.shape
(2, 20)
""",
    "convolve2d": """
>>> le.convolve2d(np.eye(3), np.ones((3, 3)), mode="same")
array([[2., 2., 1.],
       [2., 3., 2.],
       [1., 2., 2.]])
""",
    "correlate2d": """
>>> le.correlate2d(np.eye(3), [[1, 0], [0, 2]], mode="valid")
array([[3., 0.],
       [0., 3.]])
""",
    "convolve": """
>>> le.convolve([1.0, 2.0, 3.0], [0, 1, 0.5])
array([0. , 1. , 2.5, 4. , 1.5])
""",
    "sigma_clip": """
>>> pixels = np.r_[np.random.default_rng(1).normal(10, 1, size=1000), 500]
>>> count, rejected, *_ = le.sigma_clip(pixels, sigma_lower=4, sigma_upper=4)
>>> int(count), int(rejected)
(1000, 1)
""",
    "background_mesh": """
>>> sky = np.random.default_rng(1).normal(100, 5, size=(128, 128))
>>> background, noise = le.background_mesh(sky, cell=32)
>>> bool(abs(background.mean() - 100) < 1)
True
""",
    "threshold": """
>>> le.threshold([[1.0, 5.0], [7.0, 2.0]], level=4)
array([[0, 1],
       [1, 0]], dtype=uint8)
""",
    "label": """
>>> le.label([[1, 0, 1], [1, 0, 0]])
array([[1, 0, 2],
       [1, 0, 0]], dtype=int32)
>>> le.label([[1, 0, 1], [1, 0, 0]], outputs=["labels", "count"]).count
array([2], dtype=int32)
""",
    "select_labels": """
>>> labels = np.array([[1, 0, 2], [1, 0, 0]], "i4")
>>> le.select_labels(labels, minimum_area=2)
array([[1, 0, 0],
       [1, 0, 0]], dtype=int32)
""",
    "measure_sources": """
>>> labels = np.array([[1, 0, 2], [1, 0, 0]], "i4")
>>> catalogue = le.measure_sources([[1.0, 9.0, 5.0], [3.0, 9.0, 9.0]], labels)
>>> catalogue[:, :4]                      # label, area, sum, mean
array([[1., 2., 4., 2.],
       [2., 1., 5., 5.]])
""",
    "find_sources": _STARS + """
>>> catalogue = le.find_sources(image, k=8, rule="median")
>>> catalogue[:, 1]                       # areas
array([9., 4.])
""",
}
