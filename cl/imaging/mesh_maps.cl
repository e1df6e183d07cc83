/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From the values of cells to maps: each cell's median with its neighbours, then straight lines between the
 * centers of cells, with the operations of methods/imaging/background.h.
 *
 * -DB= -DN= types of the maps of background and noise; -DGROUP=
 */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "imaging/mesh.clh"

typedef struct window {
    int top, left, bottom, right; /* the last ones are not of it */
} window;

/* The number with `rank` smaller ones. Private arrays of a window would be spilled. */
static double ranked(__global const double *values, int across, window w, int rank)
{
    for (int y = w.top; y < w.bottom; y++)
        for (int x = w.left; x < w.right; x++) {
            const double v = values[y * across + x];
            int less = 0, equal = 0;
            for (int i = w.top; i < w.bottom; i++)
                for (int k = w.left; k < w.right; k++) {
                    less += values[i * across + k] < v;
                    equal += values[i * across + k] == v;
                }
            if (less <= rank && rank < less + equal)
                return v;
        }
    return NAN;
}

static double median_of(__global const double *values, int across, window w)
{
    const int n = (w.bottom - w.top) * (w.right - w.left);
    const double upper = ranked(values, across, w, n / 2);
    return n % 2 ? upper : (ranked(values, across, w, n / 2 - 1) + upper) / 2;
}

__kernel void filter_cells(mesh m, int filter, __global const double *background,
                           __global const double *noise, __global double *filtered_background,
                           __global double *filtered_noise)
{
    const uint item = get_global_id(0); /* beyond 2^31 in the last work-group */
    if (item >= (uint)(m.down * m.across))
        return;
    const int at = item;
    const int top = at / m.across - filter / 2, left = at % m.across - filter / 2;
    const window w = {max(top, 0), max(left, 0), min(top + filter, m.down), min(left + filter, m.across)};
    filtered_background[at] = median_of(background, m.across, w);
    filtered_noise[at] = median_of(noise, m.across, w);
}

/* Where pixel i lies among the centers of cells. */
static inline double mesh_at(long i, int cells, double scale)
{
    return clamp(((double)i + 0.5) * scale - 0.5, 0.0, (double)(cells - 1));
}

/* The values of four cells around a pixel; t, u: how far it is from the upper and the left ones. */
static inline double between(__global const double *upper, __global const double *lower, int x, int next,
                             double t, double u)
{
    const double left = upper[x] + t * (lower[x] - upper[x]),
                 right = upper[next] + t * (lower[next] - upper[next]);
    return left + u * (right - left);
}

__kernel void write_maps(mesh m, __global const double *background, __global const double *noise,
                         __global B *background_map, __global N *noise_map)
{
    const long groups = (m.cols + GROUP - 1) / GROUP; /* of a row */
    const long row = (long)get_group_id(0) / groups;
    const long col = (long)get_group_id(0) % groups * GROUP + (long)get_local_id(0);
    if (col >= m.cols)
        return;
    const double y = mesh_at(row, m.down, (double)m.down / (double)m.rows),
                 x = mesh_at(col, m.across, (double)m.across / (double)m.cols);
    const int above = max(min((int)y, m.down - 2), 0), left = (int)x;
    const size_t upper = (size_t)above * m.across, lower = m.down > 1 ? upper + m.across : upper;
    const int next = min(left + 1, m.across - 1);
    const double t = y - above, u = x - left;
    const size_t at = (size_t)(row * m.cols + col);
    background_map[at] = (B)between(background + upper, background + lower, left, next, t, u);
    noise_map[at] = (N)between(noise + upper, noise + lower, left, next, t, u);
}
