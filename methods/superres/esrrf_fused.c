/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Fused esrrf, compiled once per ISA: a work item is a band of whole-pixel rows of one time point.
 * It makes the unit gradients of its rows on the half-pixel grid, the convergence, and the running
 * sums of the temporal projection; so the memory does not grow with the number of frames.
 */
#include "common/isa.h"
#if LE_METHOD_ISA
#include "sr_convergence_simd.h"
#else
#include "sr_convergence_plain.h"
#endif

#include "esrrf_half.h"
#include "sr_projection.h"

/* ---------------------------------------------------------------------------- output rows ---- */

/* The intensity at output row y, magnified in rows only. */
static void intensity_row(const fused *f, work *w, int64_t y, int64_t row0) {
    const le__sr_tables *t = &f->tables;
    const le__sr_axis *a = &t->rows;
    double *sum = w->sample_col + t->pad;
    float *out = w->intensity + t->pad;
    between_rows(w->image + (a->first[y] - row0) * t->plane + t->pad, t->plane, a->lo[y], a->hi[y],
                 a->weight + LE__SR_TAPS * y, w->finite, t->rgc.cols, sum);
    for (int64_t x = 0; x < t->rgc.cols; x++)
        out[x] = (float)sum[x];
}

/* Convergence of output row y in w->value; false when the row lies in the margin. */
static bool value_row(const fused *f, work *w, int64_t y, int64_t y0) {
    const le__sr_tables *t = &f->tables;
    const int64_t m = t->rgc.magnification, whole = y / m;
    if (t->factor_row[y] < 0)
        return false;
    if (t->rgc.weighting)
        intensity_row(f, w, y, first_image_row(&t->rgc, y0));
    const float *gradient =
        w->half + (2 * (whole - y0) + t->rgc.reach) * LE__SR_HALF_ROW(t) + t->pad;
    convergence_row(t, gradient, (int)(y % m), t->factor + t->factor_row[y] * m * t->plane,
                    t->rgc.weighting ? w->intensity + t->pad : NULL, w->value + t->pad);
    return true;
}

/* Joins the phases of w->value to a row of the output; adds to the sums of the phases. */
static void write_row(const fused *f, work *w, int64_t point, int64_t y, bool empty, double *sums) {
    const le__sr_tables *t = &f->tables;
    const int64_t m = t->rgc.magnification;
    float *out = le__sr_begin_row(&f->e.out, point, y, w->spare);
    if (empty) {
        memset(out, 0, (size_t)(m * t->rgc.cols) * sizeof *out);
    } else {
        for (int64_t px = 0; px < m; px++) {
            const float *v = w->value + px * t->plane + t->pad;
            write_phase(t, v, px, out + px);
            if (sums)
                sums[(y % m) * m + px] +=
                    sum_row(v + t->first_x[px], t->end_x[px] - t->first_x[px]);
        }
    }
    le__sr_end_row(&f->e.out, point, y, out);
}

/* --------------------------------------------------------------------- temporal projection --- */

/* Sums are of differences from the first frame: no cancellation for a signal on a large offset. */
static void accumulate(const fused *f, work *w, int64_t at, int64_t frame) {
    const le__sr_tables *t = &f->tables;
    for (int64_t px = 0; px < t->rgc.magnification; px++) {
        const int64_t lo = t->first_x[px], n = t->end_x[px] - lo, i = at + px * t->plane + lo;
        const float *restrict v = w->value + px * t->plane + t->pad + lo;
        float *restrict first = w->first + i, *restrict previous = w->previous + i;
        double *restrict sum = w->sum + i, *restrict sum2 = w->sum2 + i;
        if (f->e.temporal == LE__SR_AVG) {
            for (int64_t x = 0; x < n; x++)
                sum[x] = frame ? sum[x] + v[x] : v[x];
        } else if (frame == 0) {
            for (int64_t x = 0; x < n; x++) {
                first[x] = v[x];
                previous[x] = 0;
                sum[x] = sum2[x] =
                    v[x] - v[x]; /* of a value that is no number neither is the sum */
            }
        } else {
            const bool pairs = f->e.temporal == LE__SR_TAC2;
            for (int64_t x = 0; x < n; x++) {
                double d = (double)v[x] - first[x], other = pairs ? previous[x] : d;
                sum[x] += d;
                sum2[x] += d * other;
                previous[x] = (float)d;
            }
        }
    }
}

static void project(const fused *f, work *w, int64_t at, int64_t frames) {
    const le__sr_tables *t = &f->tables;
    const double n = (double)frames;
    for (int64_t px = 0; px < t->rgc.magnification; px++)
        for (int64_t x = t->first_x[px]; x < t->end_x[px]; x++) {
            const int64_t i = at + px * t->plane + x;
            float *v = w->value + px * t->plane + t->pad + x;
            double mean = w->sum[i] / n;
            if (f->e.temporal == LE__SR_AVG)
                *v = (float)mean;
            else if (f->e.temporal == LE__SR_VAR)
                *v = (float)le__sr_variance(mean, w->sum2[i] / n);
            else
                *v = (float)le__sr_tac2(w->sum[i], w->sum2[i], w->previous[i], n);
        }
}

