/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping of many lines of pixels, each by one work-item: finite pixels of a line are sorted
 * once by a network that is the same for all lines, so that neighbouring work-items touch neighbouring
 * memory; what a pass keeps are pixels [begin, end) of that order.
 *
 * -DT= type of the image; -DGREATEST= its greatest value
 */
#include "imaging/clip.clh"
#include "imaging/double_double.clh"

typedef struct lines {
    long first, all; /* of those of this launch, among all */
    long step;       /* from pixel to pixel of a line */
    int n, length;
} lines;

typedef struct part {
    int begin, end;
} part;

typedef struct facts {
    double median, mean, std;
} facts;

typedef struct limits {
    double lower, upper;
    bool closed;
} limits;

/* Pixel i of the line in ascending order. */
#define SORTED(i) line[(size_t)(i) * stride]

static inline void put_in_order(__global T *line, size_t stride, int i, int k)
{
    const T a = SORTED(i), b = SORTED(k);
    if (b < a) {
        SORTED(i) = b;
        SORTED(k) = a;
    }
}

/* Merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2 M). */
static void sort_line(__global T *line, size_t stride, int n)
{
    int top = 1;
    while (2 * top < n)
        top *= 2;
    for (int p = n > 1 ? top : 0; p > 0; p /= 2) {
        int r = 0, d = p;
        for (int q = top; q >= p; q /= 2) {
            for (int i = 0; i < n - d; i++)
                if ((i & p) == r)
                    put_in_order(line, stride, i, i + d);
            d = q - p;
            r = p;
        }
    }
}

static facts facts_of(__global const T *line, size_t stride, part p)
{
    const int n = p.end - p.begin, middle = p.begin + n / 2;
    const double upper = (double)SORTED(middle);
    facts f;
    f.median = n % 2 ? upper : ((double)SORTED(middle - 1) + upper) / 2;
    dd sum = dd_of(0, 0), sum2 = dd_of(0, 0);
    for (int i = p.begin; i < p.end; i++) {
        const dd by = dd_sum((double)SORTED(i), -f.median);
        sum = dd_add(sum, by);
        sum2 = dd_add(sum2, dd_multiply(by, by));
    }
    const dd mean = dd_divide(sum, n), square = dd_multiply(mean, sum);
    const double variance = dd_divide(dd_add(sum2, dd_of(-square.hi, -square.lo)), n).hi;
    const double least = (double)SORTED(p.begin);
    const bool one_value = least == (double)SORTED(p.end - 1);
    f.mean = one_value ? least : dd_add(mean, dd_of(f.median, 0)).hi;
    f.std = one_value ? 0 : std_of_variance(variance);
    return f;
}

/* From the median outwards. */
static double deviation_of(__global const T *line, size_t stride, part p, double median)
{
    const int n = p.end - p.begin;
    int right = p.begin + n / 2, left = right - 1;
    double before = 0, here = 0;
    for (int k = 0; k <= n / 2; k++) {
        const double a = left >= p.begin ? fabs((double)SORTED(left) - median) : INFINITY;
        const double b = right < p.end ? fabs((double)SORTED(right) - median) : INFINITY;
        before = here;
        here = fmin(a, b);
        if (a < b)
            left--;
        else
            right++;
    }
    return MAD_STD * (n % 2 ? here : (before + here) / 2);
}

static inline bool within(limits l, double x)
{
    return l.closed ? x >= l.lower && x <= l.upper : x > l.lower && x < l.upper;
}

static part keep_within(__global const T *line, size_t stride, part p, limits l)
{
    while (p.begin < p.end && !within(l, (double)SORTED(p.begin)))
        p.begin++;
    while (p.begin < p.end && !within(l, (double)SORTED(p.end - 1)))
        p.end--;
    return p;
}

/* Copies the finite pixels of a line, and behind them the greatest value. Returns how many those are. */
static int gather(__global const T *image, lines s, size_t from, __global T *line, size_t stride)
{
    int n = 0;
    for (int i = 0; i < s.length; i++) {
        const T v = image[from + (size_t)i * s.step];
        if (isfinite((double)v))
            SORTED(n++) = v;
    }
    for (int i = n; i < s.length; i++)
        SORTED(i) = GREATEST;
    return n;
}

static void write_statistics(__global double *out, size_t step, const double all[10])
{
    for (int k = 0; k < 10; k++)
        out[k * step] = all[k];
}

__kernel void clip_lines(__global const T *image, lines s, clip c, __global T *sorted,
                         __global double *statistics, int wants_statistics, __global uchar *mask,
                         int wants_mask)
{
    const size_t at = get_global_id(0), stride = (size_t)s.n;
    if (at >= stride)
        return;
    const long number = s.first + (long)at;
    const size_t from = number / s.step * s.step * s.length + number % s.step;
    __global T *line = sorted + at;
    const int n = gather(image, s, from, line, stride);
    sort_line(line, stride, s.length);
    part kept = {0, n};
    limits l = {NAN, NAN, true};
    facts f = {NAN, NAN, NAN};
    int iterations = 0;
    bool known = false;
    while (kept.end > kept.begin && (!c.maxiters || iterations < c.maxiters)) {
        const int before = kept.end - kept.begin;
        f = facts_of(line, stride, kept);
        const double center = c.mean ? f.mean : f.median;
        const double by = c.mad ? deviation_of(line, stride, kept, f.median) : f.std;
        l.lower = bound_of(center, -reach_of(c.sigma_lower, by));
        l.upper = bound_of(center, reach_of(c.sigma_upper, by));
        l.closed = c.closed || by == 0;
        kept = keep_within(line, stride, kept, l);
        iterations++;
        known = kept.end - kept.begin == before;
        if (known)
            break;
    }
    if (c.readmit && iterations > 0) {
        const part all = {0, n};
        kept = keep_within(line, stride, all, l);
        known = false;
    }
    const int count = kept.end - kept.begin;
    const double least = count ? (double)SORTED(kept.begin) : NAN,
                 greatest = count ? (double)SORTED(kept.end - 1) : NAN;
    if (count && !known)
        f = facts_of(line, stride, kept);
    if (wants_statistics) {
        const double all[10] = {count,
                                n - count,
                                iterations,
                                count ? f.median : NAN,
                                count ? f.mean : NAN,
                                count ? f.std : NAN,
                                l.lower,
                                l.upper,
                                least,
                                greatest};
        write_statistics(statistics + number, (size_t)s.all, all);
    }
    for (int i = 0; wants_mask && i < s.length; i++) {
        const size_t place = from + (size_t)i * s.step;
        const double v = (double)image[place];
        mask[place] = !(v >= least && v <= greatest);
    }
}
