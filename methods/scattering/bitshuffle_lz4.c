/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation bitshuffle_lz4: stored chunks to elements.
 */
#include "scattering/bitshuffle_lz4.h"
#include "scattering/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const le__sc_stored_args le__sc_bits_args = {
    BITS_ARG_BYTES,      BITS_ARG_OFFSETS,     BITS_ARG_SKIPPED, BITS_ARG_CHUNK, BITS_ARG_TYPE,
    BITS_ARG_BIG_ENDIAN, BITS_ARG_COMPRESSION, BITS_ARG_BLOCK,   BITS_ARG_FILL,  BITS_ARG_BAD};

static const char name[] = "bitshuffle_lz4";

static const le_arg_desc args[] = {
    [BITS_ARG_BYTES] = LE__SC_STORED_BYTES("frames"),
    [BITS_ARG_OFFSETS] = LE__SC_STORED_OFFSETS,
    [BITS_ARG_SKIPPED] = LE__SC_STORED_SKIPPED,
    [BITS_ARG_CHUNK] = LE__SC_STORED_CHUNK,
    [BITS_ARG_TYPE] = LE__SC_STORED_TYPE,
    [BITS_ARG_BIG_ENDIAN] = LE__SC_STORED_BIG_ENDIAN,
    [BITS_ARG_COMPRESSION] = LE__SC_STORED_COMPRESSION,
    [BITS_ARG_BLOCK] = LE__SC_STORED_BLOCK,
    [BITS_ARG_FILL] = LE__SC_STORED_FILL,
    [BITS_ARG_BAD] = LE__SC_STORED_BAD("bad_frames"),
    [BITS_ARG_RESULT] = {.name = "result",
                         .doc = "the elements of all chunks, usually in their type; 0 where a bad "
                                "chunk is skipped",
                         .type = LE_TYPE_OUT,
                         .dtypes = LE_DTYPES_ALL | LE_DTYPE_BIT(LE_I8) | LE_DTYPE_BIT(LE_I64) |
                                   LE_DTYPE_BIT(LE_U64),
                         .min_ndim = 1,
                         .max_ndim = LE_MAX_DIMS,
                         .shape = "[n*chunk[0],chunk[1],...]"},
    [BITS_ARG_DECODED] = {.name = "decoded",
                          .doc = "of each chunk: 1, or 0 where it is bad and skipped",
                          .type = LE_TYPE_OUT,
                          .optional = true,
                          .dtypes = LE_DTYPE_BIT(LE_U8),
                          .min_ndim = 1,
                          .max_ndim = 1,
                          .shape = "[n]"},
};

static le_status check(le_call *call) {
    int64_t n, elements, shape[LE_MAX_DIMS];
    size_t axes;
    le_status status = le__sc_stored_check(call, &le__sc_bits_args, name, &n, &elements);
    if (status != LE_OK)
        return status;
    const double *chunk = le_call_f64s(call, BITS_ARG_CHUNK, &axes);
    const le_dtype dtype = le__sc_stored_dtype(call, &le__sc_bits_args);
    for (size_t k = 0; k < axes; k++)
        shape[k] = (int64_t)chunk[k] * (k == 0 ? n : 1);
    const le_tensor *result = le_call_out(call, BITS_ARG_RESULT);
    if (result->data && !le_tensor_is_contiguous(result))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: result has strides, expected a row-major one",
                       name);
    le_call_attach(call, result->data, NULL); /* to know it again: it is the caller's memory */
    status = le_call_set_out(call, BITS_ARG_RESULT, dtype, (int)axes, shape);
    if (status == LE_OK && le_call_given(call, BITS_ARG_DECODED))
        status = le_call_set_out(call, BITS_ARG_DECODED, LE_U8, 1, &n);
    return status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *t = le_call_out(call, BITS_ARG_RESULT);
    const double bytes = (double)le_tensor_count(t) * (double)le_dtype_size(t->dtype);
    out->operations = bytes + 1;
    out->bytes = bytes + (double)le_call_in(call, BITS_ARG_BYTES)->shape[0];
}

/* ---------------------------------------------------------------------------------------- run -- */

typedef struct task {
    le__sc_stored stored;
    uint8_t *out; /* the elements: the result, or memory beside it */
} task;

static int64_t chunk_bytes(const le__sc_stored *s) {
    return s->format.elements * s->format.element;
}

