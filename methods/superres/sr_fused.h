/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of the fused convergence. The convergence reads the magnified gradients only at half
 * pixels, and its weights depend only on the phase (y%M, x%M) of the output pixel. So
 *
 *   - the gradients are made on the half-pixel grid and divided by their length there, once;
 *   - a half-pixel row is kept as four planes (x even, x odd, y even, y odd; X the whole pixel), so
 *     that a tap of a fixed phase reads consecutive X: the loops are vectorised over X;
 *   - a tap adds w - |u x e| where u.e < 0, with e the direction of the tap times its weight w and
 * w divided by the sum of weights: that is the normalised sum, except near the border, where some
 *     taps are dropped and a factor per pixel makes up for it.
 */
#ifndef LE_SR_FUSED_H
#define LE_SR_FUSED_H

#include "superres.h"

/* Tail of every plane that vector loops may read and write beyond the last X. */
#define LE__SR_SLACK 64

typedef struct le__sr_tables {
    le__sr_rgc rgc;
    int64_t pad;   /* floats of a plane before X = 0 */
    int64_t plane; /* floats of a plane */
    /* taps of phase py*M+px: tap_end[phase-1] <= i < tap_end[phase] */
    int32_t *tap_end;
    int32_t *tap_offset; /* from the row 2Y, X = 0, in floats */
    float *tap_x, *tap_y, *tap_w;
    int64_t *first_x, *end_x; /* [M]: whole pixels of phase px inside the margin */
    int32_t *factor_row;      /* [HM]: which row of factors */
    float *factor;            /* [..][M][plane] */
    /* Catmull-Rom weights of the intensity */
    le__sr_axis rows;
    float *col_weight;  /* [M][4][plane] */
    int32_t *col_shift; /* [M]: input column of tap 0 is X + col_shift[px] */
} le__sr_tables;

#define LE__SR_HALF_ROW(t) (4 * (t)->plane)

le_status le__sr_tables_make(le_call *call, const le__sr_rgc *rgc, le__sr_tables *out);
/* le__sr_tables.plane. */
int64_t le__sr_plane_size(const le__sr_rgc *rgc);
/* Bytes that le__sr_tables_make takes, at most. */
int64_t le__sr_tables_bytes(const le__sr_rgc *rgc);

#endif
