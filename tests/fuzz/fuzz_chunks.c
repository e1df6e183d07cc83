/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored chunks. The first bytes say the filter, elements and compression, the rest is a chunk: for
 * the filters of files, and for the decoder block by block. What one accepts the other gives as well.
 */
#include "files/filters.h"
#include "scattering/bitshuffle.h"
#include "scattering/unshuffle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, MOST = 1 << 20 };

/* Elements of the chunk as the decoder of scans has them; NULL: it refuses. */
static uint8_t *by_blocks(const le__sc_format *f, const uint8_t *in, int64_t bytes) {
    le__sc_chunk c;
    if (bytes == 0 || le__sc_chunk_open(f, in, bytes, false, &c))
        return NULL;
    uint32_t *starts = malloc((size_t)(c.blocks + 1) * sizeof *starts);
    const int64_t block = c.block < f->elements ? c.block : f->elements;
    uint8_t *space = malloc((size_t)(block * f->element) + 1);
    uint8_t *out = calloc((size_t)(f->elements * f->element) + 1, 1);
    if (!starts || !space || !out)
        abort();
    const char *wrong = le__sc_chunk_scan(f, &c, starts);
    for (int64_t k = 0; k < c.blocks && !wrong; k++) {
        int64_t low;
        const uint8_t *planes = le__sc_block_low_planes(f, &c, k, space, &low, &wrong);
        if (!wrong)
            unshuffle(planes, le__sc_block_count(f, &c, k), f->element, low,
                      out + le__sc_block_first(&c, k) * f->element);
    }
    int64_t first, count;
    const uint8_t *tail = wrong ? NULL : le__sc_chunk_tail(f, &c, &first, &count);
    if (tail)
        memcpy(out + first * f->element, tail, (size_t)(count * f->element));
    free(starts);
    free(space);
    if (tail)
        return out;
    free(out);
    return NULL;
}

static uint8_t *by_filter(const le_filter *filter, const uint32_t *values, const uint8_t *in,
                          int64_t bytes, int64_t *out_bytes) {
    *out_bytes = filter->decoded(values, 5, in, bytes);
    if (*out_bytes < 0 || *out_bytes > MOST)
        return NULL;
    uint8_t *out = calloc((size_t)*out_bytes + 1, 1);
    if (out && !filter->decode(values, 5, in, bytes, out, *out_bytes))
        return out;
    free(out);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int64_t sizes[] = {1, 2, 4, 8, 3, 16};
    if (size < HEAD)
        return 0;
    const uint32_t kinds[] = {2, 3, 0, 7};
    const int64_t element = sizes[data[1] % 6], bytes = (int64_t)size - HEAD;
    const uint32_t values[] = {0, 5, (uint32_t)element, 8u * data[2], kinds[data[0] % 4]};
    for (size_t k = 0; le_builtin_filters[k]; k++) {
        int64_t out_bytes;
        uint8_t *out = by_filter(le_builtin_filters[k], values, data + HEAD, bytes, &out_bytes);
        const le__sc_format f = {.compression = (le__sc_compression)(data[0] % 4),
                                 .element = element,
                                 .elements = out_bytes / element,
                                 .block = data[0] % 4 == 2 ? 8 * data[2] : 0};
        const bool same = le_builtin_filters[k]->id == 32008 && data[0] % 4 < 3 && out_bytes > 0 &&
                          out_bytes <= MOST && out_bytes % element == 0;
        uint8_t *other = same ? by_blocks(&f, data + HEAD, bytes) : NULL;
        if (same && (!out != !other || (out && memcmp(out, other, (size_t)out_bytes) != 0)))
            abort();
        free(out);
        free(other);
    }
    return 0;
}
