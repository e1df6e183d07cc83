/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks of an HDF5 dataset as they are stored, for operations that decode them: found in the
 * index, read past HDF5.
 */
#include "files/h5.h"
#include "files/source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Of a dataset whose chunks are numbered; what several have together is counted as well. */
static const int64_t CHUNKS_MAX = INT64_C(1) << 40;

struct le__h5_stored_source {
    le__h5_dataset d;
    le_stored_info info;
    le__io_parallel parallel;
    int64_t next; /* item */
};

static le_status fail_filter(const le__h5_dataset *d, int n) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: %d filters, or more than %d values of one; at most %d",
                   d->text, n, LE_STORED_VALUES, LE_STORED_FILTERS);
}

static le_status read_filters(const le__h5_dataset *d, hid_t plist, le_stored_info *info) {
    int n = H5Pget_nfilters(plist);
    if (n < 0 || n > LE_STORED_FILTERS)
        return fail_filter(d, n);
    info->n_filters = n;
    for (int i = 0; i < n; i++) {
        unsigned flags, config, values[LE_STORED_VALUES] = {0};
        size_t count = LE_STORED_VALUES;
        H5Z_filter_t id =
            H5Pget_filter2(plist, (unsigned)i, &flags, &count, values, 0, NULL, &config);
        if (id < 0 || count > LE_STORED_VALUES)
            return fail_filter(d, n);
        info->filters[i].id = (uint32_t)id;
        info->filters[i].n_values = (uint32_t)count;
        for (size_t k = 0; k < count; k++)
            info->filters[i].values[k] = values[k];
    }
    return LE_OK;
}

void le__h5_stored_select(le_stored_info *info, int i, const le__io_range *r) {
    const int64_t last = r->start + (r->count - 1) * r->step;
    info->first[i] = r->start / info->chunk[i];
    info->grid[i] = r->count == 0 || r->step > info->chunk[i]
                        ? r->count
                        : last / info->chunk[i] - info->first[i] + 1;
    info->start[i] = r->start;
    info->step[i] = r->step;
    info->count[i] = r->count;
    info->dropped[i] = r->drop;
}

/* Under the lock. */
static le_status describe(const le__h5_dataset *d, hid_t plist, hid_t type, le_stored_info *info) {
    unsigned options = 0;
    if (d->maps)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: a virtual dataset has no chunks of its own; name the datasets that it "
                       "is made of",
                       d->text);
    if (!d->chunked || d->rank > LE_MAX_DIMS)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: the dataset is not stored in chunks", d->text);
    if (H5Tget_size(type) != le_dtype_size(d->dtype))
        return le_fail(LE_ERR_DTYPE, "%s: no dtype has the size of its elements, %zu bytes",
                       d->text, H5Tget_size(type));
    if (H5Pget_chunk_opts(plist, &options) < 0 || options)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: chunks at the edge skip the filters", d->text);
    info->dtype = d->dtype;
    info->ndim = d->rank;
    info->chunk_bytes = d->chunk_bytes;
    info->big_endian = H5Tget_order(type) == H5T_ORDER_BE;
    for (int i = 0; i < d->rank; i++) {
        info->shape[i] = d->shape[i];
        info->chunk[i] = d->chunk[i];
        le__h5_stored_select(info, i, &d->range[i]);
    }
    return read_filters(d, plist, info);
}

static le_status survey(le__h5_stored_source *s) {
    le__h5_guard guard;
    le__h5_enter(&guard);
    hid_t plist = H5Dget_create_plist(s->d.set), type = H5Dget_type(s->d.set);
    le_status status = plist < 0 || type < 0
                           ? le__h5_fail(s->d.text, "its description cannot be read")
                           : describe(&s->d, plist, type, &s->info);
    le__h5_drop(plist);
    le__h5_drop(type);
    le__h5_leave(&guard);
    return status == LE_OK ? le__h5_fill(&s->d, s->info.fill) : status;
}

le_status le__h5_stored_open(const le__io_request *r, bool skip, le__h5_stored_source **out) {
    le__h5_stored_source *s = calloc(1, sizeof *s);
    if (!s)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", r->place->text);
    s->parallel = r->parallel;
    le_status status = le__h5_open_stored(r->place, r->max_bytes, skip, &s->d);
    if (status != LE_OK) {
        free(s);
        return status;
    }
    status = survey(s);
    if (status == LE_OK && s->d.index.last > CHUNKS_MAX)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: it has more than %lld chunks", s->d.text,
                         (long long)CHUNKS_MAX);
    if (status == LE_OK)
        *out = s;
    else
        le__h5_stored_close(s);
    return status;
}

int le__h5_axes(const le__io_place *place) {
    le__h5_dataset d;
    if (le__h5_open(place, INT64_MAX, 0, &d) != LE_OK)
        return -1;
    const int axes = d.rank;
    le__h5_close(&d);
    return axes;
}

void le__h5_stored_close(le__h5_stored_source *s) {
    if (!s)
        return;
    le__h5_close(&s->d);
    free(s);
}

