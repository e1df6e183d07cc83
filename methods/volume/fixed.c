/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of fixed-point camera coordinates.
 */
#include "volume/fixed.h"

#include <math.h>

static int64_t fixed(double value)
{
    return llrint(value * 4294967296.0);
}

le__fixed_options le__fixed_options_of(const le_tensor *volume, int planes, int fraction_bits)
{
    const int64_t *t = volume->strides;
    le__fixed_options options = {.fraction_bits = fraction_bits, .strides = {t[0], t[1], t[2]}};
    if (planes) {
        options.strides[0] = 0;
        options.strides[1] = le__plane_pitch(volume->shape, planes);
        options.strides[2] = planes;
        options.bias[1] = options.bias[2] = 1.0;
    }
    return options;
}

size_t le__fixed_bytes(const le__camera *camera)
{
    size_t columns = (size_t)le__fixed_columns(camera->size);
    return columns * (3 * sizeof(int64_t) + (3 + 3 + 1 + 2) * sizeof(int32_t));
}

static void fill_ranges(le__fixed_view *out, const le__camera *camera, int64_t columns)
{
    for (int64_t iz = 0; iz < columns; iz++) {
        int64_t begin, end, at = iz < camera->size ? iz : camera->size - 1;
        le__view_ray(camera, out->view, 1, 0, at, &begin, &end);
        out->begin[iz] = (int32_t)begin;
        out->end[iz] = (int32_t)end;
    }
}

void le__fixed_make(le__fixed_view *out, const le__camera *camera, size_t view,
                    const le__fixed_options *options, void *memory)
{
    int64_t n = camera->size, columns = le__fixed_columns(n);
    const le__view *v = &camera->views[view];
    int64_t *wide = memory;
    int32_t *at = (int32_t *)(wide + 3 * columns);
    *out = (le__fixed_view){.view = v, .offset = at + 6 * columns};
    for (int64_t iy = 0; iy < columns; iy++)
        out->offset[iy] = 0;
    for (int a = 0; a < 3; a++) {
        out->column[a] = wide + a * columns;
        out->fraction[a] = (uint32_t *)(at + 2 * a * columns);
        out->index[a] = at + (2 * a + 1) * columns;
        for (int64_t i = 0; i < columns; i++) {
            double step = (double)(i < n ? i : n - 1);
            int64_t depth =
                fixed(v->origin[a] + options->bias[a] + step * v->step[0][a]) + LE__FIXED_AHEAD;
            out->column[a][i] = fixed(step * v->step[2][a]);
            out->fraction[a][i] = (uint32_t)depth >> (32 - options->fraction_bits);
            out->index[a][i] = (int32_t)(depth >> 32);
            out->offset[i] += (int32_t)(out->index[a][i] * options->strides[a]);
        }
    }
    if (options->ranges) {
        out->begin = out->offset + columns;
        out->end = out->begin + columns;
        fill_ranges(out, camera, columns);
    }
}

int64_t le__fixed_row(const le__view *view, int axis, int64_t ix)
{
    return fixed((double)ix * view->step[1][axis]);
}
