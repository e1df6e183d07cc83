/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tests of ranks have in common: a check that says which rank it failed on.
 */
#ifndef LE_TEST_RANKS_H
#define LE_TEST_RANKS_H

#include "liquid_engine/le_method.h"

#include <stdio.h>

static int rank, failures;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, __LINE__, #x,                     \
                    le_error_message());                                                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

#endif
