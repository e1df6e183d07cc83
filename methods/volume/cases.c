/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Data of the sample calls by which implementations are tested and timed.
 */
#include "volume/cases.h"

#include <math.h>

enum { WAVES = 6 };

typedef struct wave {
    double k[3], phase, height;
} wave;

const double le__case_rotations[18] = {
    0.6486378276799026,   -0.5740030492529115, 0.4997894236086401,
    0.6821144868898644,   0.7297214059076174,  -0.047185766235033094,
    -0.33762226715321053, 0.37152007914589225, 0.8648607029538087,
    0.6216099682706644,   0.0,                 0.7833269096274834,
    0.0,                  1.0,                 0.0,
    -0.7833269096274834,  0.0,                 0.6216099682706644};

static void make_waves(le_case *c, wave *waves)
{
    for (int w = 0; w < WAVES; w++) {
        for (int a = 0; a < 3; a++)
            waves[w].k[a] = (2.0 * le_case_uniform(c) - 1.0) * (w < 3 ? 0.15 : 0.8);
        waves[w].phase = 6.28318 * le_case_uniform(c);
        waves[w].height = w < 3 ? 4.0 : 0.6;
    }
}

static double field(const wave *waves, const double at[3])
{
    double sum = 0.0;
    for (int w = 0; w < WAVES; w++)
        sum += waves[w].height *
               sin(waves[w].k[0] * at[0] + waves[w].k[1] * at[1] + waves[w].k[2] * at[2] +
                   waves[w].phase);
    return sum;
}

/* ln(value) in -12..12 to the range of the dtype */
static double scale_to(le_dtype dtype, double s)
{
    switch (dtype) {
    case LE_U8:
        return exp(s * 0.25 + 2.5);
    case LE_I16:
    case LE_U16:
        return exp(s * 0.45 + 4.5);
    case LE_I32:
    case LE_U32:
        return exp(s * 0.8 + 9.0);
    default:
        return exp(s);
    }
}

static double noise(le_case *c, le_dtype dtype)
{
    double u = 2.0 * le_case_uniform(c) - 1.0;
    switch (dtype) {
    case LE_U8:
        return 51.0 + 50.0 * u;
    case LE_U16:
    case LE_U32:
        return 1001.0 + 1e3 * u;
    case LE_I16:
    case LE_I32:
        return 1e3 * u;
    default:
        return 100.0 * u;
    }
}

static double odd_value(le_case *c, le_dtype dtype, double value)
{
    bool real = dtype == LE_F32 || dtype == LE_F64;
    double u = le_case_uniform(c);
    if (u < 0.05)
        return 0.0;
    if (u < 0.10)
        return -value;
    if (u < 0.12 && real)
        return 1e-41;
    return value;
}

bool le__case_is_on_voxels(const le_case_request *request)
{
    return request->index > 0 && request->index % 7 % 4 == 0;
}

void le__case_strew_nan(le_case *c, le_tensor *t, double share)
{
    int64_t count = le_tensor_count(t);
    for (int64_t i = 0; i < count && (t->dtype == LE_F32 || t->dtype == LE_F64); i++)
        if (le_case_uniform(c) < share)
            le_tensor_set(t, i, NAN);
}

void le__case_fill(le_case *c, le_tensor *t, le__filling filling)
{
    wave waves[WAVES];
    make_waves(c, waves);
    const int64_t *n = t->shape;
    int64_t n2 = t->ndim > 2 ? n[2] : 1, n1 = t->ndim > 1 ? n[1] : 1, count = le_tensor_count(t);
    for (int64_t i = 0; i < count; i++) {
        double at[3] = {(double)(i / (n1 * n2)), (double)(i / n2 % n1), (double)(i % n2)};
        double value = scale_to(t->dtype, field(waves, at));
        if (filling == LE__FILL_HEAD) {
            double r2 = 0.0;
            for (int a = 0; a < 3 && a < t->ndim; a++)
                r2 += pow(2.0 * at[a] / (double)n[a] - 1.0, 2.0);
            value = r2 < 0.5 ? value : 0.0;
        } else if (filling == LE__FILL_ODD) {
            value = odd_value(c, t->dtype, value);
        } else if (filling == LE__FILL_NOISE) {
            value = noise(c, t->dtype);
        }
        le_tensor_set(t, i, value);
    }
}

int64_t le__case_size_inside(const int64_t shape[3])
{
    int64_t least = shape[1] < shape[2] ? shape[1] : shape[2];
    int64_t size = (int64_t)((double)least * 0.7071);
    if (size > shape[0])
        size = shape[0];
    return size > 1 ? size : 1;
}

void le__case_cameras(le_case *c, const le_case_request *request, le_tensor *volume,
                      const int64_t whole[3])
{
    bool fill = request->index % 4 == 3, any = request->index % 5 == 4;
    bool on_voxels = le__case_is_on_voxels(request);
    int64_t size = on_voxels ? whole[1] : le__case_size_inside(whole);
    if (!on_voxels && (fill || any))
        size = 1 + (int64_t)(le_case_uniform(c) * 40.0);
    double angles[3] = {0.0, on_voxels ? 45.0 : 360.0 * le_case_uniform(c), 90.0};
    if (any || on_voxels)
        le__case_strew_nan(c, volume, on_voxels ? 0.02 : 0.001);
    if (any)
        le_case_f64s(c, "rotation", le__case_rotations, request->index % 2 ? 9 : 18);
    else
        le_case_f64s(c, "angles", angles + request->index % 2, 1 + (size_t)(request->index % 3 > 0));
    if (fill || any || on_voxels)
        le_case_f64(c, "outside", request->index % 2 ? 0.0 : 20.0);
    le_case_i64(c, "size", size);
}
