/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored chunks of a call.
 */
#include "scattering/stored.h"

#include "liquid_engine/le_io.h"

#include <string.h>

const char *const le__sc_element_types[] = {"u8",  "u16", "u32", "u64", "i8", "i16",
                                            "i32", "i64", "f32", "f64", NULL};
const char *const le__sc_bad_words[] = {"refuse", "skip", NULL};

static int word_of(const le_call *call, int arg, const char *const *words) {
    int k = 0;
    while (words[k] && strcmp(words[k], le_call_str(call, arg)) != 0)
        k++;
    return k;
}

le_dtype le__sc_stored_dtype(const le_call *call, const le__sc_stored_args *a) {
    le_dtype dtype = LE_U32;
    le_dtype_from_name(le_call_str(call, a->type), &dtype);
    return dtype;
}

le_status le__sc_stored_check(const le_call *call, const le__sc_stored_args *a, const char *who,
                              int64_t *n, int64_t *elements) {
    size_t axes;
    const double *chunk = le_call_f64s(call, a->chunk, &axes);
    double product = (double)le_dtype_size(le__sc_stored_dtype(call, a));
    *elements = 1;
    for (size_t k = 0; k < axes; k++) {
        product *= chunk[k];
        if (chunk[k] != (double)(int64_t)chunk[k] || product > (double)UINT32_MAX)
            return le_fail(LE_ERR_ARGUMENT,
                           "%s: chunk: whole numbers are expected, and at most 4 GiB", who);
        *elements *= (int64_t)chunk[k];
    }
    *n = le_call_in(call, a->offsets)->shape[0] - 1;
    if (*n < 1)
        return le_fail(LE_ERR_SHAPE, "%s: offsets: at least two are expected, for one chunk", who);
    if (le_call_given(call, a->skipped) && le_call_in(call, a->skipped)->shape[0] != *n)
        return le_fail(LE_ERR_SHAPE, "%s: skipped has %lld elements for %lld chunks", who,
                       (long long)le_call_in(call, a->skipped)->shape[0], (long long)*n);
    if (le_call_i64(call, a->block) % 8)
        return le_fail(LE_ERR_ARGUMENT, "%s: block is %lld, expected a multiple of 8", who,
                       (long long)le_call_i64(call, a->block));
    return LE_OK;
}

/* ------------------------------------------------------------------------------------ opening --
 */

typedef struct scan {
    le__sc_stored *stored;
    uint32_t *starts;
    const int64_t *first; /* of each chunk's starts */
} scan;

static void scan_range(void *context, size_t begin, size_t end, int worker) {
    const scan *s = context;
    (void)worker;
    for (size_t k = begin; k < end; k++)
        if (!s->stored->wrong[k])
            s->stored->wrong[k] = le__sc_chunk_scan(&s->stored->format, &s->stored->chunks[k],
                                                    s->starts + s->first[k]);
}

static le_status no_memory(const char *who) {
    return le_fail(LE_ERR_MEMORY, "%s: no memory for the places of blocks", who);
}

/* The headers, and how many starts come before those of each chunk. */
static le_status open_chunks(le_call *call, const le__sc_stored_args *a, le__sc_stored *out,
                             int64_t *first) {
    const int64_t *offsets = le_call_contiguous(call, a->offsets);
    const uint32_t *skipped =
        le_call_given(call, a->skipped) ? le_call_contiguous(call, a->skipped) : NULL;
    const int64_t size = le_call_in(call, a->bytes)->shape[0];
    int64_t starts = 0;
    out->bytes = le_call_contiguous(call, a->bytes);
    if (!out->bytes || !offsets || (le_call_given(call, a->skipped) && !skipped))
        return no_memory(out->who);
    for (int64_t k = 0; k < out->n; k++) {
        if (offsets[k] < 0 || offsets[k] > offsets[k + 1] || offsets[k + 1] > size)
            return le_fail(
                LE_ERR_DATA, "%s: offsets: chunk %lld is from %lld to %lld of %lld bytes", out->who,
                (long long)k, (long long)offsets[k], (long long)offsets[k + 1], (long long)size);
        le__sc_chunk *c = &out->chunks[k];
        out->wrong[k] =
            le__sc_chunk_open(&out->format, out->bytes + offsets[k], offsets[k + 1] - offsets[k],
                              skipped && skipped[k] != 0, c);
        if (skipped && skipped[k] & LE_STORED_UNREADABLE)
            out->wrong[k] = "it cannot be read from its file";
        else if (c->missing && !le_call_given(call, a->fill))
            out->wrong[k] = "it has no bytes, and no fill value is given";
        first[k] = starts;
        if (out->wrong[k] || !c->block)
            continue;
        starts += c->blocks + 1;
        const int64_t block = c->block < out->format.elements ? c->block : out->format.elements;
        if (block * out->format.element > out->block_bytes)
            out->block_bytes = block * out->format.element;
    }
    first[out->n] = starts;
    return LE_OK;
}

