/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The deadline that the environment has.
 */
#include "deadline.h"

#include "liquid_engine/le_method.h"

#include <locale.h>
#include <stdlib.h>

/* With a point, whatever the program's locale has. */
static double parse(const char *text, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    const double v = strtod(text, end);
    uselocale(before);
    if (c)
        freelocale(c);
    return v;
}

le_status le__deadline_given(double *seconds) {
    const char *text = getenv("LE_MPI_DEADLINE");
    char *end = NULL;
    const double given = text && *text ? parse(text, &end) : 0;
    const bool good = !end || (end != text && !*end && given >= 0);
    *seconds = good ? given : 0;
    return good ? LE_OK
                : le_fail(LE_ERR_ARGUMENT,
                          "LE_MPI_DEADLINE is '%.64s', expected a number of seconds of at least 0",
                          text);
}
