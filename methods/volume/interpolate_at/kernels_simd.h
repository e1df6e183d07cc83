/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `interpolate_at`, compiled once for each instruction set: a vector of points, whose
 * cells are found together, as many steps for each; then gathers of neighbouring corners. In double
 * precision with the reference's operations, so that points on cell borders fall to the same side.
 */
#include <math.h>

#include "volume/double_simd.h"
#include "volume/interpolate_at/at.h"
#include "common/load.h"

typedef struct located {
    vl offset; /* of corner [0,0,0], or of the nearest corner */
    vd weight[3];
    vdm inside;
    vd outside; /* the result of lanes that are not inside */
} located;

static vl parts_of(const le__at_parts *t, vd x) {
    vd at = vd_mul(vd_sub(x, vd_set(t->axis[0])), vd_set(t->scale));
    return vl_truncate(vd_min(vd_max(at, vd_set(0.0)), vd_set(t->last_part)));
}

/* Cells of x and their ends, where few cells begin in a part: those are read at once. */
static vl find_near(const le__at_parts *t, vd x, vd *left, vd *right) {
    int64_t part[VD], cell[VD];
    vd border[LE__AT_NEAR + 1];
    vl_store(part, parts_of(t, x));
    for (int i = 0; i < VD; i++)
        cell[i] = t->first[part[i]];
    vd_load_rows(t->axis, cell, border);
    vd inside = vd_min(x, vd_set(t->below_end));
    vdm second = vd_le(border[1], inside), third = vd_le(border[2], inside);
    *left = vd_select(third, border[2], vd_select(second, border[1], border[0]));
    *right = vd_select(third, border[3], vd_select(second, border[2], border[1]));
    vl from = vl_load(cell), next = vl_add(from, vl_set(1));
    return vl_select(third, vl_add(next, vl_set(1)), vl_select(second, next, from));
}

static vl find_far(const le__at_parts *t, vd x, vd *left, vd *right) {
    vl cell = vl_gather_i32(t->first, parts_of(t, x)), last = vl_set(t->last_cell);
    for (int64_t step = (int64_t)1 << t->steps >> 1; step > 0; step >>= 1) {
        vl next = vl_min(vl_add(cell, vl_set(step)), last);
        cell = vl_select(vd_le(vd_gather(t->axis, next), x), next, cell);
    }
    *left = vd_gather(t->axis, cell);
    *right = vd_gather(t->axis + 1, cell);
    return cell;
}

static void locate(const le__at_search *s, const vd x[3], located *out) {
    const le__at *at = &s->at;
    vdm number = vd_eq(x[0], x[0]);
    out->offset = vl_set(0);
    out->inside = number;
    for (int a = 0; a < 3; a++) {
        const double *axis = at->axis[a];
        vd low = vd_set(axis[0]), high = vd_set(axis[at->n[a] - 1]);
        number = vdm_and(number, vd_eq(x[a], x[a]));
        out->inside = vdm_and(out->inside, vdm_and(vd_le(low, x[a]), vd_le(x[a], high)));
        vd p = vd_min(vd_max(x[a], low), high);
        vd left, right;
        vl cell = s->parts[a].near ? find_near(&s->parts[a], p, &left, &right)
                                   : find_far(&s->parts[a], p, &left, &right);
        vd w = vd_div(vd_sub(p, left), vd_sub(right, left));
        if (at->nearest)
            cell = vl_select(vd_le(w, vd_set(0.5)), cell, vl_add(cell, vl_set(1)));
        out->weight[a] = w;
        out->offset = vl_add(out->offset, vl_mul(cell, vl_set(at->stride[a])));
    }
    out->outside = vd_select(number, vd_set(at->fill), vd_set(NAN));
}

/* Elements at index i and the next one. count: of all from the first value to the last, 8 or more. */
static inline void pair_u8(const void *p, vl i, int64_t count, vd *a, vd *b) {
    /* four bytes are read: near the end from earlier on, then shifted */
    vl from = vl_min(i, vl_set(count - 4));
    v_half bits = v_half_srl_each(v_half_gather_bytes(p, from), vl_bytes_to_bits(vl_sub(i, from)));
    *a = vd_of_i32(v_half_srl(v_half_sll(bits, 24), 24));
    *b = vd_of_i32(v_half_srl(v_half_sll(bits, 16), 24));
}
static inline void pair_u16(const void *p, vl i, int64_t count, vd *a, vd *b) {
    (void)count;
    v_half bits = v_half_gather_halves(p, i);
    *a = vd_of_i32(v_half_srl(v_half_sll(bits, 16), 16));
    *b = vd_of_i32(v_half_srl(bits, 16));
}
static inline void pair_i16(const void *p, vl i, int64_t count, vd *a, vd *b) {
    (void)count;
    v_half bits = v_half_gather_halves(p, i);
    *a = vd_of_i32(v_half_sra(v_half_sll(bits, 16), 16));
    *b = vd_of_i32(v_half_sra(bits, 16));
}
#define DEFINE_PAIR(s)                                                                             \
    static inline void pair_##s(const void *p, vl i, int64_t count, vd *a, vd *b) {                \
        (void)count;                                                                               \
        v_half first, second;                                                                      \
        v_half_gather_pair(p, i, &first, &second);                                                 \
        *a = vd_of_##s(first);                                                                     \
        *b = vd_of_##s(second);                                                                    \
    }
