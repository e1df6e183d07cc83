/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunked HDF5 datasets, decoded on several threads without HDF5: a worker reads, inflates,
 * unshuffles and scatters one chunk at a time into the target. A worker holds two buffers, so the
 * memory beside the target is small and does not grow with it.
 */
#include "files/h5.h"

#include <stdlib.h>
#include <string.h>

typedef struct worker_buffers {
    unsigned char *stored, *raw;
    size_t stored_size;
} worker_buffers;

typedef struct chunk_job {
    le__h5_dataset *d;
    char *data;
    size_t element;
    int64_t begin;                /* the first chunk of those under way */
    int64_t stride[H5S_MAX_RANK]; /* of the target, in elements */
    worker_buffers *workers;
    void *fill; /* one element, for chunks that were never written */
    le__io_failure failure;
} chunk_job;

/* The part of a chunk that is selected, along one axis. */
typedef struct span {
    int64_t to, count;  /* in the target */
    int64_t from, step; /* in the chunk */
} span;

static span span_of(const le__h5_dataset *d, int axis, int64_t chunk_index) {
    const le__io_range *r = &d->range[axis];
    int64_t low = chunk_index * d->chunk[axis];
    int64_t high = d->shape[axis] - low < d->chunk[axis] ? d->shape[axis] : low + d->chunk[axis];
    int64_t begin = low <= r->start ? 0 : (low - r->start - 1) / r->step + 1;
    int64_t end = high <= r->start ? 0 : (high - r->start - 1) / r->step + 1;
    if (end > r->count)
        end = r->count;
    return (span){begin, end > begin ? end - begin : 0, r->start + begin * r->step - low, r->step};
}

/* One selected line of the last axis. bytes: element k of the chunk has its byte b at
 * bytes[b * planes + k] when shuffled (planes > 0), else the bytes lie together. */
static void copy_line(char *to, const unsigned char *bytes, const span *s, int64_t at,
                      size_t element, int64_t planes) {
    if (planes == 0) {
        const unsigned char *from = bytes + at * (int64_t)element;
        if (s->step == 1) {
            memcpy(to, from, (size_t)s->count * element);
            return;
        }
        for (int64_t i = 0; i < s->count; i++)
            memcpy(to + i * (int64_t)element, from + i * s->step * (int64_t)element, element);
    } else if (element == 4 && s->step == 1) {
        le__io_unshuffle4(to, bytes + at, planes, s->count);
    } else {
        for (int64_t i = 0; i < s->count; i++)
            for (size_t b = 0; b < element; b++)
                to[i * (int64_t)element + (int64_t)b] =
                    (char)bytes[(int64_t)b * planes + at + i * s->step];
    }
}

static void scatter(const chunk_job *job, const span *spans, int axis, char *to,
                    const unsigned char *bytes, int64_t at, int64_t planes) {
    const span *s = &spans[axis];
    if (axis == job->d->rank - 1) {
        copy_line(to, bytes, s, at + s->from, job->element, planes);
        return;
    }
    int64_t inner = 1;
    for (int i = axis + 1; i < job->d->rank; i++)
        inner *= job->d->chunk[i];
    for (int64_t i = 0; i < s->count; i++)
        scatter(job, spans, axis + 1, to + i * job->stride[axis] * (int64_t)job->element, bytes,
                at + (s->from + i * s->step) * inner, planes);
}

static void fail_job(chunk_job *job, le_status status, const char *what) {
    le__io_failure_note(&job->failure, le_fail(status, "%s: %s", job->d->text, what));
}

/* Fetches the stored bytes of a chunk, past HDF5: its own function trusts the index twice. */
static bool fetch(chunk_job *job, worker_buffers *w, int64_t at, size_t size) {
    if (size > w->stored_size) {
        free(w->stored);
        w->stored = malloc(size);
        w->stored_size = w->stored ? size : 0;
    }
    if (!w->stored) {
        fail_job(job, LE_ERR_MEMORY, "out of memory");
        return false;
    }
    const le__io_parallel alone = le__io_parallel_of(NULL);
    if (le__io_pread(&alone, job->d->handle.fd, job->d->file_name, at, w->stored, (int64_t)size) !=
        LE_OK) {
        fail_job(job, LE_ERR_IO, "a chunk cannot be read");
        return false;
    }
    return true;
}

