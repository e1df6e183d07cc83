/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip with one look at the pixels.
 */
#include "imaging/clip_pass.h"
#include "imaging/sigma_clip.h"

enum { BLOCK = 1 << 16 };

typedef struct job {
    le__im_window window;
    le__im_clipped clipped;
    uint8_t *mask;
} job;

static int64_t end_of(const job *j, size_t block) {
    const int64_t end = ((int64_t)block + 1) * BLOCK;
    return end < j->window.n ? end : j->window.n;
}

static void look(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    (void)worker;
    for (size_t b = begin; b < end; b++) {
        le__im_block part = j->window.parts[b];
        for (int64_t at = (int64_t)b * BLOCK; at < end_of(j, b); at += LE__IM_SPAN) {
            const int64_t left = end_of(j, b) - at;
            le__im_pass(&j->window, at, left < LE__IM_SPAN ? left : LE__IM_SPAN, NULL, &part);
        }
        j->window.parts[b] = part;
    }
}

static void mask(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    (void)worker;
    le__im_clip_mask(&j->clipped, &j->window.pixels, (int64_t)begin * BLOCK, end_of(j, end - 1),
                     j->mask);
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const le__im_clip_outputs out = le__im_clip_outputs_of(call);
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    const le__im_pixels pixels = le__im_pixels_of(image);
    const int64_t n = le_tensor_count(image);
    job j = {.mask = out.mask};
    le_status status = le__im_window_begin(call, &clip, &pixels, n, BLOCK, &j.window);
    if (status == LE_OK && j.window.blocks)
        status = le_parallel_for(call, (size_t)j.window.blocks, look, &j);
    if (status == LE_OK)
        status = le__im_window_end(call, &j.window, &j.clipped);
    if (status != LE_OK)
        return status == LE_ERR_MEMORY ? le_fail(status, "sigma_clip: no memory for the pixels")
                                       : status;
    if (out.statistics)
        le__im_statistics(&j.clipped, 1, out.statistics);
    return out.mask ? le_parallel_for(call, (size_t)((n + BLOCK - 1) / BLOCK), mask, &j) : LE_OK;
}

static bool applicable(const le_call *call, const char **why) {
    *why = "sets along an axis";
    return le__im_is_one_set(call);
}

static int64_t memory(const le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    return le__im_window_memory(&clip, image->dtype, le_tensor_count(image));
}

LE_IMPLEMENTATION(sigma_clip, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "one look at the pixels, " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(3, 8, 12),
                  .applicable = applicable, .memory = memory, .run = run);