DEFINE_PAIR(i32)
DEFINE_PAIR(u32)
DEFINE_PAIR(f32)
static inline void pair_f64(const void *p, vl i, int64_t count, vd *a, vd *b) {
    (void)count;
    *a = vd_gather(p, i);
    *b = vd_gather((const double *)p + 1, i);
}

static inline vd between(vd a, vd b, vd lower, vd upper) {
    return vd_fma(b, upper, vd_mul(a, lower));
}

#define DEFINE_SAMPLE(D, T, s)                                                                     \
    static vd linear_##s(const le__at *at, const located *l) {                                     \
        const int64_t row = at->stride[1], plane = at->stride[0];                                  \
        const int64_t count = (at->n[0] - 1) * plane + (at->n[1] - 1) * row + at->n[2];            \
        vd lower[3], a, b, side[2], edge[2];                                                       \
        for (int k = 0; k < 3; k++)                                                                \
            lower[k] = vd_sub(vd_set(1.0), l->weight[k]);                                          \
        for (int i = 0; i < 2; i++) {                                                              \
            for (int j = 0; j < 2; j++) {                                                          \
                pair_##s(at->values, vl_add(l->offset, vl_set(i *plane + j * row)), count, &a,     \
                         &b);                                                                      \
                edge[j] = between(a, b, lower[2], l->weight[2]);                                   \
            }                                                                                      \
            side[i] = between(edge[0], edge[1], lower[1], l->weight[1]);                           \
        }                                                                                          \
        return between(side[0], side[1], lower[0], l->weight[0]);                                  \
    }                                                                                              \
    static vd nearest_##s(const le__at *at, const located *l) {                                    \
        int64_t offset[VD];                                                                        \
        double lanes[VD];                                                                          \
        vl_store(offset, l->offset);                                                               \
        for (int i = 0; i < VD; i++)                                                               \
            lanes[i] = (double)((const T *)at->values)[offset[i]];                                 \
        return vd_load(lanes);                                                                     \
    }
LE__DTYPE_LIST(DEFINE_SAMPLE)

static vd sample(const le__at *at, const located *l) {
    return at->nearest ? LE__FOR_DTYPE(nearest, at->values_dtype)(at, l)
                       : LE__FOR_DTYPE(linear, at->values_dtype)(at, l);
}

/* The coordinates of count points; lanes past them repeat the last one. */
static void load_points(const le__at *at, int64_t first, int64_t count, vd x[3]) {
    const bool dense = at->point_stride[0] == 3 && at->point_stride[1] == 1 && count == VD;
    if (dense && at->points_dtype == LE_F32) {
        for (int a = 0; a < 3; a++)
            x[a] = vd_every_third_f32((const float *)at->points + 3 * first + a);
        return;
    }
    const double *p = at->points;
    double part[3 * VD];
    if (dense) {
        p += 3 * first;
    } else {
        for (int64_t i = 0; i < VD; i++)
            for (int a = 0; a < 3; a++)
                part[3 * i + a] =
                    le__at_coordinate(at, first + (i < count ? i : count - 1), a);
        p = part;
    }
    for (int a = 0; a < 3; a++)
        x[a] = vd_every_third(p + a);
}

static void store_result(const le__at *at, int64_t first, int64_t count, vd v) {
    if (count == VD && at->out_stride == 1) {
        if (at->out_dtype == LE_F64)
            vd_store((double *)at->out + first, v);
        else
            vd_store_f32((float *)at->out + first, v);
        return;
    }
    double lanes[VD];
    vd_store(lanes, v);
    for (int64_t i = 0; i < count; i++)
        le__store(at->out, at->out_dtype, (first + i) * at->out_stride, lanes[i]);
}

/* The corners' cache lines on their way while other points are located. */
static void fetch_ahead(const le__at *at, const located *l) {
    const int64_t size = (int64_t)le_dtype_size(at->values_dtype);
    const int64_t row = at->stride[1] * size, plane = at->stride[0] * size;
    int64_t offset[VD];
    vl_store(offset, l->offset);
    for (int i = 0; i < VD; i++) {
        const char *p = (const char *)at->values + offset[i] * size;
        _mm_prefetch(p, _MM_HINT_T0);
        if (at->nearest)
            continue;
        _mm_prefetch(p + row, _MM_HINT_T0);
        _mm_prefetch(p + plane, _MM_HINT_T0);
        _mm_prefetch(p + plane + row, _MM_HINT_T0);
    }
}

static void run_points(const le__at_search *s, int64_t first, int64_t count) {
    const le__at *at = &s->at;
    located l[LE__AT_BLOCK / VD];
    for (int64_t i = 0; i < count; i += VD) {
        vd x[3];
        load_points(at, first + i, count - i < VD ? count - i : VD, x);
        locate(s, x, &l[i / VD]);
        fetch_ahead(at, &l[i / VD]);
    }
    for (int64_t i = 0; i < count; i += VD) {
        const located *k = &l[i / VD];
        store_result(at, first + i, count - i < VD ? count - i : VD,
                     vd_select(k->inside, sample(at, k), k->outside));
    }
}

/* A range function over the blocks of a le__at_search. */
static void range(void *search, size_t begin, size_t end, int worker) {
    (void)worker;
    const le__at_search *s = search;
    for (size_t block = begin; block < end; block++) {
        int64_t first = (int64_t)block * LE__AT_BLOCK, rest = s->at.count - first;
        run_points(s, first, rest < LE__AT_BLOCK ? rest : LE__AT_BLOCK);
    }
}
