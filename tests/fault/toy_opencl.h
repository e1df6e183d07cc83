/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The toy operation in OpenCL, with room for a fault.
 */
#ifndef TOY_OPENCL_H
#define TOY_OPENCL_H

#include "toy.h"

/* "right": correct, f32 only. */
extern const le_implementation toy_opencl;

/* The kernel built with these options: -DFAULT=statement, where in, out, n, run (which counts up),
 * i and first (i == 0) may be used, -DLEAVES_A_PART=condition of what is not written, and see the
 * source. */
le_status toy_opencl_launch(le_call *call, const char *options);
/* Takes a buffer from the driver itself, and does not give it back. */
le_status toy_opencl_leak(le_call *call, size_t bytes);

#endif
