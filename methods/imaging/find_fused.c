/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * find_sources fused: no mask and no image of labels between the steps. The
 * look at the pixels for the clip also marks those beyond its upper edge; the
 * pixels above the level are among them when that is higher, so that few are
 * looked at again. With flood that is the lower of the two levels; seeds are
 * looked for in what is above it. On a mesh background and noise of a pixel are
 * made when it is compared, and never stored.
 */
#include "imaging/background.h"
#include "imaging/clip_pass.h"
#include "imaging/find_sources.h"
#include "imaging/label.h"
#include "imaging/runs_simd.h"
#include "imaging/threshold.h"

typedef struct job {
    le__im_pixels image;
    le__im_runs runs;
    le__im_window window;
    le__im_clipped clipped;
    double level, seed_level; /* of all pixels of a source, of one of them at least; on a mesh
                                 noises above the background */
    bool meshed;
    le__im_mesh mesh;
    bool marked; /* bits are set where a pixel may be above the level, else they
                    are not yet set */
} job;

/* --- clip --- */

static void look_at_line(const job *j, int64_t line, le__im_block *part) {
    const int64_t cols = j->runs.shape.cols;
    for (int64_t x = 0; x < cols; x += LE__IM_SPAN)
        le__im_pass(&j->window, line * cols + x, cols - x < LE__IM_SPAN ? cols - x : LE__IM_SPAN,
                    j->runs.bits + line * j->runs.words + x / LE__IM_WORD, part);
}

static void look(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    (void)worker;
    for (int64_t b = (int64_t)begin; b < (int64_t)end; b++) {
        le__im_block part = j->window.parts[b];
        for (int64_t l = le__im_block_begin(&j->runs, b); l < le__im_block_end(&j->runs, b); l++)
            look_at_line(j, l, &part);
        j->window.parts[b] = part;
    }
}

static le_status clip(le_call *call, job *j) {
    const le__im_clip how = le__im_clip_of(call, FIND_CLIP);
    const int64_t n = le_tensor_count(le_call_in(call, FIND_IMAGE));
    le_status status = le__im_window_begin(call, &how, &j->image, n,
                                           j->runs.block * j->runs.shape.cols, &j->window);
    if (status != LE_OK)
        return status;
    if (j->window.blocks)
        status = le_parallel_for(call, (size_t)j->runs.blocks, look, j);
    return status == LE_OK ? le__im_window_end(call, &j->window, &j->clipped) : status;
}

/* --- level --- */

/* Of n <= 64 pixels those above the limit. */
#define ABOVE(T, s)                                                                                \
    static uint64_t above_##s(const T *x, int64_t n, T limit) {                                    \
        uint8_t high[LE__IM_WORD] = {0};                                                           \
        if (n == LE__IM_WORD) /* a fixed number, for compilers that then take vectors */           \
            for (int k = 0; k < LE__IM_WORD; k++)                                                  \
                high[k] = x[k] > limit;                                                            \
        else                                                                                       \
            for (int64_t k = 0; k < n; k++)                                                        \
                high[k] = x[k] > limit;                                                            \
        return le__im_word(high);                                                                  \
    }
ABOVE(float, f32)
ABOVE(double, f64)

/* The maps are rounded, as background_mesh stores them. */
static uint64_t above_mesh(const job *j, double k, int64_t line, int64_t col, int64_t n) {
    double values[64], background[64], noise[64];
    uint64_t word = 0;
    le__im_load(&j->image, line * j->runs.shape.cols + col, n, values);
    le__im_mesh_span(&j->mesh, j->mesh.background, line, col, n, background);
    le__im_mesh_span(&j->mesh, j->mesh.noise, line, col, n, noise);
    for (int64_t i = 0; i < n; i++)
        word |= (uint64_t)(values[i] - (double)(float)background[i] > k * (double)(float)noise[i])
                << i;
    return word;
}

/* Of n <= 64 pixels of a line those above the level. */
static uint64_t above(const job *j, double level, int64_t line, int64_t col, int64_t n) {
    double values[64];
    const int64_t at = line * j->runs.shape.cols + col;
    if (j->meshed)
        return above_mesh(j, level, line, col, n);
    if (j->image.dtype == LE_F32)
        return above_f32(le__im_piece(&j->image, at, n, values), n, le__im_float_below(level));
    if (j->image.dtype == LE_F64)
        return above_f64(le__im_piece(&j->image, at, n, values), n, level);
    le__im_load(&j->image, at, n, values);
    return above_f64(values, n, level);
}

static void segment_line(const job *j, int64_t line) {
    const int64_t cols = j->runs.shape.cols;
    uint64_t *bits = j->runs.bits + line * j->runs.words;
    for (int64_t w = 0; w < j->runs.words; w++) {
        const int64_t n = cols - 64 * w < 64 ? cols - 64 * w : 64;
        if (!j->marked || bits[w])
            bits[w] = above(j, j->level, line, 64 * w, n);
    }
}