/* TAC2 of one frame has no terms: NaN, in the margin too. */
static void write_nan_row(const fused *f, work *w, int64_t point, int64_t y) {
    float *out = le__sr_begin_row(&f->e.out, point, y, w->spare);
    for (int64_t x = 0; x < f->e.out.cols; x++)
        out[x] = NAN;
    le__sr_end_row(&f->e.out, point, y, out);
}

static void project_band(const fused *f, work *w, int64_t point, int64_t y0, int64_t y1,
                         double *sums) {
    const int64_t m = f->tables.rgc.magnification, begin = point * f->e.per_timepoint;
    const int64_t row = m * f->tables.plane;
    int64_t frames = f->e.in.frames - begin;
    frames = frames < f->e.per_timepoint ? frames : f->e.per_timepoint;
    for (int64_t frame = 0; frame < frames && !le_call_cancelled(f->call); frame++) {
        load_band(f, w, begin + frame, y0, y1);
        for (int64_t y = y0 * m; y < y1 * m; y++)
            if (value_row(f, w, y, y0))
                accumulate(f, w, (y - y0 * m) * row, frame);
    }
    for (int64_t y = y0 * m; y < y1 * m; y++) {
        const bool empty = f->tables.factor_row[y] < 0;
        if (f->e.temporal == LE__SR_TAC2 && frames == 1) {
            write_nan_row(f, w, point, y);
            continue;
        }
        if (!empty)
            project(f, w, (y - y0 * m) * row, frames);
        write_row(f, w, point, y, empty, sums);
    }
}

static void bands_range(void *context, size_t begin, size_t end, int worker) {
    fused *f = context;
    work *w = &f->workers[worker];
    const int64_t m = f->tables.rgc.magnification;
    for (size_t item = begin; item < end; item++) {
        const int64_t point = (int64_t)item / f->bands, y0 = (int64_t)item % f->bands * f->band;
        int64_t y1 = y0 + f->band;
        y1 = y1 < f->tables.rgc.rows ? y1 : f->tables.rgc.rows;
        double *sums = f->phase_sums ? f->phase_sums + (int64_t)item * m * m : NULL;
        if (sums)
            memset(sums, 0, (size_t)(m * m) * sizeof *sums);
        if (f->e.temporal != LE__SR_NONE) {
            project_band(f, w, point, y0, y1, sums);
            continue;
        }
        load_band(f, w, point, y0, y1);
        for (int64_t y = y0 * m; y < y1 * m; y++) {
            bool inside = value_row(f, w, y, y0);
            write_row(f, w, point, y, !inside, sums);
        }
    }
}

/* ------------------------------------------------------------------ macro-pixel correction --- */

static void make_phase_means(fused *f) {
    const int64_t m = f->tables.rgc.magnification, mm = m * m;
    const double n = (double)(f->tables.rgc.rows * f->tables.rgc.cols);
    for (int64_t point = 0; point < f->e.out.frames; point++)
        for (int64_t phase = 0; phase < mm; phase++) {
            double sum = 0;
            for (int64_t b = 0; b < f->bands; b++)
                sum += f->phase_sums[(point * f->bands + b) * mm + phase];
            float mean = (float)(sum / n);
            f->phase_means[point * mm + phase] = mean != 0 ? mean : 1;
        }
}

/* Items go by time point, phase of the row, whole-pixel row: a worker keeps its row of divisors. */
static void correct_range(void *context, size_t begin, size_t end, int worker) {
    const fused *f = context;
    const int64_t m = f->tables.rgc.magnification, rows = f->tables.rgc.rows, cols = f->e.out.cols;
    float *restrict divisor = f->workers[worker].divisor;
    const float *means = NULL;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t point = item / rows / m, py = item / rows % m, y = item % rows * m + py;
        if (means != f->phase_means + (point * m + py) * m) {
            means = f->phase_means + (point * m + py) * m;
            for (int64_t x = 0; x < cols; x++)
                divisor[x] = means[x % m];
        }
        const int64_t step = f->e.out.stride_col;
        float *restrict out =
            (float *)f->e.out.data + point * f->e.out.stride_frame + y * f->e.out.stride_row;
        if (step == 1)
            for (int64_t x = 0; x < cols; x++)
                out[x] /= divisor[x];
        else
            for (int64_t x = 0; x < cols; x++)
                out[x * step] /= divisor[x];
    }
}

/* --------------------------------------------------------------------------------- set-up ---- */

/* Carves aligned, zeroed arrays out of one block; with base NULL it only counts. */
typedef struct carver {
    char *base;
    size_t used;
} carver;

static void *carve(carver *c, int64_t count, size_t size) {
    void *p = c->base ? c->base + c->used : NULL;
    c->used += ((size_t)count * size + 63) / 64 * 64;
    return p;
}

