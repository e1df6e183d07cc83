/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 */
#include "choose/settling.h"

enum { LEAST_RUNS = 4, MOST_RUNS = 16 }; /* of brief ones */
enum { STILL = 2, STILL_LONGER = 1 };    /* runs in a row that were not faster than all before */

static const double brief_s = 1e-3, long_s = 20e-3;
static const double faster = 0.95; /* times the fastest */

static int capped(int64_t runs) {
    return runs < MOST_RUNS ? (int)runs : MOST_RUNS;
}

bool le__is_brief(double seconds) {
    return seconds < brief_s;
}

static bool is_over(const le__settling *s, double seconds) {
    bool brief = le__is_brief(seconds);
    return s->over || seconds >= long_s ||
           (s->runs >= (brief ? LEAST_RUNS : 1) &&
            s->runs >= capped(s->fastest + (brief ? STILL : STILL_LONGER)));
}

bool le__settling_note(le__settling *s, double seconds, bool tried) {
    if (tried)
        *s = (le__settling){.tried = true};
    s->over = is_over(s, seconds);
    if (s->runs == 0 || seconds < faster * s->least_s) {
        s->least_s = seconds;
        s->fastest = s->runs + 1;
    }
    s->last_s = seconds;
    le__settling_skip(s, 1);
    return s->over;
}

void le__settling_skip(le__settling *s, int64_t runs) {
    s->runs = capped(s->runs + capped(runs));
}

bool le__settling_goes_on(const le__settling *s) {
    return s->tried && !is_over(s, s->last_s);
}
