/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping of numbers: what is asked for, what comes out, and the
 * passes over sorted numbers, of which an inner part may be known by its sums
 * alone.
 */
#ifndef LE_IMAGING_CLIP_H
#define LE_IMAGING_CLIP_H

#include "imaging/double_double.h"
#include "imaging/pixels.h"

typedef struct le__im_clip {
    bool mean;    /* about the mean, else the median */
    bool mad;     /* deviation: 1.4826 times the median distance from the median */
    bool closed;  /* numbers at a bound stay */
    bool readmit; /* what lies within the last bounds is kept, though removed
                     before */
    double sigma_lower, sigma_upper;
    int64_t maxiters; /* 0: until nothing changes */
} le__im_clip;

/* median absolute deviation to standard deviation of normally distributed
 * numbers */
#define LE__IM_MAD_STD 1.482602218505602

/* The arguments of a clip, in this order from `first` of an operation's own. */
enum {
    LE__IM_CENTER,
    LE__IM_DEVIATION,
    LE__IM_SIGMA_LOWER,
    LE__IM_SIGMA_UPPER,
    LE__IM_MAXITERS,
    LE__IM_BOUNDS,
    LE__IM_KEEP,
    LE__IM_CLIP_COUNT
};
extern const char *const le__im_centers[], *const le__im_deviations[],
                                               *const le__im_bounds[], *const le__im_keep_words[];
#define LE__IM_CLIP_WORD(the_name, the_doc, the_words, the_default)                                \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_STR, .optional = true, .cost = true,     \
        .words = the_words, .default_str = the_default                                             \
    }
#define LE__IM_CLIP_SIGMA(the_name, the_doc)                                                       \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_F64, .optional = true, .min = 0,         \
        .max = 1e300, .has_default = true, .default_f64 = 3                                        \
    }
#define LE__IM_CLIP_ARGS(first)                                                                    \
    [(first) +                                                                                     \
        LE__IM_CENTER] =                                                                           \
        LE__IM_CLIP_WORD("center", "what the bounds lie about", le__im_centers, "median"),         \
        [(first) + LE__IM_DEVIATION] =                                                             \
            LE__IM_CLIP_WORD("deviation", "std, or 1.4826 times the median absolute deviation",    \
                             le__im_deviations, "std"),                                            \
        [(first) + LE__IM_SIGMA_LOWER] =                                                           \
            LE__IM_CLIP_SIGMA("sigma_lower", "deviations from the center to the lower bound"),     \
        [(first) + LE__IM_SIGMA_UPPER] =                                                           \
            LE__IM_CLIP_SIGMA("sigma_upper", "deviations from the center to the upper bound"),     \
        [(first) + LE__IM_MAXITERS] = {.name = "maxiters",                                         \
                                       .doc = "passes at most; 0: until nothing changes",          \
                                       .type = LE_TYPE_I64,                                        \
                                       .optional = true,                                           \
                                       .has_default = true,                                        \
                                       .min = 0,                                                   \
                                       .max = 1e9},                                                \
        [(first) + LE__IM_BOUNDS] =                                                                \
            LE__IM_CLIP_WORD("bounds",                                                             \
                             "open: what equals a bound is rejected, unless the deviation "        \
                             "is 0",                                                               \
                             le__im_bounds, "open"),                                               \
        [(first) + LE__IM_KEEP] =                                                                  \
            LE__IM_CLIP_WORD("keep",                                                               \
                             "sequential: what was rejected stays out; last: all within the "      \
                             "last bounds is kept",                                                \
                             le__im_keep_words, "sequential")

le__im_clip le__im_clip_of(const le_call *call, int first);

/* Statistics of what is kept, NaN when nothing is. */
typedef struct le__im_clipped {
    int64_t count, rejected; /* kept; finite, and not kept */
    int64_t iterations;
    double median, mean, std, lower, upper, minimum, maximum;
} le__im_clipped;

enum { LE__IM_STATISTICS = 10 };
/* As the operation gives them; `step` elements apart. */
void le__im_statistics(const le__im_clipped *c, int64_t step, double *out);

/* How far statistics are apart: INFINITY when counts, median or extrema differ, else the largest
 * difference of mean, std and bounds, in parts of the std and of 1e-4 of the largest; of bounds
 * more than ten std from the mean, in parts of a tenth of that distance. rounded: parts of this as
 * well, and of median and extrema, too, for the pixels themselves were rounded; few that are left
 * may lie nearer to each other than that. 0: they were not. */
double le__im_compare_statistics(const double *answer, const double *trusted, int64_t step,
                                 double rounded);

/* Whether a clip that ended with c keeps this number. Sequential clips keep
 * what lies within [minimum, maximum] of the kept. */
static inline bool le__im_keeps(const le__im_clipped *c, double value) {
    return value >= c->minimum && value <= c->maximum;
}

/* The bounds of a pass; a deviation of 0 removes nothing that equals the
 * center. */
typedef struct le__im_limits {
    double lower, upper;
    bool closed;
} le__im_limits;

le__im_limits le__im_clip_limits(const le__im_clip *clip, double center, double deviation);

static inline bool le__im_within(le__im_limits l, double value) {
    return l.closed ? value >= l.lower && value <= l.upper : value > l.lower && value < l.upper;
}

typedef struct le__im_moments {
    double mean, std;
} le__im_moments;

/* From the sums of x - shift and of its square over n > 0 numbers. */
le__im_moments le__im_moments_of(int64_t n, double shift, le__dd sum, le__dd sum2);
void le__im_add_exactly(const double *values, int64_t n, double shift, le__dd *sum, le__dd *sum2);

/* All finite numbers in ascending order. Those of the core are not listed, but
 * for a window about the middle. */
typedef struct le__im_sorted {
    const double *low, *high;
    int64_t n_low, n_core, n_high;
    int64_t n_below, n_window;     /* of the core: below the window, and in it */
    double core_lower, core_upper; /* the core lies between these, exclusively */
    double shift, sum, sum2;       /* of x - shift and of its square over the core */
    /* Of a core: number k of the window; its least or its greatest number; its sums in twice the
     * digits. */
    double (*window_at)(void *context, int64_t k);
    double (*extreme)(void *context, bool greatest);
    void (*exact)(void *context, le__dd *sum, le__dd *sum2);
    void *context;
} le__im_sorted;

/* False: a number of the core would have to be known that is not listed. */
bool le__im_clip_sorted(const le__im_clip *clip, const le__im_sorted *values, le__im_clipped *out);

/* Sorts finite numbers in place; spare has as much room. False: they are in no order, for the call
 * is to end. */
bool le__im_sort(const le_call *call, double *values, int64_t n, double *spare);

#endif
