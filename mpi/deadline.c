/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The deadline that the environment has.
 */
#include "deadline.h"

#include "liquid_engine/le_method.h"

#include <stdlib.h>

le_status le__deadline_given(double *seconds) {
    const char *text = getenv("LE_MPI_DEADLINE");
    char *end = NULL;
    const double given = text && *text ? le_number(text, &end) : 0;
    const bool good = !end || (end != text && !*end && given >= 0);
    *seconds = good ? given : 0;
    return good ? LE_OK
                : le_fail(LE_ERR_ARGUMENT,
                          "LE_MPI_DEADLINE is '%.64s', expected a number of seconds of at least 0",
                          text);
}