static void segment(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    (void)worker;
    for (int64_t b = (int64_t)begin; b < (int64_t)end; b++) {
        for (int64_t l = le__im_block_begin(&j->runs, b); l < le__im_block_end(&j->runs, b); l++)
            segment_line(j, l);
        le__im_block_starts(&j->runs, b);
    }
}

/* --- runs --- */

/* Pixels of the run that starts at a bit of word w, up to the line's last word.
 */
static int64_t length_of(const le__im_runs *r, int64_t w, int bit, int64_t line_end) {
    const uint64_t gaps = ~(r->bits[w] >> bit);
    int64_t n = gaps ? __builtin_ctzll(gaps) : 64;
    if (n < 64 - bit)
        return n;
    for (n = 64 - bit; ++w < line_end; n += 64)
        if (~r->bits[w])
            return n + __builtin_ctzll(~r->bits[w]);
    return n;
}

/* n pixels of a line, from column col, of the component with this number. */
typedef void (*run_fn)(const job *j, int32_t label, int64_t line, int64_t col, int64_t n,
                       void *context);

static void for_runs_of_line(const job *j, int64_t line, run_fn fn, void *context) {
    const le__im_runs *r = &j->runs;
    const int64_t first = line * r->words, end = first + r->words;
    for (int64_t w = first; w < end; w++) {
        uint32_t run = r->first[w];
        for (uint64_t at = r->starts[w]; at; at &= at - 1) {
            const int bit = __builtin_ctzll(at);
            fn(j, r->labels[++run], line, 64 * (w - first) + bit, length_of(r, w, bit, end),
               context);
        }
    }
}

static le_status for_runs(le_call *call, const job *j, run_fn fn, void *context) {
    for (int64_t line = 0; line < le__im_lines(j->runs.shape); line++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        for_runs_of_line(j, line, fn, context);
    }
    return LE_OK;
}

/* --- select --- */

/* Of a component: its pixels, then the number that it gets. */
typedef struct candidate {
    int32_t number;
    bool seeded;
} candidate;

static void count_run(const job *j, int32_t label, int64_t line, int64_t col, int64_t n,
                      void *context) {
    candidate *c = (candidate *)context + label;
    c->number += (int32_t)n;
    for (int64_t at = 0; at < n && !c->seeded; at += 64)
        c->seeded = above(j, j->seed_level, line, col + at, n - at < 64 ? n - at : 64) != 0;
}

/* Drops components that are too small or have no seed; count becomes how many are left. */
static le_status select_components(le_call *call, job *j, int32_t *count) {
    const size_t n = (size_t)*count + 1;
    candidate *all = le_call_scratch(call, n * sizeof *all);
    if (!all)
        return LE_ERR_MEMORY;
    memset(all, 0, n * sizeof *all);
    le_status status = for_runs(call, j, count_run, all);
    if (status != LE_OK)
        return status;
    const int64_t area = le_call_i64(call, FIND_MINIMUM_AREA);
    int32_t kept = 0;
    for (size_t k = 1; k < n; k++)
        all[k].number = all[k].seeded && all[k].number >= area ? ++kept : 0;
    all[0].number = 0;
    for (uint32_t run = 1; run <= j->runs.blocks_first[j->runs.blocks]; run++)
        j->runs.labels[run] = all[j->runs.labels[run]].number;
    *count = kept;
    return LE_OK;
}

/* --- measure --- */

static void measure_run(const job *j, int32_t label, int64_t line, int64_t col, int64_t n,
                        void *context) {
    enum { PIECE = 256 };
    le__im_sums *s = (le__im_sums *)context + label;
    double values[PIECE];
    for (int64_t at = 0; at < n && label > 0; at += PIECE) {
        const int64_t count = n - at < PIECE ? n - at : PIECE;
        le__im_load(&j->image, line * j->runs.shape.cols + col + at, count, values);
        le__im_add_run(s, j->runs.shape, line, col + at, count, values);
    }
}

static le_status measure(le_call *call, const job *j, int32_t count) {
    const le__im_table table = le__im_table_of(call, FIND_IMAGE, FIND_COLUMNS, FIND_SATURATION);
    const le_tensor *catalogue = le_call_out(call, FIND_CATALOGUE);
    const size_t bytes = ((size_t)count + 1) * sizeof(le__im_sums);
    le__im_sums *sums = le_call_scratch(call, bytes);
    if (!sums)
        return LE_ERR_MEMORY;
    memset(sums, 0, bytes);
    le_status status = for_runs(call, j, measure_run, sums);
    if (status != LE_OK)
        return status;
    for (int64_t i = 0; i < count && i < catalogue->shape[0]; i++)
        le__im_catalogue_row(&sums[i + 1], &table, (double)(i + 1),
                             (double *)catalogue->data + i * catalogue->shape[1]);
    le_call_set_count(call, FIND_CATALOGUE, count);
    return LE_OK;
}

