/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rows of a catalogue of sources.
 */
#include "imaging/catalogue.h"

#include <float.h>
#include <string.h>

/* --- sums --- */

static void begin(le__im_sums *s, int64_t z, int64_t y, int64_t col, int64_t at, double value) {
    *s = (le__im_sums){.origin = value,
                       .at = {z, y, col},
                       .minimum = INFINITY,
                       .maximum = -INFINITY,
                       .minimum_at = at,
                       .maximum_at = at,
                       .begin = {z, y, col},
                       .end = {z + 1, y + 1, col + 1}};
}

/* Sums over a run: of x, x less the run's first pixel, its square, and x times the place in the
 * run. */
typedef struct sums_of_run {
    double x, d, d2, ix, iix;
} sums_of_run;

static sums_of_run sum_up(const double *values, int64_t n) {
    enum { LANES = 4 };
    const double origin = values[0];
    double x[LANES] = {0}, d[LANES] = {0}, d2[LANES] = {0}, ix[LANES] = {0}, iix[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const double v = values[i + k], by = v - origin;
            x[k] += v;
            d[k] += by;
            d2[k] += by * by;
            ix[k] += v * (double)(i + k);
            iix[k] += v * (double)((i + k) * (i + k));
        }
    for (int k = 0; i < n; i++, k++) {
        const double v = values[i], by = v - origin;
        x[k] += v;
        d[k] += by;
        d2[k] += by * by;
        ix[k] += v * (double)i;
        iix[k] += v * (double)(i * i);
    }
    return (sums_of_run){(x[0] + x[1]) + (x[2] + x[3]), (d[0] + d[1]) + (d[2] + d[3]),
                         (d2[0] + d2[1]) + (d2[2] + d2[3]), (ix[0] + ix[1]) + (ix[2] + ix[3]),
                         (iix[0] + iix[1]) + (iix[2] + iix[3])};
}

/* Squares about the mean of what there was and of a run make those about the mean of both (Chan,
 * Golub and LeVeque, The American Statistician 37, 1983), without a difference of large sums where
 * the first pixel is far from the others. NaN where no double holds a square. */
static void add_squares(le__im_sums *s, const sums_of_run *r, double n, double by) {
    const double area = (double)s->area, apart = by + r->d / n - (area > 0 ? s->sum / area : by);
    s->squares += r->d2 - r->d * (r->d / n);
    if (area > 0)
        s->squares += apart * apart * (area * (n / (area + n)));
    s->sum += r->d + n * by;
}

static void add_part(le__dd *total, double x) {
    const le__dd all = le__dd_sum(total->hi, x);
    *total = (le__dd){all.hi, total->lo + all.lo};
}

/* x: the sum of the run, infinite or not a number where its pixels, or a sum on the way, are. */
static void add_total(le__im_sums *s, double x, const double *values, int64_t n) {
    static const double small = 0x1p900; /* no sum of 2^63 such is beyond doubles */
    if (fabs(x) <= small)
        add_part(&s->total, x);
    else
        for (int64_t i = 0; i < n; i++)
            add_part(&s->large, values[i] * LE__IM_LESS);
}

/* Infinite where no double holds it. */
static double total_of(const le__im_sums *s) {
    if (s->large.hi == 0 && s->large.lo == 0)
        return s->total.hi + s->total.lo;
    const le__dd rest = {s->total.hi * LE__IM_LESS, s->total.lo * LE__IM_LESS};
    return le__dd_add(s->large, rest).hi / LE__IM_LESS;
}

static void extrema(le__im_sums *s, const double *values, int64_t n, int64_t at) {
    for (int64_t i = 0; i < n; i++) {
        if (values[i] < s->minimum) {
            s->minimum = values[i];
            s->minimum_at = at + i;
        }
        if (values[i] > s->maximum) {
            s->maximum = values[i];
            s->maximum_at = at + i;
        }
        if (isnan(values[i]))
            s->nan = true;
    }
}

