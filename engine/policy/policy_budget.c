/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The exploring account of a family. Ski rental: exploring may have taken at most `share` times
 * what answering has taken when another exploring run starts, so that at every moment it has taken
 * at most that plus one run, and nobody who stops early has paid more than twice.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define PENDING_LIMIT                                                                              \
    60.0 /* seconds after which an exploring run that was never reported is forgotten */

bool le__budget_pending(const le__budget *b, double now) {
    return b->since_explored >= 0.0 && now - b->since_explored < PENDING_LIMIT;
}

double le__budget_debt(const le__budget *b, double share) {
    /* races and benchmarks may have explored for much longer than was ever answered: half of what
     * answering has paid for is owed at most */
    double paid = share * b->answered_before;
    double before = fmin(b->explored_before - paid, 0.5 * paid);
    return b->account.explored - b->looked - share * b->account.answered + before;
}

void le__budget_forgive(le__budget *b, double seconds) {
    b->looked += seconds;
}

void le__budget_pay(le__budget *b, le__why why, double seconds) {
    switch (why) {
    case LE__WHY_EXPLORE:
    case LE__WHY_PROBE:
        b->account.explored += seconds;
        b->since_explored = -1.0;
        break;
    case LE__WHY_MEASURE:
        b->account.measured += seconds;
        break;
    case LE__WHY_EXPLOIT:
    case LE__WHY_ONLY:
        b->account.answered += seconds;
        break;
    }
}