le_status le__sc_stored_open(le_call *call, const le__sc_stored_args *a, const char *who,
                             le__sc_stored *out) {
    int64_t elements;
    *out = (le__sc_stored){.who = who, .dtype = le__sc_stored_dtype(call, a)};
    le_status status = le__sc_stored_check(call, a, who, &out->n, &elements);
    if (status != LE_OK)
        return status;
    out->format = (le__sc_format){
        .compression = (le__sc_compression)word_of(call, a->compression, le__sc_compressions),
        .element = (int64_t)le_dtype_size(out->dtype),
        .elements = elements,
        .block = le_call_i64(call, a->block)};
    out->big_endian = le_call_i64(call, a->big_endian) != 0;
    out->skip = word_of(call, a->bad, le__sc_bad_words) == 1;
    out->fill = le_call_f64(call, a->fill);
    out->chunks = le_call_scratch(call, (size_t)out->n * sizeof *out->chunks);
    out->wrong = le_call_scratch(call, (size_t)out->n * sizeof *out->wrong);
    int64_t *first = le_call_scratch(call, (size_t)(out->n + 1) * sizeof *first);
    if (!out->chunks || !out->wrong || !first)
        return no_memory(who);
    status = open_chunks(call, a, out, first);
    if (status != LE_OK)
        return status;
    scan s = {.stored = out, .first = first};
    s.starts = le_call_scratch(call, (size_t)(first[out->n] + 1) * sizeof *s.starts);
    if (!s.starts)
        return no_memory(who);
    return le_parallel_for(call, (size_t)out->n, scan_range, &s);
}

le_status le__sc_stored_verdict(const le__sc_stored *s) {
    int64_t bad = 0, first = -1;
    for (int64_t k = 0; k < s->n; k++)
        if (s->wrong[k]) {
            bad++;
            first = first < 0 ? k : first;
        }
    if (bad == 0 || s->skip)
        return LE_OK;
    const char *why = s->wrong[first];
    return le_fail(LE_ERR_DATA, "%s: chunk %lld (of %lld, at byte %lld) cannot be decoded: %s%s",
                   s->who, (long long)first, (long long)s->n,
                   (long long)(s->chunks[first].bytes - s->bytes), why,
                   bad > 1 ? "; there are more" : "");
}

/* ----------------------------------------------------------------------------------- elements --
 */

void le__sc_stored_turn(const le__sc_stored *s, void *elements, int64_t n) {
    uint8_t *p = elements;
    const int64_t size = s->format.element;
    if (!s->big_endian || size == 1)
        return;
    for (int64_t i = 0; i < n; i++, p += size)
        for (int64_t k = 0; k < size / 2; k++) {
            const uint8_t swap = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = swap;
        }
}

void le__sc_stored_fill(const le__sc_stored *s, void *out, int64_t n) {
    le_tensor t = le_tensor_of(out, s->dtype, 1, &n);
    for (int64_t i = 0; i < n; i++)
        le_tensor_set(&t, i, s->fill);
}

/* ----------------------------------------------------------------------------------- decoding --
 */

