/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The elements of a selection: past HDF5 where its bytes are numbers of the machine, by HDF5
 * otherwise.
 */
#include "files/h5.h"

#include <stdlib.h>
#include <string.h>

/* Of a filter that is missing HDF5 itself says only where it looked for plugins. */
static le_status fail_reading(const le__h5_dataset *d) {
    le_status status = le__h5_fail(d->text, "cannot be read");
    hid_t plist = H5Dget_create_plist(d->set);
    int n = plist >= 0 && H5Pget_layout(plist) == H5D_CHUNKED ? H5Pget_nfilters(plist) : 0;
    for (int i = 0; i < n; i++) {
        unsigned flags, config;
        size_t none = 0;
        char name[64] = "";
        H5Z_filter_t id =
            H5Pget_filter2(plist, (unsigned)i, &flags, &none, NULL, sizeof name, name, &config);
        if (id >= 0 && H5Zfilter_avail(id) <= 0)
            status = le_fail(LE_ERR_UNSUPPORTED,
                             "%s: the chunks need filter %d%s%s%s, which this HDF5 library does "
                             "not have",
                             d->text, (int)id, *name ? " (" : "", name, *name ? ")" : "");
    }
    le__h5_drop(plist);
    return status;
}

typedef struct plain_job {
    le__h5_dataset *d;
    void *data;
} plain_job;

static le_status read_plain(void *context) {
    const plain_job *job = context;
    const le__h5_dataset *d = job->d;
    hsize_t start[H5S_MAX_RANK], step[H5S_MAX_RANK], count[H5S_MAX_RANK];
    for (int i = 0; i < d->rank; i++) {
        start[i] = (hsize_t)d->range[i].start;
        step[i] = (hsize_t)d->range[i].step;
        count[i] = (hsize_t)d->range[i].count;
    }
    hid_t file_space = H5Dget_space(d->set), memory_space = H5S_ALL;
    herr_t r = file_space < 0 ? -1 : 0;
    if (r >= 0 && d->rank > 0) {
        r = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, step, count, NULL);
        memory_space = H5Screate_simple(d->rank, count, NULL);
    }
    if (r >= 0 && memory_space >= 0)
        r = H5Dread(d->set, d->memory_type, memory_space, file_space, H5P_DEFAULT, job->data);
    le_status status = r < 0 || memory_space < 0 ? fail_reading(d) : LE_OK;
    le__h5_drop(memory_space);
    le__h5_drop(file_space);
    return status;
}

/* Whole rows of the first axis lie together. */
static bool one_block(const le__h5_dataset *d) {
    for (int i = 0; i < d->rank; i++)
        if (d->range[i].step != 1 || (i > 0 && d->range[i].count != d->shape[i]))
            return false;
    return d->address >= 0 && d->rank > 0;
}

static le_status read_block(const le__h5_dataset *d, const le__io_parallel *p, int64_t bytes,
                            void *data) {
    int64_t at, row = bytes / d->range[0].count;
    if (__builtin_mul_overflow(row, d->range[0].start, &at) ||
        __builtin_add_overflow(at, d->address, &at) || at > d->file_bytes ||
        d->file_bytes - at < bytes)
        return le_fail(LE_ERR_IO, "%s: the file ends before its data does", d->text);
    return le__io_pread(p, d->handle.fd, d->file_name, at, data, bytes);
}

le_status le__h5_load(le__h5_dataset *d, const le__io_parallel *p, void *data) {
    bool dense = true; /* steps that jump over chunks would make a long walk of few elements */
    for (int i = 0; i < d->rank; i++) {
        if (d->range[i].count == 0)
            return LE_OK;
        dense = dense && d->range[i].step <= d->chunk[i];
    }
    if (d->fast && dense)
        return le__h5_load_chunks(d, p, data);
    int64_t bytes = (int64_t)le_dtype_size(d->dtype);
    for (int i = 0; i < d->rank; i++)
        bytes *= d->range[i].count; /* the caller has allocated as much */
    if (one_block(d))
        return read_block(d, p, bytes, data);
    /* a chunk is held whole by HDF5 */
    le_status status = le__io_check_size(d->text, d->dtype, d->rank, d->chunk, d->max_bytes, NULL);
    if (status == LE_OK) /* first in a child, whose copy of the memory takes the values */
        status = le__h5_guarded(d->text, bytes, true, read_plain, &(plain_job){d, data});
    return status;
}
