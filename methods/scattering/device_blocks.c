/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Lists of blocks for cl/scattering/bitshuffle.cl. LZ4 blocks come first, then what is no LZ4 data:
 * planes without compression, elements as they are, and fill values.
 */
#include "scattering/device_blocks.h"

#include <stdio.h>
#include <string.h>

enum { LZ4, PLANES, ELEMENTS, VALUE };
/* Elements of a piece of what is in no block; work-group; eights of elements that a work-item of a
 * CPU transposes, LANES of bitshuffle.cl. */
enum { PIECE = 4096, GROUP = 64, LANES = 16 };

const int64_t le__sc_groups[LE__SC_GROUPS] = {32, 64, 128};

struct le__sc_device_block { /* block of bitshuffle.cl */
    uint64_t from, to;
    uint32_t size, count, kind, unused;
};

typedef struct list {
    le__sc_device_block *blocks;
    int64_t n, lz4;
    uint32_t most[2]; /* elements of a block: of LZ4, of others */
} list;

bool le__sc_decoder_takes(const le_call *call, const le__sc_stored_args *a, const char **why) {
    *why = "zstd is decoded on the CPU only";
    return strcmp(le_call_str(call, a->compression), le__sc_compressions[LE__SC_BITS_ZSTD]) != 0;
}

/* -------------------------------------------------------------------------------------- lists --
 */

static void add(list *l, le__sc_device_block b) {
    uint32_t *most = &l->most[b.kind != LZ4];
    l->blocks[l->n++] = b;
    *most = b.count > *most ? b.count : *most;
}

/* Elements [first, first + n) of a chunk as they are in the bytes, or one value. */
static void add_pieces(list *l, uint32_t kind, uint64_t from, int64_t step, uint64_t to,
                       int64_t n) {
    for (int64_t e = 0; e < n; e += PIECE)
        add(l, (le__sc_device_block){.from = from + (uint64_t)(e * step),
                                     .to = to + (uint64_t)e,
                                     .count = (uint32_t)(n - e < PIECE ? n - e : PIECE),
                                     .kind = kind});
}

static uint64_t fill_bits(const le__sc_stored *s) {
    union {
        uint8_t bytes[8];
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } x = {{0}};
    le__sc_stored_fill(s, &x, 1);
    const int64_t size = s->format.element;
    return size == 1 ? x.bytes[0] : size == 2 ? x.u16 : size == 4 ? x.u32 : x.u64;
}

static void add_lz4(list *l, const le__sc_decoder *d, int64_t k, uint64_t to) {
    const le__sc_stored *s = d->stored;
    const le__sc_chunk *c = &s->chunks[k];
    if (s->wrong[k] || !c->starts)
        return;
    for (int64_t b = 0; b < c->blocks; b++)
        add(l, (le__sc_device_block){.from = (uint64_t)(c->bytes - d->stored->bytes) + c->starts[b],
                                     .to = to + (uint64_t)le__sc_block_first(c, b),
                                     .size = c->starts[b + 1] - 4 - c->starts[b],
                                     .count = (uint32_t)le__sc_block_count(&s->format, c, b),
                                     .kind = LZ4});
}

static void add_planes(list *l, const le__sc_decoder *d, const le__sc_chunk *c, uint64_t to) {
    const le__sc_stored *s = d->stored;
    for (int64_t b = 0; b < c->blocks && !c->starts; b++)
        add(l,
            (le__sc_device_block){.from = (uint64_t)(c->bytes - d->stored->bytes) +
                                          (uint64_t)(le__sc_block_first(c, b) * s->format.element),
                                  .to = to + (uint64_t)le__sc_block_first(c, b),
                                  .count = (uint32_t)le__sc_block_count(&s->format, c, b),
                                  .kind = PLANES});
}

