/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping of many lines of pixels, each by a work-group.
 *
 * The options of group_clip.clh
 */
#include "imaging/group_clip.clh"

typedef struct lines {
    long all, step; /* lines; from pixel to pixel of one */
    int length, unused;
} lines;

static inline void write_statistics(clipped r, __global double *out, size_t step)
{
    const bool none = r.kept.count == 0;
    out[0] = r.kept.count;
    out[step] = r.finite - r.kept.count;
    out[2 * step] = r.iterations;
    out[3 * step] = r.kept.median;
    out[4 * step] = r.kept.mean;
    out[5 * step] = r.kept.std;
    out[6 * step] = r.lower;
    out[7 * step] = r.upper;
    out[8 * step] = none ? NAN : value_of(r.kept.ends.first);
    out[9 * step] = none ? NAN : value_of(r.kept.ends.last);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clip_lines(__global const T *image, lines s, clip about, __global double *statistics, int wants_statistics,
           __global uchar *mask, int wants_mask)
{
    __local space work;
    const long number = get_group_id(0);
    const size_t first = number / s.step * s.step * s.length + number % s.step;
    const bool row = s.step == 1;
    const cell c = {first, (size_t)s.step, row ? s.length : 1, row ? 1 : s.length};
    const clipped r = clip_cell(image, c, about, &work);
    if (wants_statistics && get_local_id(0) == 0)
        write_statistics(r, statistics + number, (size_t)s.all);
    for (int i = get_local_id(0); wants_mask && i < s.length; i += GROUP) {
        const size_t at = first + (size_t)i * s.step;
        const ulong key = key_of(image[at]);
        mask[at] = !(key >= r.kept.ends.first && key <= r.kept.ends.last);
    }
}