/* Whether what is written stays where it is when a chunk turns out bad. */
static bool writes_to_caller(le_call *call, const le__sc_stored *s) {
    const le_tensor *result = le_call_out(call, BITS_ARG_RESULT);
    return !s->skip && result->dtype == s->dtype && result->data == le_call_attached(call);
}

typedef struct checking {
    le__sc_stored *stored;
    int64_t pieces; /* of a chunk */
} checking;

enum { BLOCKS = 64 }; /* of a piece */

static void check_range(void *context, size_t begin, size_t end, int worker) {
    const checking *k = context;
    (void)worker;
    for (size_t item = begin; item < end; item++) {
        const int64_t chunk = (int64_t)item / k->pieces;
        const int64_t first = (int64_t)item % k->pieces * BLOCKS;
        const le__sc_chunk *c = &k->stored->chunks[chunk];
        const int64_t last = first + BLOCKS < c->blocks ? first + BLOCKS : c->blocks;
        const char *wrong =
            c->starts ? le__sc_blocks_check(&k->stored->format, c, first, last) : NULL;
        if (wrong)
            k->stored->wrong[chunk] = wrong;
    }
}

/* All blocks, before any of them is written. */
static le_status check_blocks(le_call *call, le__sc_stored *s) {
    int64_t most = 1;
    for (int64_t k = 0; k < s->n; k++)
        most = s->chunks[k].blocks > most ? s->chunks[k].blocks : most;
    checking k = {s, (most + BLOCKS - 1) / BLOCKS};
    le_status status = le_parallel_for(call, (size_t)(s->n * k.pieces), check_range, &k);
    return status == LE_OK ? le__sc_stored_verdict(s) : status;
}

static le_status allocate(le_call *call, task *t, bool checked) {
    le__sc_stored *s = &t->stored;
    const size_t bytes = (size_t)(s->n * chunk_bytes(s));
    const bool beside = le_call_out(call, BITS_ARG_RESULT)->dtype != s->dtype ||
                        (writes_to_caller(call, s) && !checked);
    t->out = beside ? le_call_scratch(call, bytes) : le_call_out(call, BITS_ARG_RESULT)->data;
    return t->out ? LE_OK
                  : le_fail(LE_ERR_MEMORY, "%s: no memory for %zu bytes of elements", name, bytes);
}

/* Elements in another dtype than their own, as numbers. */
static void convert(const task *t, le_tensor *result) {
    const int64_t n = t->stored.n * t->stored.format.elements;
    const le_tensor from = le_tensor_of(t->out, t->stored.dtype, 1, &n);
    const bool float_to = le_dtype_kind_of(result->dtype) == LE_DTYPE_KIND_FLOAT;
    for (int64_t i = 0; i < n; i++)
        if (float_to)
            le_tensor_set(result, i, le_tensor_get(&from, i));
        else
            le_tensor_set_i64(result, i, le_tensor_get_i64(&from, i));
}

static void hand_over(le_call *call, task *t) {
    le__sc_stored *s = &t->stored;
    le_tensor *result = le_call_out(call, BITS_ARG_RESULT);
    for (int64_t k = 0; k < s->n; k++) {
        if (s->wrong[k])
            memset(t->out + k * chunk_bytes(s), 0, (size_t)chunk_bytes(s));
        if (le_call_given(call, BITS_ARG_DECODED)) {
            const le_tensor *decoded = le_call_out(call, BITS_ARG_DECODED);
            ((uint8_t *)decoded->data)[k * decoded->strides[0]] = !s->wrong[k];
        }
    }
    if (result->dtype != s->dtype)
        convert(t, result);
    else if (t->out != result->data)
        memcpy(result->data, t->out, (size_t)(s->n * chunk_bytes(s)));
}

le_status le__sc_bits_run(le_call *call, le__sc_block_fn decode, bool checks) {
    task t;
    le_status status = le__sc_stored_open(call, &le__sc_bits_args, name, &t.stored);
    if (status == LE_OK)
        status = le__sc_stored_verdict(&t.stored);
    checks = checks && t.stored.format.compression == LE__SC_BITS_LZ4;
    if (status == LE_OK && checks && writes_to_caller(call, &t.stored))
        status = check_blocks(call, &t.stored);
    if (status == LE_OK)
        status = allocate(call, &t, checks);
    if (status == LE_OK)
        status = le__sc_stored_decode(call, &t.stored, 0, t.stored.n, decode, t.out);
    if (status == LE_OK)
        hand_over(call, &t);
    return status;
}

