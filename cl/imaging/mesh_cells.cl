/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Background and noise of the cells of a mesh: a work-group clips the pixels of its cell.
 *
 * The options of group_clip.clh but MAD
 */
#define MAD 0
#include "imaging/group_clip.clh"
#include "imaging/mesh.clh"

static inline cell cell_of(mesh m, int at)
{
    const int y = at / m.across, x = at % m.across;
    const long top = cell_begin(y, m.down, m.rows), left = cell_begin(x, m.across, m.cols);
    cell c;
    c.first = (size_t)(top * m.cols + left);
    c.pitch = (size_t)m.cols;
    c.width = (int)(cell_begin(x + 1, m.across, m.cols) - left);
    c.height = (int)(cell_begin(y + 1, m.down, m.rows) - top);
    return c;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clip_cells(__global const T *image, mesh m, clip about, __global double *background, __global double *noise)
{
    __local space work;
    const clipped r = clip_cell(image, cell_of(m, get_group_id(0)), about, &work);
    if (get_local_id(0) == 0) {
        background[get_group_id(0)] = r.kept.median;
        noise[get_group_id(0)] = r.kept.std;
    }
}

/* Cells without a value get the median of all; a work-group a map, of doubles (T). */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fill_gaps(__global T *background, __global T *noise, int n)
{
    __local space work;
    __global T *values = get_group_id(0) ? noise : background;
    const cell all = {0, 0, n, 1};
    const described known = describe(values, all, all_keys(), &work);
    for (int i = get_local_id(0); i < n; i += GROUP)
        if (known.count > 0 && !isfinite((double)values[i]))
            values[i] = (T)known.median;
}
