/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * threshold as typed loops, which compilers turn into vectors: floats against
 * the next float below the level, small integers against the next integer below
 * it.
 */
#include "imaging/threshold.h"

#include "common/isa.h"

enum { BLOCK = 1 << 14, PIECE = 1024 };

typedef struct job {
    le__im_pixels image, background, noise;
    bool maps;
    int64_t n;
    double level, k;
    uint8_t *mask;
} job;

/* For numbers within +-65536. */
static int32_t integer_below(double level) {
    return isnan(level) || level > 70000 ? 70000 : level < -70000 ? -70000 : (int32_t)floor(level);
}

#define WITH_LIMIT(T, s, L)                                                                        \
    static void above_##s(const void *piece, int64_t n, L limit, uint8_t *restrict out) {          \
        const T *restrict in = piece;                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = in[i] > limit;                                                                \
    }
WITH_LIMIT(uint8_t, u8, int32_t)
WITH_LIMIT(int16_t, i16, int32_t)
WITH_LIMIT(uint16_t, u16, int32_t)
WITH_LIMIT(int32_t, i32, double)
WITH_LIMIT(uint32_t, u32, double)
WITH_LIMIT(float, f32, float)
WITH_LIMIT(double, f64, double)

static void above_level(const job *j, int64_t at, int64_t n) {
    double room[PIECE];
    const void *piece = le__im_piece(&j->image, at, n, room);
    uint8_t *out = j->mask + at;
    switch (j->image.dtype) {
    case LE_U8:
        above_u8(piece, n, integer_below(j->level), out);
        break;
    case LE_I16:
        above_i16(piece, n, integer_below(j->level), out);
        break;
    case LE_U16:
        above_u16(piece, n, integer_below(j->level), out);
        break;
    case LE_I32:
        above_i32(piece, n, j->level, out);
        break;
    case LE_U32:
        above_u32(piece, n, j->level, out);
        break;
    case LE_F32:
        above_f32(piece, n, le__im_float_below(j->level), out);
        break;
    default:
        above_f64(piece, n, j->level, out);
        break;
    }
}

static void above_maps(const job *j, int64_t at, int64_t n) {
    double value[PIECE], background[PIECE], noise[PIECE];
    le__im_load(&j->image, at, n, value);
    le__im_load(&j->background, at, n, background);
    le__im_load(&j->noise, at, n, noise);
    for (int64_t i = 0; i < n; i++)
        j->mask[at + i] = value[i] - background[i] > j->k * noise[i];
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    const int64_t stop = (int64_t)end * BLOCK < j->n ? (int64_t)end * BLOCK : j->n;
    (void)worker;
    for (int64_t at = (int64_t)begin * BLOCK; at < stop; at += PIECE)
        (j->maps ? above_maps : above_level)(j, at, stop - at < PIECE ? stop - at : PIECE);
}

static le_status prepare(le_call *call, void **context) {
    job *j = le_call_scratch(call, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "threshold: out of memory");
    *j = (job){.image = le__im_pixels_of(le_call_in(call, THRESHOLD_IMAGE)),
               .maps = le_call_given(call, THRESHOLD_NOISE),
               .n = le_tensor_count(le_call_in(call, THRESHOLD_IMAGE)),
               .k = le_call_f64(call, THRESHOLD_K),
               .mask = le_call_out(call, THRESHOLD_MASK)->data};
    if (j->maps) {
        j->background = le__im_pixels_of(le_call_in(call, THRESHOLD_BACKGROUND));
        j->noise = le__im_pixels_of(le_call_in(call, THRESHOLD_NOISE));
    } else {
        j->level = le__im_threshold_level(call);
    }
    *context = j;
    return LE_OK;
}

static size_t items(const le_call *call) {
    return (size_t)((le_tensor_count(le_call_in(call, THRESHOLD_IMAGE)) + BLOCK - 1) / BLOCK);
}

LE_IMPLEMENTATION(threshold, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "typed loops, " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 2, 2.5), .prepare = prepare, .items = items,
                  .range = range);