/* The chunk's bytes after inflating; NULL when damaged. */
static const unsigned char *decode(chunk_job *job, worker_buffers *w, size_t size, uint32_t mask) {
    size_t want = (size_t)job->d->chunk_bytes;
    bool deflated = job->d->deflate >= 0 && !(mask & (1u << job->d->deflate));
    if (deflated && !w->raw && !(w->raw = malloc(want))) {
        fail_job(job, LE_ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (deflated ? le__io_inflate(w->stored, size, w->raw, want) : size == want)
        return deflated ? w->raw : w->stored;
    fail_job(job, LE_ERR_IO, "a chunk is damaged: it does not decompress to its size");
    return NULL;
}

static void fill_spans(const chunk_job *job, const span *spans, int axis, char *to) {
    for (int64_t i = 0; i < spans[axis].count; i++) {
        char *at = to + i * job->stride[axis] * (int64_t)job->element;
        if (axis == job->d->rank - 1)
            memcpy(at, job->fill, job->element);
        else
            fill_spans(job, spans, axis + 1, at);
    }
}

static void load_chunk(chunk_job *job, int64_t chunk, worker_buffers *w) {
    const le__h5_dataset *d = job->d;
    const le__h5_stored *stored = &d->index.window[chunk - d->index.begin];
    int64_t place[H5S_MAX_RANK];
    span spans[H5S_MAX_RANK];
    char *to = job->data;
    le__h5_chunk_at(d, chunk, place);
    for (int i = 0; i < d->rank; i++) {
        spans[i] = span_of(d, i, place[i]);
        if (spans[i].count == 0) /* a long step may jump over a chunk */
            return;
        to += spans[i].to * job->stride[i] * (int64_t)job->element;
    }
    if (stored->size == 0) {
        fill_spans(job, spans, 0, to);
        return;
    }
    if (!fetch(job, w, stored->address, (size_t)stored->size))
        return;
    const unsigned char *bytes = decode(job, w, (size_t)stored->size, stored->mask);
    bool shuffled = d->shuffle >= 0 && !(stored->mask & (1u << d->shuffle)) && job->element > 1;
    if (bytes)
        scatter(job, spans, 0, to, bytes, 0, shuffled ? d->chunk_bytes / (int64_t)job->element : 0);
}

static void load_chunks(void *context, size_t begin, size_t end, int worker) {
    chunk_job *job = context;
    for (size_t i = begin; i < end && !job->failure.status; i++)
        load_chunk(job, job->begin + (int64_t)i, &job->workers[worker]);
}

le_status le__h5_fill(le__h5_dataset *d, void *fill) {
    le__h5_guard guard;
    le__h5_enter(&guard);
    hid_t plist = H5Dget_create_plist(d->set);
    H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED; /* then zero */
    herr_t r = plist < 0 ? -1 : H5Pfill_value_defined(plist, &kind);
    if (r >= 0 && kind != H5D_FILL_VALUE_UNDEFINED)
        r = H5Pget_fill_value(plist, d->memory_type, fill);
    le_status status = r < 0 ? le__h5_fail(d->text, "its fill value cannot be read") : LE_OK;
    le__h5_drop(plist);
    le__h5_leave(&guard);
    return status;
}

/* As many chunks at a time as their places are known of. */
static le_status load_all(chunk_job *job, const le__io_parallel *p) {
    int64_t end;
    le_status status = LE_OK;
    le__h5_chunks_of(job->d, &job->begin, &end);
    for (int64_t next; status == LE_OK && job->begin < end; job->begin = next) {
        status = le__h5_index_move(job->d, job->begin);
        next = job->d->index.end < end ? job->d->index.end : end;
        if (status != LE_OK)
            break;
        status = le__io_run(p, job->d->text, (size_t)(next - job->begin), load_chunks, job);
        if (status == LE_OK)
            status = le__io_failure_of(&job->failure);
    }
    return status;
}

le_status le__h5_load_chunks(le__h5_dataset *d, const le__io_parallel *p, void *data) {
    double fill[2] = {0}; /* the largest element */
    chunk_job job = {.d = d, .data = data, .element = le_dtype_size(d->dtype), .fill = fill};
    int64_t stride = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        job.stride[i] = stride;
        stride *= d->range[i].count;
    }
    le_status status = le__h5_fill(d, fill);
    if (status != LE_OK)
        return status;
    job.workers = calloc((size_t)p->threads, sizeof *job.workers);
    if (!job.workers)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", d->text);
    status = load_all(&job, p);
    for (int i = 0; i < p->threads; i++) {
        free(job.workers[i].stored);
        free(job.workers[i].raw);
    }
    free(job.workers);
    return status;
}
