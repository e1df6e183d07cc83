/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A clip with one look at the pixels: the sample before it, and the search
 * after it.
 */
#include "imaging/clip_window.h"

#include <string.h>

enum { SAMPLE = 16384, FEWEST = 1 << 16 };
enum { SAMPLE_OF_FEW = 256, FEWEST_OF_FEW = 1024 };

/* Of a normal distribution's sample: its median and its bounds are off by less
 * than these, in standard deviations, but for one sample in a million. */
static double median_off(int64_t sample) {
    return 5 * 1.2533 / sqrt((double)sample);
}

static double bound_off(int64_t sample) {
    return 5 * 1.7 / sqrt((double)sample);
}

/* --- sample --- */

/* One pixel of each of `sample` stretches, at a place that follows from its
 * number. */
static int64_t take_sample(const le__im_window *w, int64_t sample, double *out) {
    const int64_t stretch = w->n / sample;
    uint64_t state = 1;
    int64_t n = 0;
    for (int64_t i = 0; i < sample; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t at = i * stretch + (int64_t)((state >> 33) % (uint64_t)stretch);
        out[n] = le__im_pixel(&w->pixels, at);
        n += isfinite(out[n]) != 0;
    }
    return n;
}

static double rounded(const le__im_window *w, double v) {
    return w->wide ? v : (double)(float)v;
}

static double next_to(const le__im_window *w, double v, double direction) {
    return w->wide ? nextafter(v, direction) : (double)nextafterf((float)v, (float)direction);
}

/* False: the sample has too few values to tell anything, or their digits are too few. */
static bool choose_edges(le__im_window *w, int64_t sample, const le__im_clipped *c) {
    const double widest = c->std * 100;
    const double margin =
        bound_off(sample) * c->std * fmax(w->clip.sigma_lower, w->clip.sigma_upper) / 2;
    const double half_window = median_off(sample) * c->std;
    if (c->count < sample / 4 || !(c->std > 0) || !(widest > fabs(c->median) * 1e-5))
        return false;
    w->edges =
        (le__im_edges){.lower = rounded(w, c->lower + margin),
                       .upper = rounded(w, c->upper - margin),
                       .window_lower = next_to(w, rounded(w, c->median - half_window), -INFINITY),
                       .window_upper = next_to(w, rounded(w, c->median + half_window), INFINITY),
                       .shift = rounded(w, c->median)};
    return w->edges.lower < w->edges.window_lower && w->edges.window_upper < w->edges.upper &&
           w->edges.window_upper - w->edges.window_lower > 1e-300;
}

static bool look_at_sample(le__im_window *w, int64_t sample, double *memory) {
    le__im_clipped c;
    const int64_t n = take_sample(w, sample, memory);
    le__im_sort(NULL, memory, n, memory + sample);
    const le__im_sorted sorted = {.low = memory, .n_low = n, .high = memory};
    return le__im_clip_sorted(&w->clip, &sorted, &c) && choose_edges(w, sample, &c);
}

/* A block's tails may be all of it; a window that takes more than its half
 * tells nothing. */
static bool make_lists(le_call *call, le__im_window *w) {
    enum { VECTOR = 64 }; /* lists are written a vector at a time */
    const size_t size = w->wide ? sizeof(double) : sizeof(float);
    const int64_t tails = w->block + VECTOR, window = w->block / 2 + VECTOR;
    w->window_room = w->block / 2;
    w->parts = le_call_scratch(call, (size_t)w->blocks * sizeof *w->parts);
    char *lists = le_call_scratch(call, (size_t)(w->blocks * (tails + window)) * size);
    for (int64_t b = 0; w->parts && lists && b < w->blocks; b++) {
        char *of = lists + (size_t)(b * (tails + window)) * size;
        w->parts[b] = (le__im_block){.tails = of, .window = of + (size_t)tails * size};
    }
    return w->parts && lists;
}