static void add_others(list *l, const le__sc_decoder *d, int64_t k, uint64_t to) {
    const le__sc_stored *s = d->stored;
    const le__sc_chunk *c = &s->chunks[k];
    const int64_t size = s->format.element;
    int64_t first, n;
    if (s->wrong[k]) {
        add_pieces(l, VALUE, 0, 0, to, s->format.elements);
        return;
    }
    le__sc_stored_rest(s, c, &first, &n);
    if (c->missing) {
        add_pieces(l, VALUE, fill_bits(s), 0, to, n);
        return;
    }
    add_planes(l, d, c, to);
    add_pieces(l, ELEMENTS, (uint64_t)(c->bytes - d->stored->bytes + c->size - n * size), size,
               to + (uint64_t)first, n);
}

static int64_t blocks_of_chunk(const le__sc_stored *s, int64_t k) {
    return s->chunks[k].blocks + s->format.elements / PIECE + 2;
}

/* ------------------------------------------------------------------------------------ opening --
 */

static const char *type_of(int64_t size) {
    return size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : "ulong";
}

static le_status build(le_call *call, le__sc_decoder *d) {
    const int64_t size = d->stored->format.element;
    char options[96], group[32] = "";
    if (d->group)
        snprintf(group, sizeof group, " -DGROUP=%d", (int)d->group);
    snprintf(options, sizeof options, "-DE=%s -DSIZE=%d%s", type_of(size), (int)size, group);
    le_status status =
        le_cl_get_kernel(call, &le_cl_scattering_bitshuffle, "unshuffle", options, &d->unshuffle);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, &le_cl_scattering_bitshuffle,
                                  d->group ? "lz4_groups" : "lz4_items", options, &d->lz4);
    return status;
}

/* Room on the host and the device for the blocks of any batch, and the statuses of all. */
static le_status allocate(le_call *call, le__sc_decoder *d) {
    const le__sc_stored *s = d->stored;
    int64_t lz4 = 1;
    for (int64_t k = 0, batch = 0; k < s->n; k++) {
        batch = k % d->most ? batch : 0;
        batch += blocks_of_chunk(s, k);
        d->room = batch > d->room ? batch : d->room;
        lz4 += s->chunks[k].starts ? s->chunks[k].blocks : 0;
    }
    d->blocks = le_call_scratch(call, (size_t)d->room * sizeof *d->blocks);
    if (!d->blocks)
        return le_fail(LE_ERR_MEMORY, "%s: no memory for the places of blocks", s->who);
    le_status status = le_cl_scratch(call, (size_t)d->room * sizeof *d->blocks, &d->list);
    if (status == LE_OK)
        status = le_cl_scratch(call, (size_t)lz4 * sizeof(uint32_t), &d->status);
    if (status == LE_OK && !d->group)
        status = le_cl_scratch(call, (size_t)(d->most * d->stride * s->format.element), &d->planes);
    return status;
}

le_status le__sc_decoder_open(le_call *call, const le__sc_stored_args *a, le__sc_stored *s,
                              int64_t most, int64_t stride, int64_t group, le__sc_decoder *d) {
    const bool fits = (size_t)s->block_bytes <= le_cl_device(call)->local_bytes;
    *d = (le__sc_decoder){.stored = s,
                          .bytes_arg = a->bytes,
                          .most = most,
                          .stride = stride,
                          .group = fits ? (size_t)group : 0};
    le_status status = build(call, d);
    return status == LE_OK ? allocate(call, d) : status;
}

/* ----------------------------------------------------------------------------------- decoding --
 */