static size_t carve_work(const fused *f, char *base, work *w) {
    const le__sr_tables *t = &f->tables;
    const int64_t plane = t->plane, m = t->rgc.magnification;
    const int64_t image = count_image_rows(&t->rgc, f->band) * plane;
    const int64_t kept = f->band * m * m * plane;
    const bool mean = f->e.temporal == LE__SR_AVG, more = f->e.temporal > LE__SR_AVG;
    carver c = {base, 0};
    w->image = carve(&c, image, sizeof(float));
    w->gradient_col = carve(&c, image, sizeof(float));
    w->gradient_row = carve(&c, image, sizeof(float));
    w->sample_col = carve(&c, plane, sizeof(double));
    w->sample_row = carve(&c, plane, sizeof(double));
    w->half = carve(&c, (2 * f->band + 2 * t->rgc.reach + 1) * LE__SR_HALF_ROW(t), sizeof(float));
    w->intensity = carve(&c, plane, sizeof(float));
    w->value = carve(&c, (m > 4 ? m : 4) * plane, sizeof(float));
    w->spare = carve(&c, f->e.out.cols, sizeof(float));
    w->divisor = carve(&c, f->e.out.cols, sizeof(float));
    const size_t zeroed = c.used;
    w->sum = carve(&c, mean || more ? kept : 0, sizeof(double));
    w->sum2 = carve(&c, more ? kept : 0, sizeof(double));
    w->first = carve(&c, more ? kept : 0, sizeof(float));
    w->previous = carve(&c, more ? kept : 0, sizeof(float));
    if (base)
        memset(base, 0, zeroed);
    return c.used;
}

/* Bands small enough to keep every thread busy and the sums of a band in the second-level cache. */
static int64_t band_rows(const le__esrrf *e, int threads) {
    int64_t band = 16;
    while (band > 4 && e->out.frames * ((e->rgc.rows + band - 1) / band) < 4 * (int64_t)threads)
        band /= 2;
    while (band > 2 && e->temporal != LE__SR_NONE &&
           band * e->rgc.magnification * e->out.cols > 50000)
        band /= 2;
    return band;
}

static le_status allocate(le_call *call, fused *f) {
    const int threads = le_call_threads(call);
    const int64_t mm = (int64_t)f->tables.rgc.magnification * f->tables.rgc.magnification;
    work none;
    const size_t each = carve_work(f, NULL, &none);
    f->workers = le_call_scratch(call, (size_t)threads * sizeof *f->workers);
    char *memory = le_call_scratch(call, (size_t)threads * each);
    bool ok = f->workers && memory;
    if (f->e.correct) {
        f->phase_sums =
            le_call_scratch(call, (size_t)(f->e.out.frames * f->bands * mm) * sizeof(double));
        f->phase_means = le_call_scratch(call, (size_t)(f->e.out.frames * mm) * sizeof(float));
        ok = ok && f->phase_sums && f->phase_means;
    }
    if (!ok)
        return le_fail(LE_ERR_MEMORY, "esrrf: no memory for the work of %d threads", threads);
    for (int i = 0; i < threads; i++)
        carve_work(f, memory + (size_t)i * each, &f->workers[i]);
    return LE_OK;
}

static le_status run_fused(le_call *call) {
    fused f = {.call = call, .e = le__esrrf_of(call)};
    le_status status = le__sr_tables_make(call, &f.e.rgc, &f.tables);
    if (status != LE_OK)
        return status;
    f.band = band_rows(&f.e, le_call_threads(call));
    f.bands = (f.e.rgc.rows + f.band - 1) / f.band;
    status = allocate(call, &f);
    if (status != LE_OK)
        return status;
    status = le_parallel_for(call, (size_t)(f.e.out.frames * f.bands), bands_range, &f);
    if (status == LE_OK && f.e.correct) {
        make_phase_means(&f);
        status = le_parallel_for(call, (size_t)(f.e.out.frames * f.e.out.rows), correct_range, &f);
    }
    return status;
}

/* The engine asks before it knows the threads: counted for 16 of them. */
static int64_t fused_memory(const le_call *call) {
    fused f = {.e = le__esrrf_of(call)};
    f.tables.rgc = f.e.rgc;
    f.tables.plane = le__sr_plane_size(&f.e.rgc);
    f.band = band_rows(&f.e, 1);
    work none;
    return le__sr_tables_bytes(&f.e.rgc) + 16 * (int64_t)carve_work(&f, NULL, &none);
}

LE_IMPLEMENTATION(esrrf, LE__ISA_NAME(fused_), LE__ISA_FIELDS("fused"),
                  .summary = LE__BY_ISA("bands, half-pixel gradients, tables of weights; plain C",
                                        "as fused_c with 8-wide vectors",
                                        "as fused_c with 16-wide vectors"),
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 3.5, 5),
                  .memory = fused_memory, .run = run_fused);
