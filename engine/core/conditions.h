/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Under which conditions a time was measured: what other processes, the hypervisor, a CPU quota and
 * memory pressure took away. Linux tells it in /proc and /sys; elsewhere nothing is known.
 */
#ifndef LE_CONDITIONS_H
#define LE_CONDITIONS_H

#include "liquid_engine/le_method.h"

typedef struct le__conditions {
    bool known;
    float load;      /* cores used by other processes, as a share of all cores */
    float steal;     /* share of time taken by the hypervisor */
    float throttled; /* share of time that a quota stopped this process */
    float pressure;  /* share of time stalled for memory */
} le__conditions;

typedef struct le__monitor le__monitor;

/* *out may be NULL on success where the system tells nothing. */
le_status le__monitor_open(le__monitor **out);
void le__monitor_close(le__monitor *m);
/* Conditions of about the last tenth of a second; costs file reads at most that often. Thread-safe.
 */
le__conditions le__monitor_read(le__monitor *m, double now);
/* 1 for a clean measurement, down to 0.1 for one that shared its cores. */
double le__conditions_weight(const le__conditions *c);

#endif
