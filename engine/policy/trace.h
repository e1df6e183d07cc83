/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a replay trace is in memory; for trace.c and replay.c.
 */
#ifndef LE_ENGINE_TRACE_H
#define LE_ENGINE_TRACE_H

#include "policy/replay.h"

typedef struct le__trace_series {
    double *seconds;
    int n;
} le__trace_series;

typedef struct le__trace_model {
    bool given;
    double overhead, per_work, exponent, cv;
} le__trace_model;

typedef struct le__trace_slow {
    int resource;
    double first, last, factor;
} le__trace_slow;

typedef struct le__trace_calls {
    int problem;
    long count;
} le__trace_calls;

struct le__trace {
    char **candidates, **problems, **resources; /* names */
    int n_candidates, n_problems, n_resources, n_slow, n_calls;
    int *resource_of;          /* by candidate */
    double *work;              /* by problem */
    le__trace_series *series;  /* [problem][candidate]; n 0: none */
    le__trace_model *models;   /* by candidate */
    le__trace_slow *slow;
    le__trace_calls *calls;
};

#endif