/* --- all --- */

/* The level of the image, from its clip. */
static le_status clip_level(le_call *call, job *j, double *statistics) {
    le_status status = clip(call, j);
    if (status != LE_OK)
        return status;
    le__im_statistics(&j->clipped, 1, statistics);
    const bool median = !strcmp(le_call_str(call, FIND_RULE), "median");
    j->seed_level = le__im_level(statistics, j->seed_level, median);
    j->level = le__im_level(statistics, j->level, median);
    bool all = j->window.blocks > 0;
    for (int64_t b = 0; b < j->window.blocks; b++)
        all = all && !j->window.parts[b].full;
    j->marked = all && j->level >= j->window.edges.upper;
    return LE_OK;
}

static le_status set_levels(le_call *call, job *j, double *statistics) {
    const job factors = *j;
    le_status status = LE_OK;
    if (!j->meshed || le_call_given(call, FIND_STATISTICS))
        status = clip_level(call, j, statistics);
    if (status != LE_OK || !j->meshed)
        return status;
    *j = (job){.image = j->image,
               .runs = j->runs,
               .level = factors.level,
               .seed_level = factors.seed_level,
               .meshed = true,
               .mesh = le__im_mesh_of(j->runs.shape.rows, j->runs.shape.cols,
                                      le_call_i64(call, FIND_CELL))};
    return le__im_mesh_make(call, &j->image, LE__IM_MESH_FILTER, &j->mesh);
}

static le_status find(le_call *call, job *j) {
    le_status status = le_parallel_for(call, (size_t)j->runs.blocks, segment, j);
    if (status == LE_OK && !le__im_runs_count(call, &j->runs))
        status = LE_ERR_MEMORY;
    if (status == LE_OK)
        status = le_parallel_for(call, (size_t)j->runs.blocks, le__im_join_blocks, &j->runs);
    if (status != LE_OK)
        return status;
    int32_t count = le__im_runs_number(&j->runs);
    if (le__im_find_selects(call))
        status = select_components(call, j, &count);
    if (status == LE_OK && le_call_given(call, FIND_CATALOGUE))
        status = measure(call, j, count);
    if (status == LE_OK && le_call_given(call, FIND_LABELS)) {
        le__im_labelling l = {&j->runs, le_call_out(call, FIND_LABELS)->data};
        status = le_parallel_for(call, (size_t)j->runs.blocks, le__im_write_blocks, &l);
    }
    return status;
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, FIND_IMAGE);
    double statistics[LE__IM_STATISTICS];
    const int lower = le_call_given(call, FIND_FLOOD) ? FIND_FLOOD : FIND_K;
    job j = {.image = le__im_pixels_of(image),
             .level = le_call_f64(call, lower),
             .seed_level = le_call_f64(call, FIND_K),
             .meshed = le__im_find_mesh(call)};
    const int reach = le__im_reach(le_call_i64(call, FIND_CONNECTIVITY), image->ndim);
    le_status status = le__im_runs_begin(call, le__im_shape_of(image), reach, &j.runs)
                           ? set_levels(call, &j, statistics)
                           : LE_ERR_MEMORY;
    if (status == LE_OK &&
        (le_call_given(call, FIND_CATALOGUE) || le_call_given(call, FIND_LABELS)))
        status = find(call, &j);
    if (status != LE_OK)
        return status == LE_ERR_MEMORY ? le_fail(status, "find_sources: no memory for the pixels")
                                       : status;
    for (int k = 0; le_call_given(call, FIND_STATISTICS) && k < LE__IM_STATISTICS; k++)
        ((double *)le_call_out(call, FIND_STATISTICS)->data)[k] = statistics[k];
    return LE_OK;
}

static bool applicable(const le_call *call, const char **why) {
    *why = "a kernel is for the chain, where a convolution of its own is chosen for it";
    return !le_call_given(call, FIND_KERNEL);
}

static int64_t memory(const le_call *call) {
    const le_tensor *image = le_call_in(call, FIND_IMAGE);
    const le__im_clip clip = le__im_clip_of(call, FIND_CLIP);
    const bool clips = !le__im_find_mesh(call) || le_call_given(call, FIND_STATISTICS);
    return le__im_runs_memory(le__im_shape_of(image)) + le__im_find_mesh_memory(call) +
           (clips ? le__im_window_memory(&clip, image->dtype, le_tensor_count(image)) : 0);
}

LE_IMPLEMENTATION(find_sources, LE__ISA_NAME(fused_), LE__ISA_FIELDS("fused"),
                  .summary = "no mask and no labels between the steps, " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(3, 8, 12),
                  .applicable = applicable, .memory = memory, .run = run);