static void stretch(le__im_sums *s, int axis, int64_t first, int64_t end) {
    if (first < s->begin[axis])
        s->begin[axis] = first;
    if (end > s->end[axis])
        s->end[axis] = end;
}

void le__im_add_run(le__im_sums *s, le__im_shape shape, int64_t line, int64_t col, int64_t count,
                    const double *values) {
    const int64_t z = line / shape.rows, y = line % shape.rows, at = line * shape.cols + col;
    if (s->area == 0)
        begin(s, z, y, col, at, values[0]);
    const sums_of_run r = sum_up(values, count);
    add_squares(s, &r, (double)count, values[0] - s->origin);
    add_total(s, r.x, values, count);
    s->area += count;
    const double dz = (double)(z - s->at[0]), dy = (double)(y - s->at[1]),
                 dx = (double)(col - s->at[2]), along = r.ix + r.x * dx;
    s->moment[0] += r.x * dz;
    s->moment[1] += r.x * dy;
    s->moment[2] += along;
    s->second[0] += r.x * dy * dy;
    s->second[1] += dy * along;
    s->second[2] += r.iix + (r.ix + along) * dx;
    extrema(s, values, count, at);
    stretch(s, 0, z, z + 1);
    stretch(s, 1, y, y + 1);
    stretch(s, 2, col, col + count);
}

/* --- columns --- */

enum { BEFORE_PLACES = 7, PLACES_OF_AXIS = 5, AFTER_PLACES = 2, EXTENDED = 7 };

const char *const le__im_columns_words[] = {"standard", "extended", NULL};

static int64_t count_columns(int ndim, bool extended) {
    return BEFORE_PLACES + PLACES_OF_AXIS * ndim + AFTER_PLACES + (extended ? EXTENDED : 0);
}

le__im_table le__im_table_of(const le_call *call, int image, int columns, int saturation) {
    const le_tensor *t = le_call_in(call, image);
    return (le__im_table){.shape = le__im_shape_of(t),
                          .ndim = t->ndim,
                          .extended = !strcmp(le_call_str(call, columns), "extended"),
                          .saturation = le_call_f64(call, saturation)};
}

le_status le__im_check_catalogue(le_call *call, const char *who, int catalogue, int64_t rows,
                                 const le__im_table *table) {
    if (table->extended && table->ndim != 2)
        return le_fail(LE_ERR_ARGUMENT, "%s: extended columns of %d axes, expected two axes", who,
                       table->ndim);
    return le_call_set_out_upto(call, catalogue, LE_F64, 2,
                                (int64_t[]){rows, count_columns(table->ndim, table->extended)});
}

/* lon and lat follow from the header of the image's file, which is not known
 * here */
const char *le__im_column(int64_t columns, int64_t i) {
    static const char *const before[] = {"label",   "area",   "sum", "mean", "standard_deviation",
                                         "minimum", "maximum"};
    static const char *const places[][LE__IM_AXES] = {
        {"minimum_position_0", "minimum_position_1", "minimum_position_2"},
        {"maximum_position_0", "maximum_position_1", "maximum_position_2"},
        {"center_of_mass_0", "center_of_mass_1", "center_of_mass_2"}};
    static const char *const boxes[] = {"bbox_0_start", "bbox_0_stop",  "bbox_1_start",
                                        "bbox_1_stop",  "bbox_2_start", "bbox_2_stop"};
    static const char *const after[] = {"lon",        "lat",       "moment_00",
                                        "moment_01",  "moment_11", "semi_major",
                                        "semi_minor", "theta",     "flags"};
    const bool extended = columns == count_columns(2, true);
    const int64_t ndim = extended ? 2 : (columns - BEFORE_PLACES - AFTER_PLACES) / PLACES_OF_AXIS;
    const int64_t place = i - BEFORE_PLACES, box = place - 3 * ndim, rest = box - 2 * ndim;
    if (ndim < 1 || ndim > LE__IM_AXES || columns != count_columns((int)ndim, extended))
        return NULL;
    return place < 0  ? before[i]
           : box < 0  ? places[place / ndim][place % ndim]
           : rest < 0 ? boxes[box]
                      : after[rest];
}

