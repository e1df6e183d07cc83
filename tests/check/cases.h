/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which check cases a test runs: LE_TEST_SEED makes others, LE_TEST_CASES fewer of them.
 */
#ifndef LE_TESTS_CASES_H
#define LE_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static inline uint64_t case_seed(void) {
    const char *given = getenv("LE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20261121;
    print_message("seed %llu (LE_TEST_SEED)\n", (unsigned long long)seed);
    return seed;
}

/* all, or the first ones: edge cases come before random ones. */
static inline int64_t case_count(int64_t all) {
    const char *given = getenv("LE_TEST_CASES");
    long long most = given ? strtoll(given, NULL, 10) : 0;
    return most > 0 && most < all ? (int64_t)most : all;
}

#endif
