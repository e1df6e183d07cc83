/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the references of operations on rings share: the pixels of each ring, by the definitions.
 */
#ifndef LE_SCATTERING_RINGS_REFERENCE_H
#define LE_SCATTERING_RINGS_REFERENCE_H

#include "scattering/rings.h"

/* A pixel's part in a ring: share, signal, variance, normalization. */
typedef struct le__sc_member {
    int64_t bin, pixel;
    double c, s, v, w;
    bool out; /* for the operation */
} le__sc_member;

/* Marks those of n members, in the order of pixels, that do not count. */
typedef void (*le__sc_members_fn)(le_call *call, le__sc_member *members, int64_t n);

le_status le__sc_rings_reference(le_call *call, le__sc_members_fn fn);

/* Sums of the members that are not out; the variance of the azimuthal model about their mean. */
le__sc_sums le__sc_members_sums(const le_call *call, const le__sc_member *members, int64_t n);

#endif
