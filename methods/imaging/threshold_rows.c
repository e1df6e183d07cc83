/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * threshold as typed loops, which compilers turn into vectors: floats against
 * the next float below the level, small integers against the next integer below
 * it.
 */
#include "imaging/threshold.h"

#include "common/isa.h"

enum { BLOCK = 1 << 14 };

typedef struct job {
    const void *image, *background, *noise;
    le_dtype dtype, background_dtype, noise_dtype;
    int64_t n;
    double level, k;
    uint8_t *mask;
} job;

/* For numbers within +-65536. */
static int32_t integer_below(double level) {
    return isnan(level) || level > 70000 ? 70000 : level < -70000 ? -70000 : (int32_t)floor(level);
}

#define WITH_LIMIT(T, s, L)                                                                        \
    static void above_##s(const job *j, int64_t begin, int64_t end, L limit) {                     \
        const T *restrict in = j->image;                                                           \
        uint8_t *restrict out = j->mask;                                                           \
        for (int64_t i = begin; i < end; i++)                                                      \
            out[i] = in[i] > limit;                                                                \
    }
WITH_LIMIT(uint8_t, u8, int32_t)
WITH_LIMIT(int16_t, i16, int32_t)
WITH_LIMIT(uint16_t, u16, int32_t)
WITH_LIMIT(int32_t, i32, double)
WITH_LIMIT(uint32_t, u32, double)
WITH_LIMIT(float, f32, float)
WITH_LIMIT(double, f64, double)

static void above_level(const job *j, int64_t begin, int64_t end) {
    switch (j->dtype) {
    case LE_U8:
        above_u8(j, begin, end, integer_below(j->level));
        break;
    case LE_I16:
        above_i16(j, begin, end, integer_below(j->level));
        break;
    case LE_U16:
        above_u16(j, begin, end, integer_below(j->level));
        break;
    case LE_I32:
        above_i32(j, begin, end, j->level);
        break;
    case LE_U32:
        above_u32(j, begin, end, j->level);
        break;
    case LE_F32:
        above_f32(j, begin, end, le__im_float_below(j->level));
        break;
    default:
        above_f64(j, begin, end, j->level);
        break;
    }
}

static void above_maps(const job *j, int64_t begin, int64_t end) {
    enum { PIECE = 256 };
    double value[PIECE], background[PIECE], noise[PIECE];
    for (int64_t at = begin; at < end; at += PIECE) {
        const int64_t n = end - at < PIECE ? end - at : PIECE;
        le__im_load(j->image, j->dtype, at, n, value);
        le__im_load(j->background, j->background_dtype, at, n, background);
        le__im_load(j->noise, j->noise_dtype, at, n, noise);
        for (int64_t i = 0; i < n; i++)
            j->mask[at + i] = value[i] - background[i] > j->k * noise[i];
    }
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    const int64_t stop = (int64_t)end * BLOCK < j->n ? (int64_t)end * BLOCK : j->n;
    (void)worker;
    (j->noise ? above_maps : above_level)(j, (int64_t)begin * BLOCK, stop);
}

static le_status prepare(le_call *call, void **context) {
    job *j = le_call_scratch(call, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "threshold: out of memory");
    *j = (job){.image = le_call_contiguous(call, THRESHOLD_IMAGE),
               .dtype = le_call_in(call, THRESHOLD_IMAGE)->dtype,
               .n = le_tensor_count(le_call_in(call, THRESHOLD_IMAGE)),
               .k = le_call_f64(call, THRESHOLD_K),
               .mask = le_call_out(call, THRESHOLD_MASK)->data};
    const bool maps = le_call_given(call, THRESHOLD_NOISE);
    if (maps) {
        j->background = le_call_contiguous(call, THRESHOLD_BACKGROUND);
        j->noise = le_call_contiguous(call, THRESHOLD_NOISE);
        j->background_dtype = le_call_in(call, THRESHOLD_BACKGROUND)->dtype;
        j->noise_dtype = le_call_in(call, THRESHOLD_NOISE)->dtype;
    } else {
        j->level = le__im_threshold_level(call);
    }
    *context = j;
    return j->image && (!maps || (j->background && j->noise))
               ? LE_OK
               : le_fail(LE_ERR_MEMORY, "threshold: no memory for the pixels");
}

static size_t items(const le_call *call) {
    return (size_t)((le_tensor_count(le_call_in(call, THRESHOLD_IMAGE)) + BLOCK - 1) / BLOCK);
}

LE_IMPLEMENTATION(threshold, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "typed loops, " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 2, 2.5), .prepare = prepare, .items = items,
                  .range = range);
