/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate_at` in scalar C: a table of starting cells replaces most of the binary search; one
 * gathering loop for each dtype of the values.
 */
#include <math.h>

#include "volume/interpolate_at/at.h"
#include "volume/trilinear.h"

typedef struct block {
    int64_t cell[LE__AT_BLOCK];   /* offset of corner [0,0,0] in the values */
    double weight[LE__AT_BLOCK][3];
    double outside[LE__AT_BLOCK]; /* the result of points that are not inside */
    bool inside[LE__AT_BLOCK];
    double value[LE__AT_BLOCK];
} block;

static void locate(const le__at_search *x, int64_t point, block *k, int64_t slot)
{
    const le__at *at = &x->at;
    int64_t offset = 0;
    k->inside[slot] = false;
    k->outside[slot] = at->fill;
    bool nan = false, out = false;
    for (int a = 0; a < 3; a++) {
        double p = le__at_coordinate(at, point, a);
        const double *axis = at->axis[a];
        nan = nan || isnan(p);
        out = out || !(p >= axis[0] && p <= axis[at->n[a] - 1]);
        if (out)
            continue;
        int64_t cell = le__at_find(&x->parts[a], p);
        double w = (p - axis[cell]) / (axis[cell + 1] - axis[cell]);
        k->weight[slot][a] = at->nearest ? 0.0 : w;
        cell += at->nearest && !(w <= 0.5);
        offset += cell * at->stride[a];
    }
    if (nan)
        k->outside[slot] = NAN;
    k->inside[slot] = !out;
    k->cell[slot] = offset;
}

#define DEFINE_GATHER(D, T, s)                                                                     \
    static void gather_##s(const le__at *at, block *k, int64_t count)                              \
    {                                                                                              \
        const int64_t *stride = at->stride;                                                        \
        for (int64_t i = 0; i < count; i++) {                                                      \
            k->value[i] = k->outside[i];                                                           \
            if (!k->inside[i])                                                                     \
                continue;                                                                          \
            if (at->nearest) {                                                                     \
                k->value[i] = (double)((const T *)at->values)[k->cell[i]];                         \
                continue;                                                                          \
            }                                                                                      \
            k->value[i] = le__trilinear_##s(at->values, k->cell[i], stride[0], stride[1],          \
                                            stride[2], k->weight[i]);                              \
        }                                                                                          \
    }
LE__DTYPE_LIST(DEFINE_GATHER)
#undef DEFINE_GATHER

static void range(void *data, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le__at_search *x = data;
    const le__at *at = &x->at;
    block k;
    for (size_t b = begin; b < end; b++) {
        int64_t first = (int64_t)b * LE__AT_BLOCK;
        int64_t count = at->count - first < LE__AT_BLOCK ? at->count - first : LE__AT_BLOCK;
        for (int64_t i = 0; i < count; i++)
            locate(x, first + i, &k, i);
        LE__FOR_DTYPE(gather, at->values_dtype)(at, &k, count);
        for (int64_t i = 0; i < count; i++)
            le__store(at->out, at->out_dtype, (first + i) * at->out_stride, k.value[i]);
    }
}

static le_status run(le_call *call)
{
    le__at_search x;
    le_status status = le__at_search_of_call(&x, call);
    return status == LE_OK ? le_parallel_for(call, x.blocks, range, &x) : status;
}

LE_IMPLEMENTATION(interpolate_at, c, .run_type = "c",
                  .summary = "scalar C with a table of starting cells",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .run = run);