enum { BLOCKS = 32 }; /* of a piece of work */

typedef struct decoding {
    le__sc_stored *stored;
    le__sc_block_fn decode;
    uint8_t *out;
    uint8_t *space;        /* for the planes of a block, for each worker */
    int64_t first, pieces; /* chunk; pieces of one */
} decoding;

void le__sc_stored_rest(const le__sc_stored *s, const le__sc_chunk *c, int64_t *first,
                        int64_t *count) {
    *first = 0;
    *count = s->format.elements;
    if (!c->missing && !c->raw)
        le__sc_chunk_tail(&s->format, c, first, count);
}

void le__sc_stored_put_rest(const le__sc_stored *s, const le__sc_chunk *c, int64_t first, int64_t n,
                            uint8_t *out) {
    if (c->missing) {
        le__sc_stored_fill(s, out, n);
        return;
    }
    /* what is no block ends with the chunk */
    const uint8_t *end = c->bytes + c->size;
    memcpy(out, end - (s->format.elements - first) * s->format.element,
           (size_t)(n * s->format.element));
    le__sc_stored_turn(s, out, n);
}

static void decode_piece(decoding *d, int64_t k, int64_t piece, uint8_t *space) {
    le__sc_stored *s = d->stored;
    const le__sc_chunk *c = &s->chunks[k];
    const int64_t element = s->format.element;
    uint8_t *out = d->out + (k - d->first) * s->format.elements * element;
    int64_t first, count;
    if (s->wrong[k])
        return;
    le__sc_stored_rest(s, c, &first, &count);
    if (piece == 0 && count > 0)
        le__sc_stored_put_rest(s, c, first, count, out + first * element);
    for (int64_t b = piece * BLOCKS; b < c->blocks && b < (piece + 1) * BLOCKS; b++) {
        const char *wrong = d->decode(s, c, b, space, out + le__sc_block_first(c, b) * element);
        if (wrong)
            s->wrong[k] = wrong;
    }
}

static void decode_range(void *context, size_t begin, size_t end, int worker) {
    decoding *d = context;
    uint8_t *space = d->space + worker * d->stored->block_bytes;
    for (size_t item = begin; item < end; item++)
        decode_piece(d, d->first + (int64_t)item / d->pieces, (int64_t)item % d->pieces, space);
}

le_status le__sc_stored_decode(le_call *call, le__sc_stored *s, int64_t first, int64_t n,
                               le__sc_block_fn decode, uint8_t *out) {
    decoding d = {.stored = s, .decode = decode, .out = out, .first = first};
    int64_t most = 1;
    for (int64_t k = first; k < first + n; k++)
        if (!s->wrong[k] && s->chunks[k].blocks > most)
            most = s->chunks[k].blocks;
    d.pieces = (most + BLOCKS - 1) / BLOCKS;
    d.space = le_call_scratch(call, (size_t)(le_call_threads(call) * s->block_bytes) + 1);
    if (!d.space)
        return no_memory(s->who);
    le_status status = le_parallel_for(call, (size_t)(n * d.pieces), decode_range, &d);
    return status == LE_OK ? le__sc_stored_verdict(s) : status;
}

/* Bit by bit. */
const char *le__sc_block_plain(const le__sc_stored *s, const le__sc_chunk *c, int64_t k,
                               uint8_t *space, uint8_t *out) {
    const char *wrong = NULL;
    const int64_t n = le__sc_block_count(&s->format, c, k), element = s->format.element;
    const uint8_t *planes = le__sc_block_planes(&s->format, c, k, space, &wrong);
    if (wrong)
        return wrong;
    memset(out, 0, (size_t)(n * element));
    for (int64_t e = 0; e < n; e++)
        for (int64_t p = 0; p < 8 * element; p++)
            if (planes[p * (n / 8) + e / 8] >> e % 8 & 1)
                out[e * element + p / 8] |= (uint8_t)(1u << p % 8);
    le__sc_stored_turn(s, out, n);
    return NULL;
}
