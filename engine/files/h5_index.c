/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the chunks of an HDF5 dataset are stored: looked up one by one for the part that is read,
 * some hundred thousand at a time, so that reading many chunks takes a time that grows with their
 * number and reading few none that grows with what else the dataset holds.
 */
#include "files/h5.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { WINDOW = 1 << 18 }; /* chunks; 6 MiB, touched as far as it is used */

/* What does not fit is more than can be read, and is refused for that. */
static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t per_row(const le__h5_dataset *d) {
    int64_t n = 1;
    for (int i = 1; i < d->rank; i++)
        n = times(n, d->index.grid[i]);
    return n;
}

void le__h5_chunk_at(const le__h5_dataset *d, int64_t chunk, int64_t *at) {
    for (int i = d->rank - 1; i >= 0; i--) {
        at[i] = i ? d->index.first[i] + chunk % d->index.grid[i] : chunk;
        chunk /= i ? d->index.grid[i] : 1;
    }
}

void le__h5_chunks_of(const le__h5_dataset *d, int64_t *begin, int64_t *end) {
    const le__io_range *r = &d->range[0];
    *begin = times(r->start / d->chunk[0], per_row(d));
    *end = times((r->start + (r->count - 1) * r->step) / d->chunk[0] + 1, per_row(d));
}

/* Deflate never grows a block by more than a little; other filters may. */
static bool sound(const le__h5_dataset *d, const le__h5_stored *s) {
    int64_t most = d->fast ? d->chunk_bytes * 2 + 4096 : d->file_bytes;
    return s->size == 0 || (s->size <= most && s->address <= d->file_bytes &&
                            s->size <= d->file_bytes - s->address);
}

/* A file that is being written may have grown since it was opened. */
static bool lies_inside(le__h5_dataset *d, const le__h5_stored *s) {
    struct stat now;
    if (sound(d, s))
        return true;
    if (fstat(d->handle.fd, &now) != 0 || now.st_size <= d->file_bytes)
        return false;
    d->file_bytes = now.st_size;
    return sound(d, s);
}

le_status le__h5_index_fill(le__h5_dataset *d) {
    const le__h5_index *x = &d->index;
    for (int64_t k = x->begin; k < x->end; k++) {
        int64_t at[H5S_MAX_RANK];
        hsize_t offset[H5S_MAX_RANK];
        le__h5_chunk_at(d, k, at);
        for (int i = 0; i < d->rank; i++)
            offset[i] = (hsize_t)(at[i] * d->chunk[i]);
        le__h5_stored *to = &x->window[k - x->begin];
        bool found = le__h5_locate(&d->handle, d->set, offset, to);
        if (d->wish == LE__H5_STORED_SKIP && (!found || !lies_inside(d, to))) {
            *to = (le__h5_stored){.size = -1};
            continue;
        }
        if (!found)
            return le_fail(LE_ERR_IO, "%s: the index of its chunks is damaged", d->text);
        if (!lies_inside(d, to))
            return le_fail(LE_ERR_IO, "%s: a chunk lies outside the file or claims an absurd size",
                           d->text);
    }
    return LE_OK;
}

static le_status fill(void *dataset) {
    return le__h5_index_fill(dataset);
}

void le__h5_index_begin(le__h5_dataset *d) {
    le__h5_index *x = &d->index;
    for (int i = 1; i < d->rank; i++) {
        const le__io_range *r = &d->range[i];
        x->first[i] = r->start / d->chunk[i];
        x->grid[i] = (r->start + (r->count - 1) * r->step) / d->chunk[i] - x->first[i] + 1;
    }
    le__h5_chunks_of(d, &x->begin, &x->last);
    x->end = x->last - x->begin < WINDOW ? x->last : x->begin + WINDOW;
}

le_status le__h5_index_new(le__h5_dataset *d) {
    void *window = mmap(NULL, WINDOW * sizeof *d->index.window, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", d->text);
    d->index = (le__h5_index){.window = window};
    return LE_OK;
}

void le__h5_index_free(le__h5_index *x) {
    if (x->window)
        munmap(x->window, WINDOW * sizeof *x->window);
    x->window = NULL;
}

le_status le__h5_index_move(le__h5_dataset *d, int64_t chunk) {
    le__h5_index *x = &d->index;
    if (chunk >= x->begin && chunk < x->end)
        return LE_OK;
    x->begin = chunk;
    x->end = x->last - chunk < WINDOW ? x->last : chunk + WINDOW;
    le_status status = le__h5_guarded(d->text, 0, false, fill, d);
    if (status != LE_OK)
        x->end = x->begin; /* holds nothing */
    return status;
}
