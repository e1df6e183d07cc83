/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping. Pixels are ordered by keys, whole numbers in the order of the values, and what a
 * pass keeps are the keys of an interval. A pass finds the middle key digit by digit, from how often each
 * digit occurs, then sums up; what follows from that is decided on the device, in `state`, so that the
 * host only looks now and then whether all is done. Kernels of a pass that is not needed return at once.
 * The middle deviation from the median is found in the same way, by keys of its own.
 *
 * -DT= type of the image; -DKIND= 0 integers, 1 float, 2 double; -DOFFSET= what makes an integer its key;
 * -DKEY_BITS=; -DDIGIT= bits of a digit; -DGROUP=
 */
#include "imaging/clip.clh"
#include "imaging/clip_sums.clh"
#include "imaging/scan.clh"

#define BINS (1 << DIGIT)

/* --- state --- */

enum { RUNNING, LAST, DONE }; /* LAST: what is kept is known, and described once more */

typedef struct settings {
    double sigma_lower, sigma_upper;
    int n, mean, closed, readmit, maxiters, mad;
} settings;

typedef struct state {
    int phase; /* read by the host */
    int skip;  /* the rest of the pass is not needed */
    int iterations, finite;
    int count, count_before; /* kept; kept when the pass before began */
    int rank;                /* of the middle among those with the digits found */
    int closed;              /* the bounds */
    keys kept;
    ulong digits, known; /* of the middle key; bits that are known */
    double lower, upper, median, mean, std;
    keys ends; /* the least and the greatest that are kept */
} state;

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
start(__global state *at, __global uint *often)
{
    for (int b = get_local_id(0); b < BINS; b += GROUP)
        often[b] = 0;
    if (get_local_id(0) != 0)
        return;
    state s = {RUNNING, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, NAN, NAN, NAN, NAN, NAN, {1, 0}};
    s.kept = all_keys();
    *at = s;
}

/* --- the middle --- */

enum { VALUES, DEVIATIONS }; /* what the middle is of */

static inline ulong key_about(int about, ulong key, double median)
{
    return about == VALUES ? key : as_ulong(fabs(value_of(key) - median));
}

