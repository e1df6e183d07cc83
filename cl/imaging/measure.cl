/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sums over the pixels of labels. Pieces, runs of one label of at most PIECE pixels, are listed by label;
 * a work-group adds up those of its label. The order of a list is by chance: extrema go by value and
 * place, and sums have twice the digits, so that it does not matter.
 *
 * -DT= type of the image, -DL= of the labels, -DGROUP=
 */
#include "imaging/double_double.clh"
#include "imaging/scan.clh"

enum { PIECE = 32 };

typedef struct shape {
    int n, rows, cols;
    int first, end; /* labels from first to end, exclusively, are measured; first is 0 or 1 */
} shape;

static inline bool is_measured(L label, shape s)
{
    return (long)label >= s.first && (long)label < s.end;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
largest_label(__global const L *labels, int n, __global uint *largest)
{
    __local uint here;
    uint most = 0;
    if (get_local_id(0) == 0)
        here = 0;
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        most = labels[i] > 0 ? max(most, (uint)labels[i]) : most;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (most)
        atomic_max(&here, most);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && here)
        atomic_max(largest, here);
}

/* --- lists --- */

static inline bool begins_piece(__global const L *labels, int i, shape s)
{
    const int x = i % s.cols;
    return is_measured(labels[i], s) && (x % PIECE == 0 || labels[i - 1] != labels[i]);
}

/* lists[label]: how many pieces it has */
__kernel void count_pieces(__global const L *labels, __global int *lists, shape s)
{
    const size_t at = get_global_id(0);
    if (at < (size_t)s.n && begins_piece(labels, (int)at, s))
        atomic_inc(lists + labels[at]);
}

/* Where each list begins; by one work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
begin_lists(__global int *lists, shape s)
{
    __local int space[GROUP];
    scan_all(lists, s.end, space);
}

/* lists[label] moves on to the end of the list, where the next one begins. */
__kernel void list_pieces(__global const L *labels, __global int *lists, __global int *pieces,
                          shape s)
{
    const size_t at = get_global_id(0);
    if (at < (size_t)s.n && begins_piece(labels, (int)at, s))
        pieces[atomic_inc(lists + labels[at])] = (int)at;
}

/* --- sums --- */

/* facts of measure_opencl.c */
typedef struct facts {
    double origin, total, squares, moment[3], second[3], minimum, maximum; /* squares: about the mean */
    int area, nan, origin_at, minimum_at, maximum_at;
    int begin[3], end[3], unused;
} facts;

/* What is known before sums: extrema, box. */
typedef struct reach {
    double minimum, maximum;
    int area, nan, first, minimum_at, maximum_at;
    int begin[3], end[3];
} reach;

static inline void reach_add(reach *a, const reach *b)
{
    const bool less = b->minimum < a->minimum ||
                      (b->minimum == a->minimum && b->minimum_at < a->minimum_at);
    const bool more = b->maximum > a->maximum ||
                      (b->maximum == a->maximum && b->maximum_at < a->maximum_at);
    if (less) {
        a->minimum = b->minimum;
        a->minimum_at = b->minimum_at;
    }
    if (more) {
        a->maximum = b->maximum;
        a->maximum_at = b->maximum_at;
    }
    a->area += b->area;
    a->nan |= b->nan;
    a->first = min(a->first, b->first);
    for (int d = 0; d < 3; d++) {
        a->begin[d] = min(a->begin[d], b->begin[d]);
        a->end[d] = max(a->end[d], b->end[d]);
    }
}

static inline void places(int at, shape s, int out[3])
{
    const int line = at / s.cols;
    out[0] = line / s.rows;
    out[1] = line % s.rows;
    out[2] = at % s.cols;
}

/* Pixels of the piece that begins there. */
static inline int length_of(__global const L *labels, int at, shape s)
{
    const int x = at % s.cols, most = min(PIECE - x % PIECE, s.cols - x);
    int n = 1;
    while (n < most && labels[at + n] == labels[at])
        n++;
    return n;
}

static inline reach reach_of(__global const T *image, int at, int n, shape s)
{
    reach r = {INFINITY, -INFINITY, n, 0, at, at, at, {0, 0, 0}, {0, 0, 0}};
    places(at, s, r.begin);
    for (int d = 0; d < 3; d++)
        r.end[d] = r.begin[d] + (d == 2 ? n : 1);
    for (int i = 0; i < n; i++) {
        const double v = (double)image[at + i];
        if (v < r.minimum) {
            r.minimum = v;
            r.minimum_at = at + i;
        }
        if (v > r.maximum) {
            r.maximum = v;
            r.maximum_at = at + i;
        }
        r.nan |= isnan(v) != 0;
    }
    return r;
}

