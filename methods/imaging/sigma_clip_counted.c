/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip of integers of up to 16 bits, by counting them.
 */
#include "imaging/clip_counted.h"
#include "imaging/sigma_clip.h"

#include <string.h>

enum { BLOCK = 1 << 18 };

typedef struct job {
    le__im_pixels image;
    int64_t n;
    uint32_t *counts; /* of each worker */
    le__im_clipped clipped;
    uint8_t *mask;
} job;

static int64_t end_of(const job *j, size_t blocks) {
    return (int64_t)blocks * BLOCK < j->n ? (int64_t)blocks * BLOCK : j->n;
}

static void count(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    le__im_count_pixels(&j->image, (int64_t)begin * BLOCK, end_of(j, end),
                        j->counts + (size_t)worker * LE__IM_VALUES);
}

static void mask(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    (void)worker;
    le__im_clip_mask(&j->clipped, &j->image, (int64_t)begin * BLOCK, end_of(j, end), j->mask);
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const le__im_clip_outputs out = le__im_clip_outputs_of(call);
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    const size_t workers = (size_t)le_call_threads(call);
    job j = {.image = le__im_pixels_of(image),
             .n = le_tensor_count(image),
             .counts = le_call_scratch(call, workers * LE__IM_VALUES * sizeof(uint32_t)),
             .mask = out.mask};
    int64_t *memory = le_call_scratch(call, LE__IM_COUNTED_MEMORY * sizeof *memory);
    const size_t blocks = (size_t)((j.n + BLOCK - 1) / BLOCK);
    if (!j.counts || !memory)
        return le_fail(LE_ERR_MEMORY, "sigma_clip: no memory for the counts");
    memset(j.counts, 0, workers * LE__IM_VALUES * sizeof(uint32_t));
    const le_status status = le_parallel_for(call, blocks, count, &j);
    if (status != LE_OK)
        return status;
    for (size_t i = LE__IM_VALUES; i < workers * LE__IM_VALUES; i++)
        j.counts[i % LE__IM_VALUES] += j.counts[i];
    j.clipped = le__im_clip_counted(&clip, image->dtype, j.counts, memory);
    if (out.statistics)
        le__im_statistics(&j.clipped, 1, out.statistics);
    return out.mask ? le_parallel_for(call, blocks, mask, &j) : LE_OK;
}

static int64_t memory(const le_call *call) {
    return le_call_threads(call) * LE__IM_VALUES * (int64_t)sizeof(uint32_t) +
           LE__IM_COUNTED_MEMORY * (int64_t)sizeof(int64_t);
}

static bool applicable(const le_call *call, const char **why) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    *why = "not integers of up to 16 bits, or sets along an axis";
    return le__im_countable(image->dtype) && le_tensor_count(image) <= INT32_MAX &&
           le__im_is_one_set(call);
}

LE_IMPLEMENTATION(sigma_clip, counted, .run_type = "c",
                  .summary = "from how often each integer occurs", .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = 10, .applicable = applicable, .memory = memory, .run = run);