le_status le__im_window_begin(le_call *call, const le__im_clip *clip, const le__im_pixels *pixels,
                              int64_t n, int64_t block, le__im_window *w) {
    *w = (le__im_window){
        .clip = *clip, .pixels = *pixels, .wide = pixels->dtype != LE_F32, .n = n, .block = block};
    if (n < FEWEST || clip->mad)
        return LE_OK;
    double *memory = le_call_scratch(call, 2 * SAMPLE * sizeof *memory);
    if (!memory)
        return LE_ERR_MEMORY;
    if (!look_at_sample(w, SAMPLE, memory))
        return LE_OK;
    w->blocks = (n + block - 1) / block;
    return make_lists(call, w) ? LE_OK : LE_ERR_MEMORY;
}

int64_t le__im_window_memory(const le__im_clip *clip, le_dtype dtype, int64_t n) {
    const int64_t sorted = 2 * n * (int64_t)sizeof(double) + (1 << 13),
                  lists = n * (dtype == LE_F32 ? 4 : 8) / 2 * 3 + (1 << 13);
    return n < FEWEST || clip->mad ? sorted : sorted + lists + 2 * SAMPLE * (int64_t)sizeof(double);
}

/* --- lists --- */

/* The finite ones of a list of a block. */
static int64_t copy(const le__im_window *w, const void *list, int64_t n, double *out) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        out[kept] = w->wide ? ((const double *)list)[i] : (double)((const float *)list)[i];
        kept += isfinite(out[kept]) != 0;
    }
    return kept;
}

static int64_t split(double *values, int64_t n, double at, double *spare) {
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = values[i];
        const bool is_low = v < at;
        values[low] = v;
        spare[high] = v;
        low += is_low;
        high += !is_low;
    }
    memcpy(values + low, spare, (size_t)high * sizeof *values);
    return low;
}

static int32_t bucket_of(double value, double from, double scale) {
    return (int32_t)((value - from) * scale);
}

static double scale_of(const le__im_window *w) {
    return (LE__IM_BUCKETS - 1) / (w->edges.window_upper - w->edges.window_lower);
}

/* Puts what is listed of the window in the order of its buckets. */
static void fill_buckets(le__im_window *w) {
    const double from = w->edges.window_lower, scale = scale_of(w);
    uint32_t begin = 0;
    memset(w->ends, 0, LE__IM_BUCKETS * sizeof *w->ends);
    for (int64_t i = 0; i < w->n_window; i++)
        w->ends[bucket_of(w->listed[i], from, scale)]++;
    for (int b = 0; b < LE__IM_BUCKETS; b++) {
        const uint32_t of = w->ends[b];
        w->ends[b] = begin;
        begin += of;
    }
    for (int64_t i = 0; i < w->n_window; i++) /* a bucket's end moves from its begin */
        w->window[w->ends[bucket_of(w->listed[i], from, scale)]++] = w->listed[i];
    w->bucket_sorted = -1;
}

/* Number k of the window, in order. */
static double window_at(void *context, int64_t k) {
    le__im_window *w = context;
    int32_t bucket = 0, last = LE__IM_BUCKETS - 1;
    while (bucket < last) { /* the first bucket that ends behind k */
        const int32_t middle = (bucket + last) / 2;
        if ((int64_t)w->ends[middle] > k)
            last = middle;
        else
            bucket = middle + 1;
    }
    if (w->bucket_sorted != bucket) {
        const int64_t begin = bucket ? w->ends[bucket - 1] : 0;
        le__im_sort(NULL, w->window + begin, w->ends[bucket] - begin, w->listed);
        w->bucket_sorted = bucket;
    }
    return w->window[k];
}

/* --- fallback --- */