/* Of x - origin, its square; x times places, counted from the origin's; second moments. */
enum { SUM, SQUARES, MOMENT, SECOND = MOMENT + 3, SUMS = SECOND + 3 };

typedef struct sums {
    dd of[SUMS];
} sums;

/* What pixels are multiplied by, so that no sum is beyond doubles and of large numbers nothing is lost. */
static inline double scale_of(const reach *r)
{
    const double largest = fmax(fabs(r->minimum), fabs(r->maximum));
    return isfinite(largest) && isinf(largest * r->area) ? 0x1p-64 : 1;
}

static inline void sums_of(__global const T *image, int at, int n, shape s, double scale, double origin,
                           const int from[3], sums *to)
{
    int place[3];
    places(at, s, place);
    const double z = place[0] - from[0], y = place[1] - from[1];
    for (int i = 0; i < n; i++) {
        const double v = (double)image[at + i] * scale, x = place[2] + i - from[2];
        const dd by = dd_sum(v, -origin), vy = dd_product(v, y), vx = dd_product(v, x);
        to->of[SUM] = dd_add(to->of[SUM], by);
        to->of[SQUARES] = dd_add(to->of[SQUARES], dd_multiply(by, by));
        to->of[MOMENT] = dd_add(to->of[MOMENT], dd_product(v, z));
        to->of[MOMENT + 1] = dd_add(to->of[MOMENT + 1], vy);
        to->of[MOMENT + 2] = dd_add(to->of[MOMENT + 2], vx);
        to->of[SECOND] = dd_add(to->of[SECOND], dd_multiply(vy, dd_of(y, 0)));
        to->of[SECOND + 1] = dd_add(to->of[SECOND + 1], dd_multiply(vy, dd_of(x, 0)));
        to->of[SECOND + 2] = dd_add(to->of[SECOND + 2], dd_multiply(vx, dd_of(x, 0)));
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
measure(__global const T *image, __global const L *labels, __global const int *lists,
        __global const int *pieces, __global facts *out, shape s)
{
    __local reach reaches[GROUP];
    __local sums space[GROUP];
    const int label = get_group_id(0), lid = get_local_id(0);
    const int begin = label > 0 ? lists[label - 1] : 0, end = lists[label];
    if (begin == end) {
        if (lid == 0)
            out[label].area = 0;
        return;
    }
    reach r = {INFINITY, -INFINITY, 0, 0, INT_MAX, INT_MAX, INT_MAX,
               {INT_MAX, INT_MAX, INT_MAX}, {0, 0, 0}};
    for (int k = begin + lid; k < end; k += GROUP) {
        const reach piece = reach_of(image, pieces[k], length_of(labels, pieces[k], s), s);
        reach_add(&r, &piece);
    }
    reaches[lid] = r;
    for (int half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_group) {
            r = reaches[lid];
            const reach other = reaches[lid + half_group];
            reach_add(&r, &other);
            reaches[lid] = r;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    r = reaches[0];
    const double scale = scale_of(&r), origin = (double)image[r.first] * scale;
    int from[3];
    places(r.first, s, from);
    sums all = {{{0, 0}}};
    for (int k = begin + lid; k < end; k += GROUP)
        sums_of(image, pieces[k], length_of(labels, pieces[k], s), s, scale, origin, from, &all);
    space[lid] = all;
    for (int half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_group)
            for (int k = 0; k < SUMS; k++)
                space[lid].of[k] = dd_add(space[lid].of[k], space[lid + half_group].of[k]);
    }
    if (lid != 0)
        return;
    __global facts *f = out + label;
    f->origin = origin / scale;
    f->total = dd_add(dd_product(origin, r.area), space[0].of[SUM]).hi / scale;
    const dd mean_part = dd_multiply(dd_divide(space[0].of[SUM], r.area), space[0].of[SUM]);
    f->squares = dd_add(space[0].of[SQUARES], dd_of(-mean_part.hi, -mean_part.lo)).hi;
    f->minimum = r.minimum;
    f->maximum = r.maximum;
    f->area = r.area;
    f->nan = r.nan;
    f->origin_at = r.first;
    f->minimum_at = r.minimum_at;
    f->maximum_at = r.maximum_at;
    for (int d = 0; d < 3; d++) {
        f->moment[d] = space[0].of[MOMENT + d].hi / scale;
        f->second[d] = space[0].of[SECOND + d].hi / scale;
        f->begin[d] = r.begin[d];
        f->end[d] = r.end[d];
    }
}
