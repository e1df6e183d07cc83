/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an engine keeps of chains from run to run: plans and transfer times.
 */
#ifndef LE_CHAIN_STATE_H
#define LE_CHAIN_STATE_H

#include "chain.h"

enum { LE__TRANSFER_SIZES = 4 };

typedef struct le__transfer { /* of one device */
    bool loaded, tried, measured;
    double up[LE__TRANSFER_SIZES], down[LE__TRANSFER_SIZES];
} le__transfer;

typedef struct le__kept_plan {
    uint64_t hash; /* of steps, shapes, wants and where inputs are */
    int n_steps, n_devices;
    int *devices; /* by step */
    double *predicted_s, *transfer_s;
    int64_t *bytes_moved;
    le__drop *drops;
    int n_drops;
    le__chain_totals totals;
    int64_t runs, plan_at; /* planned anew when runs reaches plan_at */
    struct le__kept_plan *next;
} le__kept_plan;

struct le__chains {
    pthread_mutex_t mutex; /* guards plans */
    le__kept_plan *plans;
    double answered_s; /* by chains that might use OpenCL */
    pthread_mutex_t transfer_mutex;
    le__transfer transfers[LE__MAX_DEVICES];
};

#endif
