/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From a problem's text ("volume=f32[64,64,64] images=f32[1,40,40,3] size=40") back to the
 * arguments of a call of the same shape.
 */
#ifndef LE_PROBLEM_ARGS_H
#define LE_PROBLEM_ARGS_H

#include "liquid_engine/le_bench.h"

typedef struct problem_args {
    le_arg args[LE_MAX_ARGS];
    le_tensor tensors[LE_MAX_ARGS];
    char *texts[LE_MAX_ARGS];
    double *lists[LE_MAX_ARGS];
    size_t n;
    le_sample *sample; /* what the text leaves open is taken from a typical call */
} problem_args;

typedef enum problem_data {
    PROBLEM_SHAPES, /* inputs without contents: to be explained only */
    PROBLEM_FILLED  /* positive random numbers */
} problem_data;

/* *out is released with problem_args_free, also after an error. On an error false, and `why` says
 * what was not understood. */
bool le__problem_args_make(problem_args *out, le_engine *engine, const char *operation,
                           const char *text, problem_data data, char *why, size_t size);
void le__problem_args_free(problem_args *a);

#endif
