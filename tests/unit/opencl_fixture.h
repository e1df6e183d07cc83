/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An operation registered at run time, for tests of the OpenCL layer: result = factor * input + 1,
 * element by element, and a way to execute it on the first OpenCL device with its statistics.
 */
#ifndef LE_TEST_OPENCL_FIXTURE_H
#define LE_TEST_OPENCL_FIXTURE_H

#include "call/candidate.h"
#include "engine.h"
#include "opencl/opencl.h"

enum { ARG_INPUT, ARG_FACTOR, ARG_RESULT };

/* Kernel "scale", f32 to f32; "scale_image" reads a 3-D image of any dtype. The implementation
 * "slow" is "buffers" with a loop in each item, "groups" takes 3-D tensors by groups of four
 * columns. */
extern const le_cl_source fixture_source, fixture_broken;
extern const le_implementation fixture_buffers, fixture_image, fixture_build_failure;
extern const le_operation fixture_operation;

/* An engine with the operation and all implementations; no database, its binaries under cache_dir
 * ("": none). Fails the test on error. */
le_engine *fixture_open(const char *cache_dir, const char *cl_dir, int64_t device_memory_limit);
/* The same with options of the caller's. */
le_engine *fixture_open_with(le_options *options);
bool fixture_has_device(le_engine *e);

/* Executes by the implementation's first candidate on the first OpenCL device and commits. */
le_status fixture_run(le_engine *e, const char *implementation, le__run_stats *stats,
                      const le_tensor *input, double factor, le_tensor *result,
                      bool keep_on_device);

/* f32 tensor that the engine allocated, filled with numbers that depend on seed. */
le_tensor fixture_tensor(int ndim, const int64_t *shape, unsigned seed);
/* Fails the test unless result[i] == factor * input[i] + 1 (in float). Both become valid on the
 * host. */
void fixture_expect(const le_tensor *input, double factor, le_tensor *result);

#endif