static le_status clip_by_sorting(le_call *call, const le__im_window *w, le__im_clipped *out) {
    enum { PIECE = 1024 };
    const int64_t n = w->n;
    double *values = le_call_scratch(call, (size_t)(2 * n + PIECE) * sizeof *values);
    int64_t finite = 0;
    if (!values)
        return LE_ERR_MEMORY;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = n - at < PIECE ? n - at : PIECE;
        double *piece = values + n;
        if (at % LE__IM_OFTEN == 0 && le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        le__im_load(&w->pixels, at, count, piece);
        for (int64_t i = 0; i < count; i++) {
            values[finite] = piece[i];
            finite += isfinite(piece[i]) != 0;
        }
    }
    if (!le__im_sort(call, values, finite, values + n))
        return LE_ERR_CANCELLED;
    const le__im_sorted sorted = {.low = values, .n_low = finite, .high = values};
    le__im_clip_sorted(&w->clip, &sorted, out); /* all is listed */
    return LE_OK;
}

/* --- core --- */

/* The core's sums in twice the digits: another look at all pixels. */
static void exact_core(void *context, le__dd *sum, le__dd *sum2) {
    enum { PIECE = 256 };
    const le__im_window *w = context;
    double values[PIECE];
    *sum = *sum2 = (le__dd){0, 0};
    for (int64_t at = 0; at < w->n; at += PIECE) {
        const int64_t n = w->n - at < PIECE ? w->n - at : PIECE;
        int64_t core = 0;
        le__im_load(&w->pixels, at, n, values);
        for (int64_t i = 0; i < n; i++)
            if (values[i] >= w->edges.lower && values[i] <= w->edges.upper)
                values[core++] = values[i];
        le__im_add_exactly(values, core, w->edges.shift, sum, sum2);
    }
}

/* Another look, for pixels that have no tail. */
static double extreme_of_core(void *context, bool greatest) {
    enum { PIECE = 256 };
    le__im_window *w = context;
    double values[PIECE], least = INFINITY, most = -INFINITY;
    for (int64_t at = 0; at < w->n && !w->extremes_known; at += PIECE) {
        const int64_t n = w->n - at < PIECE ? w->n - at : PIECE;
        le__im_load(&w->pixels, at, n, values);
        for (int64_t i = 0; i < n; i++) {
            const bool core = (values[i] >= w->edges.lower) & (values[i] <= w->edges.upper);
            least = core && values[i] < least ? values[i] : least;
            most = core && values[i] > most ? values[i] : most;
        }
    }
    if (!w->extremes_known) {
        w->extremes[0] = least;
        w->extremes[1] = most;
        w->extremes_known = true;
    }
    return w->extremes[greatest];
}

static bool join(le_call *call, le__im_window *w, le__im_sorted *all) {
    int64_t tails = 0, window = 0;
    le__dd sum = {0, 0}, sum2 = {0, 0};
    for (int64_t b = 0; b < w->blocks; b++) {
        tails += w->parts[b].n_tails;
        window += w->parts[b].n_window;
    }
    w->tails = le_call_scratch(call, (size_t)(2 * tails + 1) * sizeof(double));
    w->window = le_call_scratch(call, (size_t)(2 * window + 1) * sizeof(double));
    w->ends = le_call_scratch(call, LE__IM_BUCKETS * sizeof *w->ends);
    if (!w->tails || !w->window || !w->ends)
        return false;
    w->listed = w->window + window;
    for (int64_t b = 0; b < w->blocks; b++) {
        const le__im_block *p = &w->parts[b];
        all->n_high += copy(w, p->tails, p->n_tails, w->tails + all->n_high);
        w->n_window += copy(w, p->window, p->n_window, w->listed + w->n_window);
        all->n_core += p->n_core;
        all->n_below += p->n_below;
        sum = le__dd_add(sum, p->sum);
        sum2 = le__dd_add(sum2, p->sum2);
    }
    all->n_window = w->n_window;
    all->sum = sum.hi;
    all->sum2 = sum2.hi;
    return true;
}

