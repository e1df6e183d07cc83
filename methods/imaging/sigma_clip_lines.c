/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip along an axis, with the pixels of each line sorted once.
 */
#include "imaging/sigma_clip.h"

enum { BLOCK = 64 };

typedef struct job {
    const le_call *call;
    const le_tensor *image;
    le__im_sets sets;
    le__im_clip clip;
    le__im_clip_outputs out;
    double *spare; /* two sets of pixels for each worker */
} job;

/* The pixels of a set, as a view. */
static le_tensor view_of(const job *j, int64_t set) {
    const le_tensor *image = j->image;
    const void *first = /* none of lines without pixels */
        le_tensor_elements(image, le__im_first(&j->sets, set), j->sets.length > 0, NULL);
    le_tensor view = le_tensor_of((void *)first, image->dtype, 1, &j->sets.length);
    view.strides[0] = image->strides[le__im_clip_axis(j->call)];
    return view;
}

/* The finite ones, some at a time, for the call may be ended. */
static int64_t gather(const job *j, int64_t set, double *values) {
    const le_tensor view = view_of(j, set);
    const le__im_pixels pixels = le__im_pixels_of(&view);
    int64_t n = 0;
    for (int64_t at = 0, count; at < j->sets.length && !le_call_cancelled(j->call); at += count) {
        double *piece = values + n;
        count = j->sets.length - at < LE__IM_OFTEN ? j->sets.length - at : LE__IM_OFTEN;
        le__im_load(&pixels, at, count, piece);
        for (int64_t i = 0; i < count; i++) {
            const double v = piece[i];
            values[n] = v;
            n += isfinite(v) != 0;
        }
    }
    return n;
}

/* Nothing where the call is to end. */
static le__im_clipped clip_set(const job *j, int64_t set, double *values) {
    const int64_t n = gather(j, set, values);
    le__im_clipped c = {.count = 0};
    const le__im_sorted sorted = {.low = values, .n_low = n, .high = values};
    if (le__im_sort(j->call, values, n, values + j->sets.length))
        le__im_clip_sorted(&j->clip, &sorted, &c); /* all is listed */
    return c;
}

static void mask_set(const job *j, int64_t set, const le__im_clipped *c, double *values) {
    const le_tensor view = view_of(j, set);
    const le__im_pixels pixels = le__im_pixels_of(&view);
    const int64_t first = le__im_first(&j->sets, set);
    le__im_load(&pixels, 0, j->sets.length, values);
    for (int64_t i = 0; i < j->sets.length; i++)
        j->out.mask[first + i * j->sets.step] = !le__im_keeps(c, values[i]);
}

static void clip_sets(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    double *values = j->spare + worker * 2 * j->sets.length;
    const int64_t stop = (int64_t)end * BLOCK < j->sets.n ? (int64_t)end * BLOCK : j->sets.n;
    for (int64_t s = (int64_t)begin * BLOCK; s < stop; s++) {
        const le__im_clipped c = clip_set(j, s, values);
        if (j->out.statistics)
            le__im_statistics(&c, j->sets.n, j->out.statistics + s);
        if (j->out.mask)
            mask_set(j, s, &c, values);
    }
}

static le_status run(le_call *call) {
    job j = {.call = call,
             .image = le_call_in(call, SIGMA_CLIP_IMAGE),
             .sets = le__im_sets_of(call),
             .clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS),
             .out = le__im_clip_outputs_of(call)};
    const int64_t workers = le_call_threads(call);
    j.spare = le_call_scratch(call, (size_t)(workers * 2 * j.sets.length + 1) * sizeof(double));
    if (!j.spare)
        return le_fail(LE_ERR_MEMORY, "sigma_clip: no memory for the pixels");
    return le_parallel_for(call, (size_t)((j.sets.n + BLOCK - 1) / BLOCK), clip_sets, &j);
}

static bool applicable(const le_call *call, const char **why) {
    *why = "no axis";
    return le_call_given(call, SIGMA_CLIP_AXIS);
}

static int64_t memory(const le_call *call) {
    return 2 * (int64_t)sizeof(double) * le__im_sets_of(call).length * le_call_threads(call);
}

LE_IMPLEMENTATION(sigma_clip, lines, .run_type = "c",
                  .summary = "lines along an axis, the pixels of each sorted once",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .applicable = applicable,
                  .memory = memory, .run = run);
