/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rotations, sample coordinates and the check that a camera stays inside its volume.
 */
#include "volume/camera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void rotation_about_axis0(double degrees, double r[9])
{
    double t = degrees * (PI / 180.0);
    double c = cos(t), s = sin(t);
    const double m[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    memcpy(r, m, sizeof m);
}

/* camera coordinate i is -n/2 + i*pitch */
static double camera_pitch(int64_t n)
{
    return n > 1 ? (double)n / (double)(n - 1) : 0.0;
}

static void set_steps(le__view *v, const int64_t shape[3], int64_t size)
{
    static const int axis_of[3] = {1, 0, 2}; /* iy runs along camera y, ix along x, iz along z */
    double pitch = camera_pitch(size), first = -0.5 * (double)size;
    for (int a = 0; a < 3; a++) {
        double n = (double)shape[a], scale = (n - 1.0) / n;
        double corner = 0.0;
        for (int k = 0; k < 3; k++) {
            v->step[k][a] = v->rotation[3 * a + axis_of[k]] * pitch * scale;
            corner += v->rotation[3 * a + k] * first;
        }
        v->origin[a] = (corner + 0.5 * n) * scale;
    }
}

/* ... and as it does in the first view: one row of samples is one plane of the volume in all. Not
 * by the steps, of which a camera of one sample has none. */
static bool only_ix_moves_axis0(const le__view *v, const le__view *first)
{
    const double *r = v->rotation;
    return r[1] == 0.0 && r[2] == 0.0 && r[3] == 0.0 && r[6] == 0.0 && r[0] == first->rotation[0] &&
           v->origin[0] == first->origin[0];
}

static le_status check_corners(const le__camera *c, size_t view, const char *who)
{
    const le__view *v = &c->views[view];
    int64_t last = c->size - 1;
    for (int corner = 0; corner < 8; corner++) {
        int64_t iy = corner & 1 ? last : 0, ix = corner & 2 ? last : 0, iz = corner & 4 ? last : 0;
        for (int a = 0; a < 3; a++) {
            double index = le__view_index(v, a, iy, ix, iz);
            if (le__index_inside(index, c->shape[a]))
                continue;
            double n = (double)c->shape[a];
            return le_fail(LE_ERR_DATA,
                           "%s: view %zu: the camera's corner [%lld,%lld,%lld] lies at %.6g on axis "
                           "%d, outside the volume's %.6g to %.6g; expected a smaller size or "
                           "outside=NUMBER",
                           who, view, (long long)iy, (long long)ix, (long long)iz,
                           index * n / (n - 1.0) - 0.5 * n, a, -0.5 * n, 0.5 * n);
        }
    }
    return LE_OK;
}

static le_status read_volume_and_size(le__camera *c, const le_call *call,
                                      const le__camera_args *args)
{
    const le_tensor *t = le_call_in(call, args->volume);
    size_t count;
    const double *whole = args->whole ? le_call_f64s(call, args->whole, &count) : NULL;
    for (int a = 0; a < 3; a++) {
        c->shape[a] = whole ? (int64_t)whole[a] : t->shape[a];
        if (c->shape[a] < 2 || t->shape[a] < 2)
            return le_fail(LE_ERR_SHAPE,
                           "%s: volume has %lld samples on axis %d, expected 2 or more",
                           args->operation, (long long)t->shape[a], a);
    }
    c->size = le_call_i64(call, args->size);
    c->has_fill = le_call_str(call, args->outside) == NULL;
    c->fill = c->has_fill ? le_call_f64(call, args->outside) : 0.0;
    return LE_OK;
}

static le_status set_view(le__camera *c, size_t view, const char *who)
{
    le__view *v = &c->views[view];
    for (int k = 0; k < 9; k++)
        if (!isfinite(v->rotation[k]))
            return le_fail(LE_ERR_ARGUMENT, "%s: view %zu: the rotation is not finite", who, view);
    set_steps(v, c->shape, c->size);
    c->axis0 = c->axis0 && only_ix_moves_axis0(v, &c->views[0]);
    return c->has_fill ? LE_OK : check_corners(c, view, who);
}

/* the numbers that describe the views: angles, or 9 for each view */
static le_status view_numbers(const le_call *call, const le__camera_args *args, const double **out,
                              size_t *count, double *angle)
{
    bool matrices = le_call_given(call, args->rotation);
    bool angles = le_call_given(call, args->angles);
    if (matrices && angles)
        return le_fail(LE_ERR_ARGUMENT, "%s: both an angle and a rotation, expected one of them",
                       args->operation);
    *count = 1;
    *out = angle;
    if (matrices) {
        *out = le_call_f64s(call, args->rotation, count);
        if (*count == 0 || *count % 9 != 0)
            return le_fail(LE_ERR_ARGUMENT, "%s: rotation has %zu numbers, expected 9 for each view",
                           args->operation, *count);
    } else if (angles && args->one_angle) {
        *angle = le_call_f64(call, args->angles);
    } else if (angles) {
        *out = le_call_f64s(call, args->angles, count);
        if (*count == 0)
            return le_fail(LE_ERR_ARGUMENT, "%s: no angles, expected 1 or more", args->operation);
    }
    return LE_OK;
}

le_status le__camera_of_call(le__camera **out, const le_call *call, const le__camera_args *args)
{
    const double *numbers = NULL;
    double angle = 0.0;
    size_t count;
    le_status status = view_numbers(call, args, &numbers, &count, &angle);
    if (status != LE_OK)
        return status;
    bool matrices = le_call_given(call, args->rotation);
    size_t n_views = matrices ? count / 9 : count;
    le__camera *c = malloc(sizeof *c + n_views * sizeof c->views[0]);
    if (!c)
        return le_fail(LE_ERR_MEMORY, "%s: no memory for %zu views", args->operation, n_views);
    c->n_views = n_views;
    c->axis0 = true;
    status = read_volume_and_size(c, call, args);
    for (size_t i = 0; status == LE_OK && i < n_views; i++) {
        if (matrices)
            memcpy(c->views[i].rotation, numbers + 9 * i, sizeof c->views[i].rotation);
        else
            rotation_about_axis0(numbers[i], c->views[i].rotation);
        status = set_view(c, i, args->operation);
    }
    if (status != LE_OK) {
        free(c);
        return status;
    }
    *out = c;
    return LE_OK;
}

static bool depth_inside(const le__camera *c, const le__view *v, int axis, int64_t iy, int64_t ix,
                         int64_t iz)
{
    for (int a = axis; a < 3; a++)
        if (!le__index_inside(le__view_position(v, a, iy, ix, iz), c->shape[a]))
            return false;
    return true;
}

void le__view_ray(const le__camera *c, const le__view *v, int axis, int64_t ix, int64_t iz,
                  int64_t *begin, int64_t *end)
{
    double lo = 0.0, hi = (double)c->size;
    for (int a = axis; a < 3; a++) {
        double at = le__view_position(v, a, 0, ix, iz), step = v->step[0][a];
        if (step == 0.0)
            continue;
        /* the same edges as le__index_inside: a ray along a face takes a step of 1e-17 */
        double near_edge = (-LE__EDGE_VOXELS - at) / step;
        double far_edge = ((double)(c->shape[a] - 1) + LE__EDGE_VOXELS - at) / step;
        lo = fmax(lo, floor(fmin(near_edge, far_edge)) - 1.0);
        hi = fmin(hi, ceil(fmax(near_edge, far_edge)) + 2.0);
    }
    *begin = *end = 0;
    if (!(lo < hi))
        return;
    int64_t first = (int64_t)lo, last = (int64_t)hi;
    while (first < last && !depth_inside(c, v, axis, first, ix, iz))
        first++;
    while (last > first && !depth_inside(c, v, axis, last - 1, ix, iz))
        last--;
    *begin = first;
    *end = last;
}
