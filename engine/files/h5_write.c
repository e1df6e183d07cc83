/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writes a tensor as an HDF5 dataset: into a new file, or into a copy of the existing one that then
 * takes its place.
 */
#include "files/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static le_status copy_file(const char *from, int to) {
    int64_t size;
    int fd = le__io_open(from, &size);
    if (fd < 0)
        return LE_ERR_IO;
    le_status status = LE_OK;
    while (size > 0 && status == LE_OK) {
        ssize_t n = copy_file_range(fd, NULL, to, NULL, (size_t)size, 0);
        if (n <= 0) {
            char buffer[65536]; /* across file systems, or an old kernel */
            n = read(fd, buffer, sizeof buffer);
            status =
                n > 0 ? le__io_write_all(to, from, buffer, n)
                      : le_fail(LE_ERR_IO, "%s: %s", from, n < 0 ? strerror(errno) : "truncated");
        }
        size -= n;
    }
    close(fd);
    return status;
}

/* Removes an older dataset of the name; anything else there is an error. */
static le_status make_room(const char *text, hid_t file, const char *name) {
    H5O_info_t info;
    bool external;
    hid_t access = le__h5_inside(&external);
    herr_t found = H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, access);
    H5Pclose(access);
    if (external)
        return le_fail(LE_ERR_IO, "%s: lies behind a link to another file", text);
    if (found < 0)
        return LE_OK; /* a missing parent, too */
    if (info.type != H5O_TYPE_DATASET)
        return le_fail(LE_ERR_IO, "%s: exists in the file and is not a dataset", text);
    return H5Ldelete(file, name, H5P_DEFAULT) < 0 ? le__h5_fail(text, "cannot be replaced") : LE_OK;
}

static le_status write_set(const char *text, hid_t file, const char *name, const le_tensor *t,
                           const void *data) {
    hsize_t dims[LE_MAX_DIMS];
    for (int i = 0; i < t->ndim; i++)
        dims[i] = (hsize_t)t->shape[i];
    hid_t space = t->ndim ? H5Screate_simple(t->ndim, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t type = le__h5_type(t->dtype);
    hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    herr_t r = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    le_status status = r < 0 ? le__h5_fail(text, "cannot be written") : LE_OK;
    if (set >= 0 && H5Dclose(set) < 0 && status == LE_OK)
        status = le__h5_fail(text, "cannot be written");
    H5Pclose(links);
    H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return status;
}

typedef struct write_job {
    const le__io_place *place;
    le__h5_handle handle; /* the file under construction */
    bool exists;          /* it is a copy of an older one */
    const le_tensor *t;
    const void *data;
} write_job;

static le_status write_into(void *context) {
    write_job *job = context;
    const le__io_place *place = job->place;
    hid_t access = le__h5_access(&job->handle);
    hid_t file = access < 0    ? -1
                 : job->exists ? H5Fopen(place->file, H5F_ACC_RDWR, access)
                               : H5Fcreate(place->file, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    le_status status = file < 0 ? le__h5_fail(place->file, "cannot be opened for writing") : LE_OK;
    if (access >= 0)
        H5Pclose(access); /* forgets HDF5's errors */
    if (status == LE_OK && job->exists)
        status = make_room(place->text, file, place->dataset);
    if (status == LE_OK)
        status = write_set(place->text, file, place->dataset, job->t, job->data);
    if (file >= 0 && H5Fclose(file) < 0 && status == LE_OK)
        status = le__h5_fail(place->file, "cannot be written");
    return status;
}

/* A copy of a file that may be damaged is changed in a child process only. New files are made there
 * too: after a full disk HDF5 cannot close a file, keeps it, and complains when the program ends.
 */
static le_status write_guarded(write_job *job, int64_t bytes) {
    le__h5_guard guard;
    le__h5_enter(&guard);
    le_status status = le__h5_trusted() ? write_into(job)
                                        : le__h5_in_child(job->place->text, bytes, write_into, job);
    le__h5_leave(&guard);
    return status;
}

le_status le__h5_write(const le__io_request *r, const le_tensor *t, const void *data) {
    const le__io_place *place = r->place;
    le__outfile temp;
    if (!place->dataset)
        return le_fail(LE_ERR_ARGUMENT, "%s: name the dataset to write, as FILE.h5:/NAME",
                       place->text);
    if (place->n_slices)
        return le_fail(LE_ERR_ARGUMENT, "%s: slices are for reading only", place->text);
    bool exists = access(place->file, F_OK) == 0;
    le_status status = le__io_temp_open(place->file, false, &temp);
    if (status != LE_OK)
        return status;
    if (exists)
        status = copy_file(place->file, temp.fd);
    write_job job = {place, {.fd = temp.fd}, exists, t, data};
    if (status == LE_OK)
        status = write_guarded(&job, le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype));
    if (status == LE_OK)
        return le__io_temp_commit(place->file, &temp);
    le__outfile_abandon(&temp);
    return status;
}