static inline bool is_over(__global const state *at, int about)
{
    return about == VALUES ? at->phase == DONE || at->skip : at->phase != RUNNING;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_digits(__global const T *image, int n, __global const state *at, __global uint *often, int shift,
             int first, int about)
{
    __local uint here[BINS];
    if (is_over(at, about))
        return;
    const double median = at->median;
    /* the first digit: those known are of what was looked for before */
    const ulong digits = first ? 0 : at->digits, known = first ? 0 : at->known;
    const keys kept = at->kept;
    for (int b = get_local_id(0); b < BINS; b += GROUP)
        here[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0)) {
        const ulong value = key_of(image[i]), key = key_about(about, value, median);
        if (value >= kept.first && value <= kept.last && (key & known) == digits)
            atomic_inc(here + (int)(key >> shift & (BINS - 1)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < BINS; b += GROUP)
        if (here[b])
            atomic_add(often + b, here[b]);
}

/* What the loop over passes decides when it is known how much is kept. */
static void begin_pass(__global state *at, const settings *c, int count)
{
    const bool first = at->phase == RUNNING && at->iterations == 0;
    const bool same = at->iterations > 0 && count == at->count_before;
    const bool over = count == 0 || same || (c->maxiters && at->iterations == c->maxiters);
    at->count = count;
    at->rank = count / 2;
    at->digits = at->known = 0;
    if (first)
        at->finite = count;
    if (at->phase == RUNNING && over) {
        const bool readmit = c->readmit && at->iterations > 0;
        at->phase = readmit || (count > 0 && !same) ? LAST : DONE;
        at->skip = readmit;
        if (readmit)
            at->kept = both(all_keys(),
                            keys_within(at->lower, at->upper, at->closed));
    } else if (at->phase == LAST && count == 0) {
        at->phase = DONE;
    }
}

/* The digit of the middle, by one work-group; clears the counts. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pick_digit(__global state *at, __global uint *often, settings c, int shift, int first, int about)
{
    enum { EACH = BINS / GROUP };
    __local int space[GROUP];
    __local int rank;
    const bool over = is_over(at, about);
    barrier(CLK_GLOBAL_MEM_FENCE); /* all have read it */
    if (over)
        return;
    const int from = get_local_id(0) * EACH;
    int sum = 0;
    for (int b = 0; b < EACH; b++)
        sum += (int)often[from + b];
    int before = scan_add(sum, space) - sum;
    if (get_local_id(0) == GROUP - 1 && first) {
        if (about == VALUES) {
            begin_pass(at, &c, before + sum);
        } else {
            at->rank = at->count / 2;
            at->digits = at->known = 0;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        rank = at->rank;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* at->rank is written below */
    for (int b = 0; b < EACH; b++) {
        const int here = (int)often[from + b];
        if (rank >= before && rank < before + here) {
            at->digits |= (ulong)(from + b) << shift;
            at->known |= (ulong)(BINS - 1) << shift;
            at->rank = rank - before;
        }
        before += here;
        often[from + b] = 0;
    }
}

/* --- sums --- */

/* Of what all work-groups have left, by one work-group; the sum is the first of space. */
static inline void sums_of_parts(__global const sums *parts, int n_parts, __local sums *space)
{
    sums s = no_sums();
    for (int k = get_local_id(0); k < n_parts; k += GROUP)
        s = sums_add(s, parts[k]);
    space[get_local_id(0)] = s;
    sums_of_group(space);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sum_up(__global const T *image, int n, __global const state *at, __global sums *parts)
{
    __local sums space[GROUP];
    if (at->phase == DONE || at->skip)
        return;
    const keys kept = at->kept;
    const ulong middle = at->digits;
    sums s = no_sums();
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0)) {
        const ulong key = key_of(image[i]);
        if (key >= kept.first && key <= kept.last)
            s = sums_put(s, key, middle);
    }
    space[get_local_id(0)] = s;
    sums_of_group(space);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = space[0];
}

static void describe(__global state *at, const sums *s)
{
    at->median = median_of(value_of(at->digits), value_of(s->lower), at->count, at->rank);
    at->mean = mean_of(s, at->count, at->digits);
    at->std = std_of(s, at->count);
    at->ends.first = s->least;
    at->ends.last = s->greatest;
}

static void keep_within(__global state *at, const settings *c, double deviation)
{
    const double center = c->mean ? at->mean : at->median;
    at->lower = bound_of(center, -reach_of(c->sigma_lower, deviation));
    at->upper = bound_of(center, reach_of(c->sigma_upper, deviation));
    at->closed = c->closed || deviation == 0;
    at->kept = both(at->kept, keys_within(at->lower, at->upper, at->closed));
    at->count_before = at->count;
    at->iterations++;
}

/* By one work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
end_pass(__global state *at, __global const sums *parts, int n_parts, settings c)
{
    __local sums space[GROUP];
    sums_of_parts(parts, n_parts, space);
    if (get_local_id(0) != 0)
        return;
    const sums s = space[0];
    if (at->phase == DONE || at->skip) {
        at->skip = 0;
        return;
    }
    describe(at, &s);
    if (at->phase == LAST)
        at->phase = DONE;
    else if (!c.mad)
        keep_within(at, &c, at->std);
}

/* --- the middle deviation --- */

/* The greatest deviation below the middle one, of the pixels of each work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
find_lower(__global const T *image, int n, __global const state *at, __global sums *parts)
{
    __local sums space[GROUP];
    if (is_over(at, DEVIATIONS))
        return;
    const keys kept = at->kept;
    const ulong middle = at->digits;
    const double median = at->median;
    sums s = no_sums();
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0)) {
        const ulong value = key_of(image[i]), key = key_about(DEVIATIONS, value, median);
        if (value >= kept.first && value <= kept.last && key < middle)
            s.lower = max(s.lower, key);
    }
    space[get_local_id(0)] = s;
    sums_of_group(space);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = space[0];
}

/* By one work-group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
end_deviation(__global state *at, __global const sums *parts, int n_parts, settings c)
{
    __local sums space[GROUP];
    if (is_over(at, DEVIATIONS))
        return;
    sums_of_parts(parts, n_parts, space);
    if (get_local_id(0) != 0)
        return;
    const double middle = as_double(at->digits), lower = as_double(space[0].lower);
    keep_within(at, &c, MAD_STD * median_of(middle, lower, at->count, at->rank));
}

/* --- results --- */

__kernel void write_statistics(__global const state *at, __global double *out)
{
    const bool none = at->count == 0;
    if (get_global_id(0) != 0)
        return;
    out[0] = at->count;
    out[1] = at->finite - at->count;
    out[2] = at->iterations;
    out[3] = none ? NAN : at->median;
    out[4] = none ? NAN : at->mean;
    out[5] = none ? NAN : at->std;
    out[6] = at->lower;
    out[7] = at->upper;
    out[8] = none ? NAN : value_of(at->ends.first);
    out[9] = none ? NAN : value_of(at->ends.last);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
write_mask(__global const T *image, int n, __global const state *at, __global uchar *mask)
{
    const bool none = at->count == 0;
    const keys ends = at->ends;
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0)) {
        const ulong key = key_of(image[i]);
        mask[i] = none || key < ends.first || key > ends.last;
    }
}
