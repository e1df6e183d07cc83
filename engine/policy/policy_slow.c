/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Slowness of a resource: noticed within one run when it is clear, forgotten with time, probed at a
 * bounded cost.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define CLEARLY_SLOW 0.262   /* ln 1.3 */
#define CLEARLY_SD 4.0
#define HALF_LIFE 600.0      /* seconds without a run there after which half of it is forgotten */
#define PROBE_CALLS 15.9    /* answers between two probes that cost one answer each */
#define PROBE_POWER 0.7
#define SLOW_MEMORY 8.0
#define IDLE_COUNTS 0.2

double le__slow_now(const le__resource *r, double now) {
    if (r->slowness <= 0.0)
        return 0.0;
    double left = r->slowness * exp2(-fmax(now - r->seen, 0.0) / HALF_LIFE);
    return left < 0.05 ? 0.0 : left;
}

static void seen(le__resource *r, double now, double busy) {
    r->seen = now;
    r->seen_busy = busy;
}

static le__slow_event while_slow(le__resource *r, int candidate, double excess, double slow) {
    if (excess < 0.5 * slow) {
        r->slowness = 0.0;
        r->calm_candidate = candidate;
        return LE__SLOW_CALM;
    }
    r->slow_runs = fmin(r->slow_runs + 1.0, SLOW_MEMORY);
    r->slowness += (excess - r->slowness) / r->slow_runs;
    return LE__SLOW_ON;
}

le__slow_event le__slow_observe(le__resource *r, int candidate, double excess, double sd, double now,
                                double busy) {
    double slow = le__slow_now(r, now);
    le__slow_event event = LE__SLOW_NONE;
    if (slow > 0.0) {
        event = while_slow(r, candidate, excess, slow);
    } else if (excess > CLEARLY_SLOW && excess > CLEARLY_SD * sd) {
        /* The same one alarms again after another was found to be as fast as ever: its own fault. */
        bool own = r->alarm_candidate == candidate && r->calm_candidate >= 0 &&
                   r->calm_candidate != candidate;
        r->alarm_candidate = candidate;
        if (!own)
            r->calm_candidate = -1;
        r->slowness = own ? 0.0 : excess;
        r->slow_runs = 1.0;
        r->doubted = false;
        event = own ? LE__SLOW_OWN : LE__SLOW_ON;
    } else {
        r->slowness = 0.0;
        if (r->alarm_candidate == candidate)
            r->alarm_candidate = r->calm_candidate = -1;
    }
    seen(r, now, busy);
    return event;
}

/* A constant share of the time would probe a very slow resource too rarely to notice that it is back;
 * the square-root law that is best for a known rate of recovery would probe it too often for a bounded
 * cost. The power lies between. */
double le__slow_probe_gap(double best_seconds, double loss) {
    double relative = fmax(loss, 0.0) / best_seconds;
    return PROBE_CALLS * best_seconds * pow(relative, PROBE_POWER);
}

double le__slow_waited(const le__resource *r, double now, double busy) {
    double work = busy - r->seen_busy, idle = fmax(now - r->seen - work, 0.0);
    return work + IDLE_COUNTS * idle;
}