static void missing_row(const le__im_table *table, double label, double *out) {
    const int ndim = table->ndim;
    for (int64_t k = 0; k < count_columns(ndim, table->extended); k++)
        out[k] = NAN;
    out[0] = label;
    out[1] = out[2] = 0;
    for (int k = 0; k < 2 * ndim; k++) {
        out[BEFORE_PLACES + k] = -1;
        out[BEFORE_PLACES + 3 * ndim + k] = 0;
    }
}

static void place_of(int64_t at, le__im_shape shape, int ndim, double *out) {
    const int64_t line = at / shape.cols;
    const int64_t place[LE__IM_AXES] = {line / shape.rows, line % shape.rows, at % shape.cols};
    for (int d = 0; d < ndim; d++)
        out[d] = (double)place[LE__IM_AXES - ndim + d];
}

static double deviation(const le__im_sums *s) {
    return le__im_std_of(s->squares / (double)s->area);
}

static int flags_of(const le__im_sums *s, const le__im_table *table) {
    const bool edge = s->begin[1] == 0 || s->begin[2] == 0 || s->end[1] == table->shape.rows ||
                      s->end[2] == table->shape.cols;
    /* without a number the maximum is below the minimum, but not below every saturation */
    const bool saturated = s->maximum >= table->saturation && s->maximum >= s->minimum;
    return (edge ? LE__IM_AT_EDGE : 0) | (saturated ? LE__IM_SATURATED : 0) |
           (s->nan ? LE__IM_NOT_NUMBER : 0);
}

void le__im_ellipse(const double moments[3], double out[3]) {
    const double half = (moments[2] - moments[0]) / 2, mean = (moments[2] + moments[0]) / 2;
    const double reach = sqrt(half * half + moments[1] * moments[1]);
    out[0] = mean + reach <= 0 ? 0 : sqrt(mean + reach); /* NaN where the moments are */
    out[1] = mean <= reach ? 0 : sqrt(mean - reach);
    out[2] = atan2(moments[1], half) / 2;
}

/* sum: of x, NaN where there is none */
static void extend(const le__im_sums *s, const le__im_table *table, double sum, double *out) {
    const double y = s->moment[1] / sum, x = s->moment[2] / sum;
    const double moments[3] = {s->second[0] / sum - y * y, s->second[1] / sum - y * x,
                               s->second[2] / sum - x * x};
    memcpy(out, moments, sizeof moments);
    le__im_ellipse(moments, out + 3);
    out[6] = flags_of(s, table);
}

void le__im_catalogue_row(const le__im_sums *s, const le__im_table *table, double label,
                          double *out) {
    const le__im_shape shape = table->shape;
    const int ndim = table->ndim, skip = LE__IM_AXES - ndim;
    if (s->area == 0) {
        missing_row(table, label, out);
        return;
    }
    const double n = (double)s->area;
    const bool nan = s->nan, infinite = isinf(s->minimum) || isinf(s->maximum);
    /* of an infinite number and others the sum is that, of both infinities there
     * is none */
    const double sum = infinite ? s->minimum + s->maximum : total_of(s);
    const double mean = s->minimum == s->maximum ? s->minimum : sum / n;
    const double first[BEFORE_PLACES] = {label,
                                         n,
                                         nan ? NAN : sum,
                                         nan ? NAN : mean,
                                         nan || infinite ? NAN : deviation(s),
                                         nan ? NAN : s->minimum,
                                         nan ? NAN : s->maximum};
    double *places = out + BEFORE_PLACES, *center = places + 2 * ndim, *box = center + ndim;
    for (int k = 0; k < BEFORE_PLACES; k++)
        out[k] = first[k];
    place_of(s->minimum_at, shape, ndim, places);
    place_of(s->maximum_at, shape, ndim, places + ndim);
    for (int d = 0; d < ndim; d++) {
        if (nan)
            places[d] = places[ndim + d] = -1;
        center[d] =
            nan || infinite || sum == 0 ? NAN : (double)s->at[skip + d] + s->moment[skip + d] / sum;
        box[2 * d] = (double)s->begin[skip + d];
        box[2 * d + 1] = (double)s->end[skip + d];
    }
    double *after = box + 2 * ndim;
    after[0] = after[1] = NAN;
    if (table->extended)
        extend(s, table, nan || infinite || sum == 0 ? NAN : sum, after + AFTER_PLACES);
}

