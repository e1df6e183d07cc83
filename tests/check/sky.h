/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Radio-like images that any IEEE machine makes with the same bits: correlated noise by integers,
 * sources by + - * / and sqrt.
 */
#ifndef LE_TESTS_SKY_H
#define LE_TESTS_SKY_H

#include <stdint.h>

/* h * w pixels; false: no memory. */
_Bool sky_image(float *out, int64_t h, int64_t w, uint64_t seed, int64_t sources);

#endif