/* As the index numbers chunks. */
static int64_t number_of(const le__h5_stored_source *s, int64_t item) {
    int64_t at[LE_MAX_DIMS] = {0};
    for (int i = s->info.ndim - 1; i >= 0; i--) {
        at[i] = le_stored_place(&s->info, i, item % s->info.grid[i]);
        item /= s->info.grid[i];
    }
    int64_t number = at[0];
    for (int i = 1; i < s->info.ndim; i++)
        number = number * s->d.index.grid[i] + at[i] - s->d.index.first[i];
    return number;
}

/* Of an item whose chunk the index holds. */
static const le__h5_stored *chunk_of(const le__h5_stored_source *s, int64_t item) {
    return &s->d.index.window[number_of(s, item) - s->d.index.begin];
}

int64_t le__h5_stored_ready(le__h5_stored_source *s, int64_t most) {
    int64_t n = 0;
    while (n < most && le__h5_index_move(&s->d, number_of(s, s->next + n)) == LE_OK &&
           chunk_of(s, s->next + n)->size != 0)
        n++;
    /* what the index says of the last ones may be half written */
    while (n > 0 && number_of(s, s->next + n - 1) >= s->d.index.begin &&
           chunk_of(s, s->next + n - 1)->size < 0)
        n--;
    return n;
}

void le__h5_stored_leave(le__h5_stored_source *s, int64_t items) {
    s->next += items;
}

const le_stored_info *le__h5_stored_info(const le__h5_stored_source *s) {
    return &s->info;
}

typedef struct read_job {
    const le__h5_stored_source *source;
    int64_t first; /* item */
    const int64_t *offsets;
    unsigned char *bytes;
    uint32_t *masks; /* NULL: a chunk that cannot be read ends it all */
    atomic_bool failed;
} read_job;

static void read_chunks(void *context, size_t begin, size_t end, int worker) {
    read_job *job = context;
    const le__io_parallel alone = le__io_parallel_of(NULL);
    (void)worker;
    for (size_t i = begin; i < end && !atomic_load(&job->failed); i++) {
        const le__h5_stored *chunk = chunk_of(job->source, job->first + (int64_t)i);
        if (chunk->size <= 0 ||
            le__io_pread(&alone, job->source->d.handle.fd, job->source->d.file_name, chunk->address,
                         job->bytes + job->offsets[i], chunk->size) == LE_OK)
            continue;
        if (job->masks)
            job->masks[i] = LE_STORED_UNREADABLE;
        else
            atomic_store(&job->failed, true);
    }
}

/* n items whose chunks the index holds, behind what parts have already. */
static le_status read_some(le__h5_stored_source *s, int64_t first, int64_t n,
                           const int64_t *offsets, uint32_t *masks, void *bytes) {
    read_job job = {.source = s,
                    .masks = s->d.wish == LE__H5_STORED_SKIP ? masks : NULL,
                    .first = first,
                    .offsets = offsets,
                    .bytes = bytes};
    le_status status = le__io_run(&s->parallel, s->d.text, (size_t)n, read_chunks, &job);
    if (status != LE_OK)
        return status;
    return atomic_load(&job.failed)
               ? le_fail(LE_ERR_IO,
                         "%s: a chunk cannot be read: the file is shorter than its index says",
                         s->d.text)
               : LE_OK;
}

static le_status make_room(const le__h5_stored_source *s, le_tensor *t, le_dtype dtype,
                           int64_t count) {
    return le__io_room(t, s->d.text, dtype, 1, &count, s->d.max_bytes);
}

/* Where chunks begin and which filters they skipped. */
static le_status look_up(le__h5_stored_source *s, int64_t n, le_tensor *parts) {
    le_status status = make_room(s, &parts[1], LE_I64, n + 1);
    if (status == LE_OK)
        status = make_room(s, &parts[2], LE_U32, n);
    if (status != LE_OK)
        return status;
    int64_t *offsets = parts[1].data;
    uint32_t *masks = parts[2].data;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        status = le__h5_index_move(&s->d, number_of(s, s->next + i));
        if (status != LE_OK)
            return status;
        const le__h5_stored *c = chunk_of(s, s->next + i);
        offsets[i + 1] = offsets[i] + (c->size > 0 ? c->size : 0); /* lies within the file */
        masks[i] = c->size < 0 ? LE_STORED_UNREADABLE : c->mask;
    }
    return make_room(s, &parts[0], LE_U8, offsets[n]);
}

/* How many of n items have their chunks in the index, from one on that has. */
static int64_t known_from(const le__h5_stored_source *s, int64_t item, int64_t n) {
    int64_t known = 1;
    while (known < n && number_of(s, item + known) < s->d.index.end)
        known++;
    return known;
}

le_status le__h5_stored_next(le__h5_stored_source *s, int64_t n, le_tensor *parts) {
    le_status status = look_up(s, n, parts);
    for (int64_t done = 0; status == LE_OK && done < n;) {
        status = le__h5_index_move(&s->d, number_of(s, s->next + done));
        const int64_t some = known_from(s, s->next + done, n - done);
        if (status == LE_OK)
            status = read_some(s, s->next + done, some, (const int64_t *)parts[1].data + done,
                               (uint32_t *)parts[2].data + done, parts[0].data);
        done += some;
    }
    if (status == LE_OK)
        s->next += n;
    return status;
}
