/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions with kernels that are a sum of few products of a column and a row: four rows of the
 * result at a time, first down the columns, then along the rows, while these sums are in the cache.
 * Once for each instruction set.
 */
#include "imaging/convolution_floats.h"

typedef struct fused {
    le__conv_context x;
    const void *columns, *rows; /* of the terms, in the precision of the sums */
    char *pass;                 /* sums down the columns, of each worker */
} fused;

enum { LANES = LE__BY_ISA(1, 4, 8) };

static double speed_of(const le_call *call) {
    return LANES * le__conv_gain(call, le__conv_term_products(call));
}

static size_t pass_bytes(const le__conv_blocks *b, le__conv_form form) {
    return 4 * (size_t)(b->c->terms.rank * b->width) * form.size;
}

static int64_t memory(const le_call *call) {
    const le__conv_form form = form_of(call);
    const le__conv_blocks b = le__conv_blocks_of(le__convolution_of(call), form.multiple);
    return le__conv_memory(call, form) + (int64_t)pass_bytes(&b, form) * le_call_threads(call);
}

static le_status prepare(le_call *call, void **out) {
    const le__convolution *c = le__convolution_of(call);
    fused *f = le_call_scratch(call, sizeof *f);
    if (!f)
        return le_fail(LE_ERR_MEMORY, "no memory for a convolution");
    le_status status = prepare_context(call, &f->x);
    if (status != LE_OK)
        return status;
    f->columns = le__conv_in_precision(call, c->terms.columns, c->terms.rank * c->tap_rows);
    f->rows = le__conv_in_precision(call, c->terms.rows, c->terms.rank * c->tap_cols);
    f->pass =
        le_call_scratch(call, pass_bytes(&f->x.blocks, f->x.form) * (size_t)le_call_threads(call));
    *out = f;
    return f->columns && f->rows && f->pass
               ? LE_OK
               : le_fail(LE_ERR_MEMORY, "no memory for terms of a convolution");
}

static void block_f32(const fused *f, const le__conv_block *b, int worker) {
    const terms_f32 k = {f->x.run.c->terms.rank, f->columns, f->rows};
    tile_f32 t = tile_at_f32(&f->x, worker);
    void *pass = f->pass + pass_bytes(&f->x.blocks, f->x.form) * (size_t)worker;
    bool flush = true, sound;
    do {
        const unsigned denormals = le__denormals_flush(flush);
        sound = separable_f32(&f->x.run, b, &k, &t, pass);
        le__denormals_restore(denormals);
    } while (sound && needs_denormals(&f->x.run, b, &t, &flush));
    if (!sound)
        mended_f32(&f->x.run, b, f->x.taps, &t);
}

static void block_f64(const fused *f, const le__conv_block *b, int worker) {
    const terms_f64 k = {f->x.run.c->terms.rank, f->columns, f->rows};
    tile_f64 t = tile_at_f64(&f->x, worker);
    void *pass = f->pass + pass_bytes(&f->x.blocks, f->x.form) * (size_t)worker;
    if (!separable_f64(&f->x.run, b, &k, &t, pass))
        direct_f64(&f->x.run, b, f->x.taps, 0, &t);
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const fused *f = data;
    for (size_t item = begin; item < end; item++) {
        const le__conv_block b = le__conv_block_at(&f->x.blocks, (int64_t)item);
        (f->x.run.c->in_f64 ? block_f64 : block_f32)(f, &b, worker);
    }
}

#define LE__CONV_SEPARABLE(operation)                                                              \
    LE_IMPLEMENTATION(operation, LE__ISA_NAME(separable_), LE__ISA_FIELDS("simd"),                 \
                      .summary =                                                                   \
                          "sum of separable terms, both passes in the cache; " LE__ISA_WIDTH,      \
                      .flags = LE_IMPL_REPRODUCIBLE, .speed = LANES, .speed_of = speed_of,         \
                      .applicable = le__conv_separable, .memory = memory, .prepare = prepare,      \
                      .items = items, .range = range)

LE__CONV_SEPARABLE(convolve2d);
LE__CONV_SEPARABLE(correlate2d);
