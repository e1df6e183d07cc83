/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate_at` in scalar C: a table of starting cells replaces most of the binary search; one
 * gathering loop for each dtype of the values.
 */
#include <math.h>

#include "volume/interpolate_at/at.h"
#include "volume/load.h"

extern const le_implementation le_implementation_interpolate_at__c;

enum { BLOCK_POINTS = 256 };

/* first[b] is the cell of the left end of bucket b; a point's cell is that or a later one */
typedef struct buckets {
    int32_t *first;
    int64_t count;
    double scale;
} buckets;

typedef struct context {
    le__at at;
    buckets buckets[3];
} context;

typedef struct block {
    int64_t cell[BLOCK_POINTS];   /* offset of corner [0,0,0] in the values */
    double weight[3][BLOCK_POINTS];
    double outside[BLOCK_POINTS]; /* the result of points that are not inside */
    bool inside[BLOCK_POINTS];
    double value[BLOCK_POINTS];
} block;

static bool make_buckets(le_call *call, buckets *b, const double *axis, int64_t n)
{
    b->count = 2 * n;
    b->first = le_call_scratch(call, (size_t)b->count * sizeof *b->first);
    b->scale = (double)b->count / (axis[n - 1] - axis[0]);
    if (!b->first)
        return false;
    /* one bucket early, so that rounding of the bucket's number can only start the search early */
    int64_t cell = 0;
    for (int64_t i = 0; i < b->count; i++) {
        while (cell < n - 2 && (axis[cell + 1] - axis[0]) * b->scale < (double)i - 1.0)
            cell++;
        b->first[i] = (int32_t)cell;
    }
    return true;
}

static int64_t cell_of(const buckets *b, const double *axis, int64_t n, double x)
{
    int64_t i = (int64_t)((x - axis[0]) * b->scale);
    int64_t cell = b->first[i < b->count ? i : b->count - 1];
    while (cell < n - 2 && axis[cell + 1] <= x)
        cell++;
    return cell;
}

static void locate(const context *x, int64_t point, block *k, int64_t slot)
{
    const le__at *at = &x->at;
    int64_t offset = 0;
    k->inside[slot] = false;
    k->outside[slot] = at->fill;
    bool nan = false, out = false;
    for (int a = 0; a < 3; a++) {
        double p = le__load(at->points, at->points_dtype, 3 * point + a);
        const double *axis = at->axis[a];
        nan = nan || isnan(p);
        out = out || !(p >= axis[0] && p <= axis[at->n[a] - 1]);
        if (out)
            continue;
        int64_t cell = cell_of(&x->buckets[a], axis, at->n[a], p);
        double w = (p - axis[cell]) / (axis[cell + 1] - axis[cell]);
        k->weight[a][slot] = at->nearest ? 0.0 : w;
        cell += at->nearest && !(w <= 0.5);
        offset = offset * at->n[a] + cell;
    }
    if (nan)
        k->outside[slot] = NAN;
    k->inside[slot] = !out;
    k->cell[slot] = offset;
}

#define DEFINE_GATHER(D, T, s)                                                                     \
    static void gather_##s(const le__at *at, block *k, int64_t count)                              \
    {                                                                                              \
        int64_t row = at->n[2], plane = at->n[1] * row;                                            \
        for (int64_t i = 0; i < count; i++) {                                                      \
            k->value[i] = k->outside[i];                                                           \
            if (!k->inside[i])                                                                     \
                continue;                                                                          \
            const T *p = (const T *)at->values + k->cell[i];                                       \
            if (at->nearest) {                                                                     \
                k->value[i] = (double)p[0];                                                        \
                continue;                                                                          \
            }                                                                                      \
            const T *q = p + plane;                                                                \
            double u = k->weight[0][i], v = k->weight[1][i], w = k->weight[2][i];                  \
            double p0 = (double)p[0] * (1.0 - w) + (double)p[1] * w;                               \
            double p1 = (double)p[row] * (1.0 - w) + (double)p[row + 1] * w;                       \
            double q0 = (double)q[0] * (1.0 - w) + (double)q[1] * w;                               \
            double q1 = (double)q[row] * (1.0 - w) + (double)q[row + 1] * w;                       \
            k->value[i] = (p0 * (1.0 - v) + p1 * v) * (1.0 - u) + (q0 * (1.0 - v) + q1 * v) * u;   \
        }                                                                                          \
    }
LE__DTYPE_LIST(DEFINE_GATHER)
#undef DEFINE_GATHER

static void gather(const le__at *at, block *k, int64_t count)
{
    switch (at->values_dtype) {
#define X(D, T, s)                                                                                 \
    case D:                                                                                        \
        gather_##s(at, k, count);                                                                  \
        break;
        LE__DTYPE_LIST(X)
#undef X
    }
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    (void)worker;
    const context *x = data;
    const le__at *at = &x->at;
    block k;
    for (size_t b = begin; b < end; b++) {
        int64_t first = (int64_t)b * BLOCK_POINTS;
        int64_t count = at->count - first < BLOCK_POINTS ? at->count - first : BLOCK_POINTS;
        for (int64_t i = 0; i < count; i++)
            locate(x, first + i, &k, i);
        gather(at, &k, count);
        for (int64_t i = 0; i < count; i++)
            le__store(at->out, at->out_dtype, (first + i) * at->out_stride, k.value[i]);
    }
}

static le_status run(le_call *call)
{
    context x;
    le_status status = le__at_of_call(&x.at, call);
    if (status != LE_OK)
        return status;
    for (int a = 0; a < 3; a++)
        if (!make_buckets(call, &x.buckets[a], x.at.axis[a], x.at.n[a]))
            return le_fail(LE_ERR_MEMORY, "interpolate_at: no memory for the table of axis%d", a);
    le_parallel_for(call, (size_t)((x.at.count + BLOCK_POINTS - 1) / BLOCK_POINTS), range, &x);
    return LE_OK;
}

const le_implementation le_implementation_interpolate_at__c = {
    .abi = LE_METHOD_ABI,
    .operation = "interpolate_at",
    .name = "c",
    .run_type = "c",
    .summary = "scalar C with a table of starting cells",
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1.0,
    .run = run,
};