int64_t le__sc_bits_memory(const le_call *call) {
    const le_tensor *t = le_call_out(call, BITS_ARG_RESULT);
    return le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
}

/* -------------------------------------------------------------------------------------- cases -- */

static double value_of(le_case *c, int content) {
    const double u = le_case_uniform(c);
    return content == 0 ? 0 : content == 1 ? floor(250 * u) : content == 2 ? u < 0.01 : 3e9 * u;
}

/* Encodes n chunks of elements and puts them with their offsets. */
static void put_chunks(le_case *c, const le__sc_format *f, int64_t n, le_dtype dtype, int content,
                       bool edges) {
    const int64_t most = le__sc_encode_bound(f), elements = f->elements;
    le_tensor *offsets = le_case_in(c, "offsets", LE_I64, 1, (int64_t[]){n + 1});
    uint8_t *bytes = malloc((size_t)(n * most + 1));
    void *values = malloc((size_t)(elements * f->element));
    int64_t at = 0;
    for (int64_t k = 0; k < n && offsets && bytes && values; k++) {
        le_tensor t = le_tensor_of(values, dtype, 1, &elements);
        for (int64_t i = 0; i < elements; i++)
            le_tensor_set(&t, i, value_of(c, content));
        le_tensor_set_i64(offsets, k, at);
        if (!edges || k % 3 != 1) /* else never written */
            at += le__sc_encode(f, values, bytes + at);
    }
    le_tensor *stored = le_case_in(c, "frames", LE_U8, 1, &at);
    if (stored && offsets && bytes && values) {
        memcpy(stored->data, bytes, (size_t)at);
        le_tensor_set_i64(offsets, n, at);
    }
    free(bytes);
    free(values);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const char *const types[] = {"u32", "u16", "u8", "u64", "f32", "i32", "f64", "i16"};
    const le_call *like = r->kind == LE_CASE_TRIAL ? r->like : NULL;
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    const char *type = like ? le_call_str(like, BITS_ARG_TYPE) : types[i % 8];
    const char *compression =
        like ? le_call_str(like, BITS_ARG_COMPRESSION) : le__sc_compressions[i / 3 % 3];
    int64_t n = 1 + i % 4, rows = 37 + i * 31 % 60, cols = 61 + i * 17 % 50;
    if (r->kind == LE_CASE_BENCH) {
        n = 4;
        rows = r->size > 0 ? r->size : 2167;
        cols = r->size > 0 ? r->size : 2070;
    }
    if (r->kind == LE_CASE_CHECK && i % 9 == 5)
        rows = cols = 1 + i % 3;
    le_dtype dtype = LE_U32;
    le_dtype_from_name(type, &dtype);
    le__sc_format f = {.element = (int64_t)le_dtype_size(dtype),
                       .elements = rows * cols,
                       .block = i % 5 == 2 ? 64 : 0};
    while (strcmp(le__sc_compressions[f.compression], compression) != 0)
        f.compression++;
    put_chunks(c, &f, n, dtype, r->kind == LE_CASE_BENCH ? 1 : (int)(i % 4),
               r->kind == LE_CASE_CHECK && i % 2 == 1);
    le_case_f64s(c, "chunk", (double[]){1, (double)rows, (double)cols}, 3);
    le_case_str(c, "type", type);
    le_case_str(c, "compression", compression);
    le_case_i64(c, "block", f.block);
    le_case_i64(c, "big_endian", like ? le_call_i64(like, BITS_ARG_BIG_ENDIAN) : i % 6 == 4);
    le_case_f64(c, "fill", 7);
    le_case_out(c, "result", dtype);
    return le_case_status(c);
}

extern const le_operation le_operation_bitshuffle_lz4;
const le_operation le_operation_bitshuffle_lz4 = {
    .abi = LE_METHOD_ABI,
    .name = "bitshuffle_lz4",
    .family = "scattering",
    .summary = "decodes stored chunks of the HDF5 filter bitshuffle (LZ4, zstd or none)",
    .reference = "Masui et al., Astronomy and Computing 12 (2015); HDF5 filter 32008",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .norm = LE_NORM_ABS,
    .make_case = make_case};
