/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One OpenCL device inside the engine: identity and limits, its context and queue (made when it is
 * first used), its memory account and its programs.
 *
 * An execution has the device for itself, on the first queue, unless it says that it may run beside
 * another one (a slab of the same call): then each takes a queue of its own, and the uploads,
 * kernels and downloads of the two overlap. Downloads of a storage that no execution asked for have
 * a queue of their own too.
 *
 * Locks: a device's `mutex` is held while something is looked up, made or enqueued; a storage's
 * mutex may be taken inside it; `memory_mutex` is innermost. Downloads of a storage take no device
 * mutex. The staging's mutex is only ever tried.
 */
#ifndef LE_CL_DEVICE_H
#define LE_CL_DEVICE_H

#include "cl_api.h"
#include "cl_staging.h"
#include "opencl/opencl.h"

#include <pthread.h>
#include <stdatomic.h>

struct le__cl_program;

typedef struct le__cl_spare { /* a released buffer that may be used again */
    cl_mem mem;
    size_t bytes;
} le__cl_spare;

enum { LE__CL_SPARES = 16, LE__CL_LANES = 2 };

struct le__cl_device {
    const le__cl_api *api;
    le__cl *cl; /* NULL once the engine is closed */
    le__log log;
    atomic_int references; /* the engine's, and one of each device copy of a tensor */
    cl_platform_id platform;
    cl_device_id id;
    le_cl_info info;
    char name[128], vendor[64], driver[64], version[128], platform_version[128];
    size_t sub_buffer_alignment; /* bytes */
    pthread_mutex_t mutex;       /* guards all down to programs */
    pthread_cond_t left;         /* an execution has ended */
    cl_context context;
    cl_command_queue queues[LE__CL_LANES + 1]; /* in order; the last: for downloads */
    unsigned lanes;                            /* bits: taken by executions */
    bool shared;                               /* those that have taken them run beside others */
    int waiting;                               /* executions that want the device for themselves */
    struct le__cl_program *programs;
    pthread_mutex_t memory_mutex; /* guards all below */
    int64_t allocated_bytes;      /* spares included */
    le__cl_spare spares[LE__CL_SPARES];
    size_t n_spares;
    bool closed; /* keep no spares any more */
    le__cl_staging staging;
};

struct le__cl {
    const le__cl_api *api;
    le__log log;
    char *cache_dir, *cl_dir; /* owned; NULL: none */
    int64_t memory_limit_bytes;
    le__cl_device **devices;
    size_t n_devices;
    struct le_profile *profile; /* NULL: none is under way */
    struct le__pool *pool; /* the engine's; NULL: none */
    struct le__keep *kept; /* the engine's; what nobody uses makes room where it is needed */
};

/* Fills the identity and limits of a device; false when the driver does not answer. */
bool le__cl_device_query(le__cl_device *d);
/* Makes context and queues when there are none. device->mutex is held. */
le_status le__cl_device_ready(le__cl_device *d);
le__cl_device *le__cl_device_retain(le__cl_device *d);
void le__cl_device_release(le__cl_device *d);

/* Sets the error text "opencl: <device>: <what>: <code's name>" and returns the code's class. */
le_status le__cl_fail(const le__cl_device *d, cl_int code, const char *what);

/* Device memory under the device's limits; contents are unspecified. bytes may be 0. */
le_status le__cl_buffer_new(le__cl_device *d, size_t bytes, cl_mem *out);
void le__cl_buffer_free(le__cl_device *d, cl_mem mem, size_t bytes);
/* Gives kept buffers back to the driver; closed: and keeps none any more. */
void le__cl_device_drop_spares(le__cl_device *d, bool closed);
/* A single-channel float image; accounted as 4 bytes a voxel. shape: of the tensor, last axis
 * fastest. */
le_status le__cl_image_new(le__cl_device *d, const int64_t shape[3], cl_mem *out);
void le__cl_image_free(le__cl_device *d, cl_mem mem, const int64_t shape[3]);

#endif
