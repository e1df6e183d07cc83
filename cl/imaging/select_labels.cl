/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which components of a label image are kept, and their new numbers: areas are counted with atomics, and
 * numbers follow from counting the labels that are kept before each.
 *
 * -DGROUP= work-items of a work-group
 */
#include "imaging/scan.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
largest_label(__global const int *labels, int n, __global int *largest)
{
    __local int here;
    int most = 0;
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        most = max(most, labels[i]);
    if (get_local_id(0) == 0)
        here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&here, most);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_max(largest, here);
}

/* What lies on the device may not be read as it is. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy_labels(__global const int *labels, int n, __global int *copy)
{
    const size_t i = get_global_id(0);
    if (i < (size_t)n)
        copy[i] = labels[i];
}

/* Each label becomes its place, counted from 1, among those present, which are in ascending order
 * and have all labels above 0. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
find_places(__global int *labels, int n, __global const int *present, int n_present)
{
    const size_t i = get_global_id(0);
    if (i >= (size_t)n)
        return;
    const int label = labels[i];
    int low = 0, high = n_present - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (present[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    labels[i] = label > 0 ? low + 1 : 0;
}

/* Pixels of each label, and those with a seed; seeds may be NULL. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_pixels(__global const int *labels, __global const uchar *seeds, int has_seeds, int n,
             __global int *areas, __global int *seeded)
{
    const size_t i = get_global_id(0);
    if (i >= (size_t)n || labels[i] <= 0)
        return;
    atomic_inc(areas + labels[i]);
    if (has_seeds && seeds[i])
        atomic_inc(seeded + labels[i]);
}

/* areas become 0 for labels that are dropped; numbers are 1 for the others. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
choose(__global int *areas, __global const int *seeded, __global int *numbers, int n_labels,
       int has_seeds, int least)
{
    const size_t k = get_global_id(0);
    if (k >= (size_t)n_labels)
        return;
    const bool kept = areas[k] > 0 && areas[k] >= least && (!has_seeds || seeded[k] > 0);
    numbers[k] = kept;
    if (!kept)
        areas[k] = 0;
}

/* numbers[k] becomes how many are kept before label k; by one work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
add_up(__global int *numbers, int n_labels, __global int *count)
{
    __local int space[GROUP];
    const int all = scan_all(numbers, n_labels, space);
    if (get_local_id(0) == GROUP - 1)
        *count = all;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
renumber(__global const int *labels, int n, __global const int *areas, __global const int *numbers,
         __global int *result)
{
    const size_t i = get_global_id(0);
    if (i < (size_t)n) {
        const int label = labels[i];
        result[i] = label > 0 && areas[label] > 0 ? numbers[label] + 1 : 0;
    }
}
