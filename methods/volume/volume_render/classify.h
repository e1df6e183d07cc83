/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A transfer function prepared for single-precision vectors, with the values that cannot show left
 * out.
 *
 * What may be left out. An image is the sum over the samples of T a c, where T is the product of 1 - a'
 * over the samples in front. Leaving out a sample's opacity a changes a pixel by at most a (c + C), C
 * being the colour behind, at most cmax: n samples with a below
 *     share * atol / (n * 2 cmax)            change it by less than share * atol;
 * and n samples with a below share * rtol / n and a c below share * atol / n change it by less than
 * share * (rtol * |pixel| + atol). The larger bound counts. Leaving out one Gaussian's colour where
 * another's opacity shows changes a pixel by at most that colour, because the sum of T a is at most 1.
 * All this holds for opacities in [0,1]; else only what is below single precision is left out.
 */
#ifndef LE_VOLUME_CLASSIFY_H
#define LE_VOLUME_CLASSIFY_H

#include "volume/transfer.h"

enum { LE__CLASSES = 16, LE__SEGMENT_FLOATS = 16, LE__GAUSSIAN_FLOATS = 8 };

typedef enum le__form {
    LE__FORM_CLASSES,   /* Gaussians whose visible values do not overlap: one exponential a sample */
    LE__FORM_GAUSSIANS, /* any Gaussians */
    LE__FORM_TABLE
} le__form;

typedef struct le__classify {
    le__form form;
    bool log;
    float low, high;             /* only values in [low, high] can show */
    float stop;                  /* a ray may end when its T is not above this */
    /* Classes, ascending: class i in [1, n] has the values in [lows[i], highs[i]]; highs[0] is NaN.
     * E = 2^(factor * d^2), d = log2(v) - log2(1.5) - centre on the log scale, else v - centre. */
    int n_classes;
    float lows[LE__CLASSES], highs[LE__CLASSES], centre[LE__CLASSES], factor[LE__CLASSES];
    float rgba[4][LE__CLASSES];
    /* Gaussians: centre, factor, r, g, b, alpha and two unused numbers each. */
    size_t n_gaussians;
    float *gaussians;
    /* Table: segment i runs from s = segment[0] on: rgba = segment[1..4] + (s - segment[0]) *
     * segment[5..8]. The segment of s: cells[(s - first) * scale], then at most `steps` further. */
    int32_t n_segments, n_cells, steps;
    float first, last, scale;
    float *segments;
    int32_t *cells;
} le__classify;

/* Bytes of memory that le__classify_make needs for its lists. */
size_t le__classify_bytes(const le__transfer *t);

/* Prepares t for rays of n samples within a tolerance; memory has le__classify_bytes(t) bytes of
 * 64-byte alignment and outlives *out. At most max_classes classes are made. */
void le__classify_make(le__classify *out, const le__transfer *t, int64_t n, double atol, double rtol,
                       int max_classes, void *memory);

#endif