/* --- comparing --- */

static double off(double a, double b, double scale) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) && scale > 0 ? fabs(a - b) / scale : INFINITY;
}

/* Of sums of n numbers, the largest of that magnitude: one that is beyond doubles is as far from
 * another as the largest double, for rounding decides between them. */
static double off_sum(double a, double b, double n, double largest) {
    if (!isfinite(largest) || isnan(a) || isnan(b))
        return off(a, b, n * largest);
    const double less = 0.25, x = fmax(-DBL_MAX, fmin(DBL_MAX, a)) * less,
                 y = fmax(-DBL_MAX, fmin(DBL_MAX, b)) * less;
    return off(x / n, y / n, largest * less);
}

/* Finite pixels whose sums with places may be beyond what doubles hold: so may be those on the way,
 * in one order of pixels and not in another. */
static bool is_beyond_doubles(const double *row) {
    const double largest = fmax(fabs(row[5]), fabs(row[6]));
    return isfinite(largest) && isinf(row[1] * largest);
}

/* What a row's sums of magnitudes can be at most. */
static double compare_row(const double *a, const double *b, int ndim) {
    const double largest = fmax(fabs(b[5]), fabs(b[6])), magnitudes = b[1] * largest;
    const int center = BEFORE_PLACES + 2 * ndim, box = center + ndim;
    const bool summed = !is_beyond_doubles(b);
    double worst = off(a[4], b[4], 1e-5 * largest + b[4]);
    worst = fmax(worst, fmax(off_sum(a[2], b[2], b[1], largest), off_sum(a[3], b[3], 1, largest)));
    for (int k = 0; k < count_columns(ndim, false); k++) {
        const bool rounded = (k > 1 && k < 5) || (k >= center && k < box);
        if (!rounded && off(a[k], b[k], 0) > 0)
            return INFINITY;
    }
    for (int d = 0; d < ndim && summed; d++) {
        /* a quotient of sums: a sum that nearly cancels makes both of them count */
        const double extent = b[box + 2 * d + 1] - b[box + 2 * d], more = magnitudes / fabs(b[2]);
        const double by =
            off(a[center + d], b[center + d], b[box + 2 * d + 1] + extent * more * (1 + more));
        worst = fmax(worst, by);
    }
    return worst;
}

/* The axes and the angle follow from the moments. */
static double compare_moments(const double *a, const double *b) {
    const int box = BEFORE_PLACES + 3 * 2, at = (int)count_columns(2, false);
    const double extent = fmax(b[box + 1] - b[box], b[box + 3] - b[box + 2]) + 1;
    const double more = b[1] * fmax(fabs(b[5]), fabs(b[6])) / fabs(b[2]);
    double worst = off(a[at + 6], b[at + 6], 0);
    for (int k = 0; k < 3 && !is_beyond_doubles(b); k++)
        worst = fmax(worst, off(a[at + k], b[at + k], extent * extent * more * more));
    return worst;
}

double le__im_compare_catalogues(const le_tensor *answer, const le_tensor *trusted, int ndim) {
    double worst = 0;
    if (answer->shape[0] != trusted->shape[0])
        return INFINITY;
    const int64_t columns = trusted->shape[1];
    for (int64_t i = 0; i < trusted->shape[0]; i++) {
        const double *a = (const double *)answer->data + i * columns,
                     *b = (const double *)trusted->data + i * columns;
        worst = fmax(worst, compare_row(a, b, ndim));
        if (columns > count_columns(ndim, false))
            worst = fmax(worst, compare_moments(a, b));
    }
    return worst;
}
