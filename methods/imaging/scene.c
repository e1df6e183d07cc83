/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Images and masks of sample calls.
 */
#include "imaging/scene.h"

#include "imaging/label_flood.h"

#include <math.h>
#include <stdlib.h>

typedef struct frame {
    int ndim;
    int64_t shape[3];
} frame;

/* --- shapes --- */

static const frame edges[] = {{2, {31, 40}},  {1, {1}},         {2, {1, 70}},   {2, {64, 1}},
                              {2, {1, 1}},    {3, {5, 12, 9}},  {1, {130}},     {2, {9, 64}},
                              {2, {7, 129}},  {3, {1, 17, 33}}, {3, {3, 1, 8}}, {2, {63, 66}},
                              {3, {2, 2, 2}}, {2, {100, 257}}};

static frame frame_of(le_case *c, const le_case_request *r, int arg) {
    const int64_t n = sizeof edges / sizeof edges[0];
    if (r->kind == LE_CASE_BENCH) {
        const int64_t size = r->size > 0 ? r->size : 2048;
        return (frame){2, {size, size}};
    }
    if (r->like) {
        frame f = {le_call_in(r->like, arg)->ndim, {0}};
        static const int64_t small[3][3] = {{3000}, {60, 83}, {9, 20, 31}};
        for (int d = 0; d < f.ndim; d++)
            f.shape[d] = small[f.ndim - 1][d];
        return f;
    }
    if (r->index < n)
        return edges[r->index];
    frame f = {r->index % 5 == 0 ? 3 : r->index % 11 == 0 ? 1 : 2, {0}};
    for (int d = 0; d < f.ndim; d++)
        f.shape[d] = 1 + (int64_t)(le_case_random(c) % (f.ndim == 3 ? 24 : 150));
    return f;
}

static int64_t pixels_of(const frame *f) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++)
        n *= f->shape[d];
    return n;
}

/* --- images --- */

enum { SKY, CONSTANT, TIES, NOT_FINITE, OFFSET, ALL_NAN, KINDS };

/* A spot every few thousand pixels, all in one row of pixels. */
static double source_at(int64_t i) {
    const int64_t within = i % 1511;
    return within < 9 ? 60.0 * exp(-0.3 * (double)((within - 4) * (within - 4))) : 0;
}

static double pixel(le_case *c, int kind, bool whole, int64_t i) {
    const double noise = le_case_normal(c);
    switch (kind) {
    case CONSTANT:
        return i % 97 == 5 ? 4 : 3;
    case TIES:
        return floor(2 * noise) + 20 + (i % 61 == 7 ? 30 : 0);
    case NOT_FINITE:
        if (!whole && i % 13 < 3)
            return i % 13 == 0 ? NAN : i % 2 ? INFINITY : -INFINITY;
        break;
    case OFFSET:
        return whole ? 100 + noise * 4 : 1e6 + noise + source_at(i);
    case ALL_NAN:
        return whole ? 7 : NAN;
    default:
        break;
    }
    return whole ? 100 + 6 * noise + source_at(i) : 0.01 * (noise + source_at(i));
}

static le_tensor *scene(le_case *c, const le_case_request *r, int arg, frame f) {
    const le_dtype dtype = le__case_dtype(r, arg);
    const int kind = r->kind == LE_CASE_CHECK ? (int)(r->index / 2 % (2 * KINDS)) : SKY;
    le_tensor *t = le_case_in(c, "image", dtype, f.ndim, f.shape);
    for (int64_t i = 0; t && i < pixels_of(&f); i++)
        le_tensor_set(t, i, pixel(c, kind, dtype != LE_F32 && dtype != LE_F64, i));
    return t;
}

le_tensor *le__im_scene(le_case *c, const le_case_request *r, int arg) {
    return scene(c, r, arg, frame_of(c, r, arg));
}

le_tensor *le__im_scene_2d(le_case *c, const le_case_request *r, int arg) {
    frame f = frame_of(c, r, arg);
    if (f.ndim != 2)
        f = (frame){2, {f.shape[0] % 100 + 1, f.shape[f.ndim - 1]}};
    return scene(c, r, arg, f);
}

/* --- masks --- */

static bool marked(le_case *c, int kind, const frame *f, int64_t i) {
    static const double densities[] = {0.02, 0.407, 0.593, 0.9};
    const int64_t x = i % f->shape[f->ndim - 1], y = i / f->shape[f->ndim - 1];
    switch (kind) {
    case 4:
        return (x + y) % 2;
    case 5:
        return true;
    case 6:
        return x % 2 == 0 || y == 0;
    case 7:
        return (x / 3 + y / 3) % 3 == 0;
    default:
        return le_case_uniform(c) < densities[kind % 4];
    }
}

le_tensor *le__im_mask(le_case *c, const le_case_request *r, int arg) {
    const frame f = frame_of(c, r, arg);
    const le_dtype dtype = r->dtype || r->like ? le__case_dtype(r, arg) : LE_U8;
    const int kind = r->kind == LE_CASE_CHECK ? (int)(r->index % 8) : 2;
    le_tensor *t = le_case_in(c, "mask", dtype, f.ndim, f.shape);
    for (int64_t i = 0; t && i < pixels_of(&f); i++)
        le_tensor_set(t, i, marked(c, kind, &f, i) ? 1 + (double)(i % 7) : 0);
    return t;
}

le_tensor *le__im_numbered(le_case *c, const le_case_request *r, int arg, const le_tensor *like,
                           le_dtype dtype) {
    const frame f = like ? (frame){like->ndim, {0}} : frame_of(c, r, arg);
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    le_tensor *t = le_case_in(c, "labels", dtype, f.ndim, like ? like->shape : f.shape);
    const int64_t n = t ? le_tensor_count(t) : 0, cols = t ? t->shape[f.ndim - 1] : 1;
    int32_t *numbers = calloc((size_t)(2 * n) + 1, sizeof *numbers);
    for (int64_t k = 0; numbers && k < n; k++)
        numbers[k] = i % 5 == 3 ? (int32_t)(le_case_random(c) % 50)
                                : k % cols * 7 % 23 < 9 && k / cols * 5 % 17 < 8;
    if (numbers && t && i % 5 != 3)
        le__im_flood(NULL, numbers, le__im_shape_of(t), 1, numbers + n);
    for (int64_t k = 0; numbers && k < n; k++)
        le_tensor_set(t, k, numbers[k]);
    free(numbers);
    return numbers ? t : NULL;
}
