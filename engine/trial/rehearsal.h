/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What lies in the file of a rehearsal, and who makes a launch of it.
 */
#ifndef LE_REHEARSAL_H
#define LE_REHEARSAL_H

#include "opencl/opencl.h"
#include "trial/trial.h"

typedef struct le__prop { /* a tensor */
    char name[24];
    int8_t type; /* le_arg_type; LE_TYPE_F64: none is given */
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    size_t at; /* an input's data */
} le__prop;

typedef struct le__scene {
    size_t bytes; /* in all */
    char source[256], kernel[128];
    size_t text, text_bytes;
    le__cl_simple_launch launch; /* but for its pointers */
    size_t n_props;
    le__prop props[LE_MAX_ARGS];
} le__scene;

/* In the child of a server. */
void le__rehearse_here(le_engine *engine, struct le__device *device, const char *path,
                       le__trial_result *out);

#endif
