/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Connected components by union and find: each pixel of the foreground has a parent of the same
 * component before it in row-major order, or is a root, its own parent. So the root of a component is
 * its first pixel, and numbering roots in their order numbers components as wanted. (Komura 2015;
 * Playne and Hawick 2018: merging with one atomic minimum.)
 *
 * -DT= type of the mask, -DGROUP= work-items of a work-group, -DEACH= pixels of a work-item that
 * numbers roots, a multiple of 4
 */
#include "imaging/scan.clh"
#if LE_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define BACKGROUND INT_MIN

typedef struct shape {
    int n, rows, cols;
    int reach; /* along how many axes at once a step leads to a neighbour */
} shape;

/* Parents of the pixels of a run: its first pixel, as far as the work-group sees. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
begin_runs(__global const T *mask, __global int *parent, shape s)
{
    __local int space[GROUP];
    const size_t at = get_global_id(0);
    const int i = (int)at;
    const bool inside = at < (size_t)s.n, marked = inside && mask[at] != 0;
    const bool first = marked && (get_local_id(0) == 0 || i % s.cols == 0 || mask[i - 1] == 0);
    const int run = scan_max(first ? i : -1, space);
    if (inside)
        parent[i] = marked ? run : BACKGROUND;
}

/* Makes the way shorter. What others write meanwhile are parents of the same component, too; whether
 * this is still a root is for the atomic in join to see. */
static inline int find_root(volatile __global int *parent, int i)
{
    int up = parent[i];
    while (up != i) {
        const int next = parent[up];
        if (next != up)
            parent[i] = next;
        i = up;
        up = next;
    }
    return i;
}

static inline void join(volatile __global int *parent, int a, int b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    while (a != b) {
        const int high = max(a, b), low = min(a, b);
        const int old = atomic_min(parent + high, low);
        if (old == high)
            return;
        a = old; /* another one was quicker: what it joined is to be joined with low */
        b = low;
    }
}

/* Joins pixel i with its neighbours in another line, `from` being the pixel in its column there. Pairs
 * that pairs further left or right join anyway are left out. */
static inline void join_line(volatile __global int *parent, int i, int from, int x, int cols,
                             bool diagonal)
{
    const bool left = x > 0, right = x + 1 < cols;
    if (parent[from] >= 0) {
        if (!(left && parent[i - 1] >= 0 && parent[from - 1] >= 0))
            join(parent, i, from);
        return;
    }
    if (!diagonal)
        return;
    if (left && parent[i - 1] < 0 && parent[from - 1] >= 0)
        join(parent, i, from - 1);
    if (right && parent[i + 1] < 0 && parent[from + 1] >= 0)
        join(parent, i, from + 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
join_lines(volatile __global int *parent, shape s)
{
    const size_t at = get_global_id(0);
    if (at >= (size_t)s.n || parent[at] < 0)
        return;
    const int i = (int)at, x = i % s.cols, line = i / s.cols, y = line % s.rows;
    const int plane = s.rows * s.cols;
    if (get_local_id(0) == 0 && x > 0 && parent[i - 1] >= 0)
        join(parent, i, i - 1);
    if (y > 0)
        join_line(parent, i, i - s.cols, x, s.cols, s.reach > 1);
    if (line < s.rows)
        return;
    join_line(parent, i, i - plane, x, s.cols, s.reach > 1);
    if (s.reach < 2)
        return;
    if (y > 0)
        join_line(parent, i, i - plane - s.cols, x, s.cols, s.reach > 2);
    if (y + 1 < s.rows)
        join_line(parent, i, i - plane + s.cols, x, s.cols, s.reach > 2);
}

/* Makes roots the parents of all; roots[group] is how many of them there are among its pixels. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
flatten(volatile __global int *parent, __global int *roots, shape s)
{
    __local int space[GROUP];
    const size_t first = (size_t)get_group_id(0) * GROUP * EACH + get_local_id(0);
    int found = 0;
    for (int k = 0; k < EACH; k++) {
        const size_t at = first + (size_t)k * GROUP;
        if (at >= (size_t)s.n || parent[at] < 0)
            continue;
        const int i = (int)at;
        int root = i;
        for (int up = parent[root]; up != root; up = parent[root])
            root = up;
        if (root == i)
            found++;
        else
            parent[i] = root;
    }
    const int all = scan_add(found, space);
    if (get_local_id(0) == GROUP - 1)
        roots[get_group_id(0)] = all;
}

/* roots[group] becomes how many there are before those of the group; by one work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
add_up_roots(__global int *roots, int groups, __global int *count)
{
    __local int space[GROUP];
    const int all = scan_all(roots, groups, space);
    if (get_local_id(0) == GROUP - 1)
        *count = all;
}

/* Roots get their number, negative so that it is no parent. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
number_roots(__global int *parent, __global const int *roots, shape s)
{
    __local int space[GROUP];
    const size_t from = ((size_t)get_group_id(0) * GROUP + get_local_id(0)) * EACH;
    int is_root = 0; /* bits */
    for (int k = 0; k < EACH; k += 4) {
        const size_t at = from + k;
        if (at + 4 <= (size_t)s.n) {
            const int4 p = ((__global const int4 *)parent)[at / 4];
            const int i = (int)at;
            is_root |= (p.x == i) << k | (p.y == i + 1) << (k + 1) | (p.z == i + 2) << (k + 2) |
                       (p.w == i + 3) << (k + 3);
        } else {
            for (int j = 0; j < 4 && at + j < (size_t)s.n; j++)
                is_root |= (parent[at + j] == (int)at + j) << (k + j);
        }
    }
    const int here = popcount(is_root);
    int last = roots[get_group_id(0)] + scan_add(here, space) - here;
    for (int k = 0; k < EACH; k++)
        if (is_root >> k & 1)
            parent[from + k] = -++last;
}

/* In place: that of a root is read with its sign or without. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
write_labels(volatile __global int *labels, shape s)
{
    const size_t at = get_global_id(0);
    if (at >= (size_t)s.n)
        return;
    const int own = labels[at];
    labels[at] = own == BACKGROUND ? 0 : own < 0 ? -own : (int)abs(labels[own]);
}