static void order(le__im_window *w, le__im_sorted *all) {
    const int64_t n = all->n_high;
    double *spare = w->tails + n;
    all->n_low = split(w->tails, n, w->edges.lower, spare);
    all->n_high = n - all->n_low;
    all->low = w->tails;
    all->high = w->tails + all->n_low;
    le__im_sort(NULL, w->tails, all->n_low, spare);
    le__im_sort(NULL, w->tails + all->n_low, all->n_high, spare);
    fill_buckets(w);
}

static le__im_sorted about(le__im_window *w) {
    return (le__im_sorted){.core_lower = next_to(w, w->edges.lower, -INFINITY),
                           .core_upper = next_to(w, w->edges.upper, INFINITY),
                           .shift = w->edges.shift,
                           .window_at = window_at,
                           .extreme = extreme_of_core,
                           .exact = exact_core,
                           .context = w};
}

le_status le__im_window_end(le_call *call, le__im_window *w, le__im_clipped *out) {
    le__im_sorted all = about(w);
    bool full = w->blocks == 0;
    for (int64_t b = 0; b < w->blocks; b++)
        full = full || w->parts[b].full;
    if (!full) {
        if (!join(call, w, &all))
            return LE_ERR_MEMORY;
        order(w, &all);
    }
    if (!full && le__im_clip_sorted(&w->clip, &all, out))
        return LE_OK;
    return clip_by_sorting(call, w, out);
}

/* --- few numbers --- */

int64_t le__im_few_spare(int64_t n) {
    return 4 * n + LE__IM_BUCKETS / 2 + 2 * SAMPLE_OF_FEW;
}

static void list(le__im_window *w, const double *values, le__im_sorted *all) {
    const le__im_edges e = w->edges;
    for (int64_t i = 0; i < w->n; i++) {
        const double v = values[i];
        const bool core = (v >= e.lower) & (v <= e.upper);
        w->tails[all->n_high] = w->listed[w->n_window] = v;
        all->n_high += !core;
        all->n_below += core & (v < e.window_lower);
        w->n_window += (v >= e.window_lower) & (v <= e.window_upper);
    }
    all->n_core = w->n - all->n_high;
    all->n_window = w->n_window;
}

static void sum_core(const le__im_window *w, const double *values, le__im_sorted *all) {
    enum { LANES = 8 };
    double s[LANES] = {0}, s2[LANES] = {0};
    for (int64_t i = 0; i < w->n; i++) {
        const double v = values[i];
        const double d = v >= w->edges.lower && v <= w->edges.upper ? v - w->edges.shift : 0;
        s[i % LANES] += d;
        s2[i % LANES] += d * d;
    }
    for (int k = 0; k < LANES; k++) {
        all->sum += s[k];
        all->sum2 += s2[k];
    }
}

static bool clip_by_window(le__im_window *w, double *values, double *spare, le__im_clipped *out) {
    if (w->n < FEWEST_OF_FEW || w->clip.mad)
        return false;
    w->tails = spare;
    w->window = w->tails + 2 * w->n;
    w->listed = w->window + w->n;
    w->ends = (uint32_t *)(void *)(w->listed + w->n);
    if (!look_at_sample(w, SAMPLE_OF_FEW, w->listed + w->n + LE__IM_BUCKETS / 2))
        return false;
    le__im_sorted all = about(w);
    list(w, values, &all);
    sum_core(w, values, &all);
    order(w, &all);
    return le__im_clip_sorted(&w->clip, &all, out);
}

void le__im_clip_few(const le__im_clip *clip, double *values, int64_t n, double *spare,
                     le__im_clipped *out) {
    le__im_window w = {.clip = *clip, .pixels = le__im_pixels_in(values), .wide = true, .n = n};
    if (clip_by_window(&w, values, spare, out))
        return;
    le__im_sort(NULL, values, n, spare);
    const le__im_sorted sorted = {.low = values, .n_low = n, .high = values};
    le__im_clip_sorted(clip, &sorted, out); /* all is listed */
}
