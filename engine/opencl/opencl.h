/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL as the engine sees it: devices that live as long as the engine, and the device side of one
 * execution. The loader is opened at run time (dlopen), so a machine without it still runs.
 */
#ifndef LE_OPENCL_H
#define LE_OPENCL_H

#include "call/call.h"
#include "call/device.h"

struct le_profile;
typedef struct le__cl le__cl;
typedef struct le__cl_device le__cl_device;

extern const bool le__cl_built; /* false: there are no devices */
/* Whether the loader is in this process already, by us or by somebody else. */
bool le__cl_was_opened(void);

/* Opens the loader for an engine and appends the devices of every platform to the engine's. No
 * loader, no platform, no device or a platform that fails: a log line and fewer (perhaps 0) devices,
 * never an error. */
le_status le__cl_add_devices(le_engine *engine);
void le__cl_close(le__cl *cl);
/* What refers to the device's context, as far as the driver tells: buffers, programs, events ... 0
 * without device. */
size_t le__cl_objects(const le__cl_device *device);

/* fn(true) is called before a program is built and fn(false) after it. NULL: nobody is told. Not
 * while programs may be built. */
void le__cl_on_building(void (*fn)(bool building));

/* While profile is set, it gets an event of every command of an execution when that ends, on the
 * thread that ran it; lane 0, others: of executions beside others, and of downloads. NULL: off. cl
 * may be NULL. Not while executions are under way. */
void le__cl_set_profile(le__cl *cl, struct le_profile *profile);

/* Around an OpenCL implementation's run: call->device->cl is the device. begin takes the device for
 * this thread, or for call->beside one of two places on it; end waits for the queue, makes the
 * device copies of outputs the newest ones of their storages (and downloads them unless
 * call->want.keep_on_device; borrowed memory is always downloaded to), fills call->stats, frees
 * what the execution needed and gives the device back. end returns `status` or the first error
 * found. A lost device is marked in call->device->lost. */
le_status le__cl_begin(le_call *call);
le_status le__cl_end(le_call *call, le_status status);

/* What le_cl_run_simple launches. */
typedef struct le__cl_simple_launch {
    const le_cl_source *source;
    const char *kernel;
    char options[1024];
    le_cl_karg kargs[LE_MAX_ARGS + LE_CL_SIMPLE_MORE];
    size_t n_kargs;
    int ndim;
    size_t global[3], local[3]; /* local[0] 0: the driver's choice */
} le__cl_simple_launch;

/* Of a bound call with its implementation and its parameters; needs no device. */
le_status le__cl_simple_prepare(le_call *call, le__cl_simple_launch *out);
le_status le__cl_simple_launched(le_call *call, const le__cl_simple_launch *launch);

#endif