static le_status launch_lz4(le_call *call, const le__sc_decoder *d, const list *l, int64_t to,
                            le_cl_karg out) {
    const size_t n = (size_t)l->lz4, items = GROUP;
    const int32_t big_endian = d->stored->big_endian;
    const size_t bytes = l->most[0] * (size_t)d->stored->format.element;
    if (d->group) {
        const size_t global = n * d->group;
        const le_cl_karg kargs[] = {LE_CL_ARG(d->bytes_arg),
                                    LE_CL_BUF(d->list),
                                    LE_CL_BUF(d->status),
                                    LE_CL_U32((uint32_t)d->decoded),
                                    out,
                                    LE_CL_I32(big_endian),
                                    LE_CL_LOCAL(bytes)};
        return le_cl_launch(call, d->lz4, 1, &global, &d->group, kargs, 7);
    }
    const le_cl_karg kargs[] = {LE_CL_ARG(d->bytes_arg),        LE_CL_BUF(d->list),
                                LE_CL_U32((uint32_t)n),         LE_CL_I64(to),
                                LE_CL_BUF(d->planes),           LE_CL_BUF(d->status),
                                LE_CL_U32((uint32_t)d->decoded)};
    return le_cl_launch(call, d->lz4, 1, &n, &items, kargs, 7);
}

/* Of all blocks, or of those that are no LZ4 data where the others are elements already. */
static le_status launch_unshuffle(le_call *call, const le__sc_decoder *d, const list *l, int64_t to,
                                  le_cl_karg out) {
    const int64_t first = d->group ? l->lz4 : 0;
    const uint32_t most = l->most[1] > l->most[0] || d->group ? l->most[1] : l->most[0];
    const bool cpu = le_cl_device(call)->is_cpu;
    const size_t each = cpu ? 8 * LANES : 8;
    const size_t global[2] = {(most + each - 1) / each, (size_t)(l->n - first)};
    const size_t local[2] = {cpu ? LANES : GROUP, 1};
    const le_cl_karg kargs[] = {LE_CL_ARG(d->bytes_arg),
                                LE_CL_BUF(d->list),
                                LE_CL_U32((uint32_t)first),
                                LE_CL_U32((uint32_t)l->n),
                                LE_CL_I64(to),
                                LE_CL_BUF(d->planes),
                                LE_CL_BUF(d->status),
                                LE_CL_U32((uint32_t)d->decoded),
                                out,
                                LE_CL_I32(d->stored->big_endian)};
    return le_cl_launch(call, d->unshuffle, 2, global, local, kargs, 10);
}

le_status le__sc_decode(le_call *call, le__sc_decoder *d, int64_t chunk, int64_t n, int64_t to,
                        le_cl_karg out) {
    list l = {.blocks = d->blocks};
    for (int64_t k = 0; k < n; k++)
        add_lz4(&l, d, chunk + k, (uint64_t)(to + k * d->stride));
    l.lz4 = l.n;
    for (int64_t k = 0; k < n; k++)
        add_others(&l, d, chunk + k, (uint64_t)(to + k * d->stride));
    le_status status = le_cl_upload(call, d->list, 0, l.blocks, (size_t)l.n * sizeof *l.blocks);
    if (status == LE_OK && l.lz4)
        status = launch_lz4(call, d, &l, to, out);
    if (status == LE_OK)
        status = launch_unshuffle(call, d, &l, to, out);
    d->decoded += l.lz4;
    return status;
}

le_status le__sc_decoded(le_call *call, le__sc_decoder *d) {
    le__sc_stored *s = d->stored;
    const size_t bytes = (size_t)d->decoded * sizeof(uint32_t);
    uint32_t *bad = le_call_scratch(call, bytes);
    if (!bad)
        return le_fail(LE_ERR_MEMORY, "%s: no memory for the state of blocks", s->who);
    le_status status = le_cl_download(call, d->status, 0, bad, bytes);
    if (status != LE_OK)
        return status;
    for (int64_t k = 0; k < s->n; k++) {
        if (s->wrong[k] || !s->chunks[k].starts)
            continue;
        for (int64_t b = 0; b < s->chunks[k].blocks; b++)
            if (*bad++)
                s->wrong[k] = "a block is no LZ4 data of its size";
    }
    return le__sc_stored_verdict(s);
}

int64_t le__sc_decoder_memory(int64_t chunks, int64_t chunk_bytes) {
    enum { LEAST_BLOCK = 4096 };
    return chunks *
           (chunk_bytes + chunk_bytes / LEAST_BLOCK * (int64_t)sizeof(le__sc_device_block));
}
