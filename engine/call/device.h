/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The devices of an engine: number 0 is the CPU pool, the others are OpenCL devices. OpenCL is only
 * opened when somebody asks for its devices: it costs time and memory.
 */
#ifndef LE_DEVICE_H
#define LE_DEVICE_H

#include "core/error.h"

#include <stdatomic.h>

struct le__cl_device;

typedef struct le__device {
    int index; /* also its resource in the policy */
    le_device_kind kind;
    bool cpu_type;                            /* shares the CPU's cores */
    char id[32];                              /* "cpu", "opencl:0" */
    char name[128];                           /* "NVIDIA H200" */
    char vendor[64], driver[64], version[64]; /* parts of its identity */
    struct le__cl_device *cl;                 /* NULL for the CPU, as the three below */
    const le_cl_info *info;
    /* around an implementation's run on it; end gets the run's status and returns the whole's */
    le_status (*begin)(le_call *call);
    le_status (*end)(le_call *call, le_status status);
    atomic_bool lost;
} le__device;

/* "cpu", "opencl" (any), "opencl:1", or a part of the name without regard to case. NULL matches
 * all. */
bool le__device_matches(const le__device *d, const char *filter);
/* Whether such a filter asks for an OpenCL device. */
bool le__names_opencl(const char *filter);

#endif
