/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writes a tensor as an HDF5 dataset: into a new file, or into a copy of the existing one that then
 * takes its place.
 */
#include "files/h5.h"

#include "call/tensor.h"
#include "core/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of one file into another, by the kernel where it can. */
static le_status copy_range(const char *text, int from, int64_t first, int to, int64_t at,
                            int64_t bytes) {
    enum { PIECE = 8 << 20 };
    off_t in = (off_t)first, out = (off_t)at;
    char buffer[65536];
    for (ssize_t n; bytes > 0; bytes -= n) {
        if (!le__ticker_look(le__ticker_here(), NAN))
            return le__ticker_fail(text);
        n = copy_file_range(from, &in, to, &out, bytes < PIECE ? (size_t)bytes : PIECE, 0);
        if (n > 0)
            continue;
        /* across file systems, or an old kernel */
        n = pread(from, buffer, sizeof buffer < (size_t)bytes ? sizeof buffer : (size_t)bytes, in);
        if (n <= 0)
            return le_fail(LE_ERR_IO, "%s: %s", text, n == 0 ? "truncated" : strerror(errno));
        le_status status = le__io_write_at(to, text, buffer, n, out);
        if (status != LE_OK)
            return status;
        in += n;
        out += n;
    }
    return LE_OK;
}

static le_status copy_file(const char *from, int to) {
    int64_t size;
    int fd = le__io_open(from, &size);
    if (fd < 0)
        return LE_ERR_IO;
    le_status status = copy_range(from, fd, 0, to, 0, size);
    close(fd);
    return status;
}

/* The object of the first n bytes of a name; false: there is none. */
static bool look_up(hid_t file, const char *name, size_t n, H5O_info_t *info, bool *external) {
    char *part = strndup(name, n);
    hid_t access = le__h5_inside(external);
    const bool found = part && H5Oget_info_by_name2(file, part, info, H5O_INFO_BASIC, access) >= 0;
    H5Pclose(access);
    free(part);
    return found;
}

static bool is_link(hid_t file, const char *name, size_t n) {
    char *part = strndup(name, n);
    const bool any = part && H5Lexists(file, part, H5P_DEFAULT) > 0;
    free(part);
    return any;
}

/* Whether a dataset of the name can be put there: what it lies in are groups, and an older object
 * of its name, which *found tells of, is a dataset. */
static le_status check_room(const char *text, hid_t file, const char *name, bool *found) {
    H5O_info_t info;
    size_t n = strspn(name, "/");
    bool external, group = true;
    do {
        n += strcspn(name + n, "/");
        const size_t behind = strspn(name + n, "/");
        *found = look_up(file, name, n, &info, &external);
        if (external)
            return le_fail(LE_ERR_IO, "%s: lies behind a link to another file", text);
        if (!*found && is_link(file, name, n))
            return le_fail(LE_ERR_IO, "%s: %.*s in the file is a link that leads nowhere", text,
                           (int)n, name);
        group = *found && info.type == H5O_TYPE_GROUP;
        if (*found && !group && name[n + behind])
            return le_fail(LE_ERR_IO, "%s: %.*s in the file is no group", text, (int)n, name);
        n += behind;
    } while (group && name[n]);
    return *found && info.type != H5O_TYPE_DATASET
               ? le_fail(LE_ERR_IO, "%s: exists in the file and is not a dataset", text)
               : LE_OK;
}

/* Removes an older dataset of the name. */
static le_status make_room(const char *text, hid_t file, const char *name) {
    bool found;
    le_status status = check_room(text, file, name, &found);
    if (status != LE_OK || !found)
        return status;
    return H5Ldelete(file, name, H5P_DEFAULT) < 0 ? le__h5_fail(text, "cannot be replaced") : LE_OK;
}

hid_t le__h5_text_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool le__h5_put_texts(hid_t object, const char *name, const char *const *texts, int64_t n) {
    const hsize_t size = (hsize_t)n;
    hid_t type = le__h5_text_type();
    hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    if (H5Aexists(object, name) > 0)
        H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
    le__h5_drop(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* The names of a table's columns. */
static bool write_columns(hid_t set, const char *const *columns, int64_t n) {
    const char **texts = malloc((size_t)n * sizeof *texts + 1);
    for (int64_t i = 0; texts && i < n; i++)
        texts[i] = columns[i] ? columns[i] : "";
    bool good = texts && le__h5_put_texts(set, "columns", texts, n);
    free(texts);
    return good;
}

typedef struct write_job {
    const le__io_place *place;
    le__h5_handle handle; /* the file under construction */
    bool exists;          /* it is a copy of an older one */
    const le_tensor *t;
    const void *data;
    const char *const *columns; /* of a table; NULL: none */
    int64_t *address;           /* not NULL: only room is made, here; shared with a child process */
} write_job;

static hid_t how_to_create(const write_job *job) {
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (job->address) {
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    }
    return how;
}

static herr_t note_address(const write_job *job, hid_t file, hid_t set) {
    const int64_t at = le__h5_address(file, set);
    *job->address = at < 0 ? 0 : at;
    return at >= 0 || le_tensor_count(job->t) == 0 ? 0 : -1;
}

static le_status write_set(const write_job *job, hid_t file) {
    const le_tensor *t = job->t;
    const char *text = job->place->text, *name = job->place->dataset;
    hsize_t dims[LE_MAX_DIMS];
    for (int i = 0; i < t->ndim; i++)
        dims[i] = (hsize_t)t->shape[i];
    hid_t space = t->ndim ? H5Screate_simple(t->ndim, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t type = le__h5_type(t->dtype), how = how_to_create(job);
    hid_t set = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
    herr_t r = set < 0        ? -1
               : job->address ? note_address(job, file, set)
                              : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, job->data);
    if (r >= 0 && job->columns && !write_columns(set, job->columns, t->shape[1]))
        r = -1;
    le_status status = r < 0 ? le__h5_fail(text, "cannot be written") : LE_OK;
    if (set >= 0 && H5Dclose(set) < 0 && status == LE_OK)
        status = le__h5_fail(text, "cannot be written");
    H5Pclose(links);
    H5Pclose(how);
    H5Tclose(type);
    le__h5_drop(space);
    return status;
}

static le_status write_into(void *context) {
    write_job *job = context;
    const le__io_place *place = job->place;
    hid_t file = le__h5_file(&job->handle, place->file, job->exists ? H5F_ACC_RDWR : H5F_ACC_TRUNC);
    le_status status = file < 0 ? LE_ERR_IO : LE_OK;
    if (status == LE_OK && job->exists)
        status = make_room(place->text, file, place->dataset);
    if (status == LE_OK)
        status = write_set(job, file);
    if (file >= 0 && H5Fclose(file) < 0 && status == LE_OK)
        status = le__h5_fail(place->file, "cannot be written");
    return status;
}

/* A copy of a file that may be damaged is changed in a child process only. New files are made there
 * too: after a full disk HDF5 cannot close a file, keeps it, and complains when the program ends.
 */
static le_status write_guarded(write_job *job, int64_t bytes) {
    return le__h5_guarded(job->place->text, bytes, false, write_into, job);
}

static le_status check_place(const le__io_place *place) {
    if (!le__io_names_dataset(place))
        return le_fail(LE_ERR_ARGUMENT, "%s: name the dataset to write, as FILE.h5:/NAME",
                       place->text);
    if (place->n_slices)
        return le_fail(LE_ERR_ARGUMENT, "%s: slices are for reading only", place->text);
    return LE_OK;
}

/* Neither does what is no HDF5 file become one, nor can be kept what cannot be read. */
static le_status check_file(const le__io_place *place, int *fd) {
    struct stat info;
    *fd = open(place->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return errno == EACCES ? le_fail(LE_ERR_IO, "%s: %s", place->file, strerror(errno)) : LE_OK;
    return fstat(*fd, &info) == 0 && S_ISREG(info.st_mode) &&
                   le__h5_signature(*fd, info.st_size) < 0
               ? le_fail(LE_ERR_IO, "%s: not an HDF5 file", place->file)
               : LE_OK;
}

/* A file that HDF5 cannot open now may be another one when it is written. */
static le_status look_for_room(void *context) {
    write_job *job = context;
    bool found;
    hid_t file = le__h5_file(&job->handle, job->place->file, H5F_ACC_RDONLY);
    le_status status =
        file < 0 ? LE_OK : check_room(job->place->text, file, job->place->dataset, &found);
    le__h5_drop(file);
    return status;
}

le_status le__h5_try(const le__io_place *place) {
    int fd = -1;
    le_status status = check_place(place);
    if (status == LE_OK)
        status = check_file(place, &fd);
    write_job job = {.place = place, .handle = {.fd = fd, .unlocked = true}};
    if (status == LE_OK && fd >= 0)
        status = le__h5_guarded(place->text, 0, false, look_for_room, &job);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Makes of the file what is to replace it: exists: its descriptor has a copy, else it is empty. */
typedef le_status (*make_fn)(void *context, bool exists, int fd);

/* *late: somebody else has replaced or changed the file meanwhile, and it stays as it is. */
static le_status replace_once(const le__io_place *place, make_fn make, void *context, bool *late) {
    le__outfile temp;
    const le__io_version old = le__io_version_of(place->file);
    le_status status = le__io_temp_open(place->file, false, &temp);
    if (status == LE_OK && old.there)
        status = copy_file(place->file, temp.fd);
    if (status == LE_OK)
        status = make(context, old.there, temp.fd);
    if (status == LE_OK)
        status = le__io_temp_sync(place->file, &temp);
    const int lock =
        status == LE_OK ? le__outfile_folder_lock(temp.target, LE__IO_FOLDER_WAIT_S) : -1;
    *late = !le__io_version_is(&old, place->file);
    if (status == LE_OK && !*late)
        status = le__io_temp_commit(place->file, &temp);
    else
        le__outfile_abandon(&temp);
    le__outfile_folder_unlock(lock);
    return status;
}

/* Whoever comes too late begins again, with what the other one has made. */
static le_status replace(const le__io_place *place, make_fn make, void *context) {
    enum { TRIES = 100 };
    bool late = true;
    le_status status = check_place(place);
    if (status != LE_OK)
        return status;
    for (int i = 0; late && i < TRIES && (status == LE_OK || status == LE_ERR_IO); i++)
        status = replace_once(place, make, context, &late);
    return status != LE_OK || !late
               ? status
               : le_fail(LE_ERR_IO, "%s: another program changes the file all the time",
                         place->file);
}

static le_status make_dataset(void *context, bool exists, int fd) {
    write_job *job = context;
    job->handle = (le__h5_handle){.fd = fd};
    job->exists = exists;
    return write_guarded(job, le__tensor_size(job->t));
}

le_status le__h5_write(const le__io_request *r, const le_tensor *t, const void *data) {
    write_job job = {.place = r->place, .t = t, .data = data, .columns = r->columns};
    return replace(r->place, make_dataset, &job);
}

/* Room in a file that has what there is already; where it begins. */
static le_status make_room_in(const le__io_place *place, bool exists, int fd, const le_tensor *t,
                              int64_t *offset) {
    int64_t *address = le__io_shared(sizeof *address);
    if (!address)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", place->text);
    write_job job = {
        .place = place, .handle = {.fd = fd}, .exists = exists, .t = t, .address = address};
    le_status status = write_guarded(&job, 0);
    *offset = *address;
    le__io_unshare(address, sizeof *address);
    return status;
}

le_status le__h5_reserve(const le__io_place *place, int fd, bool begun, const le_tensor *t,
                         int64_t *offset) {
    bool exists = begun || access(place->file, F_OK) == 0;
    le_status status = check_place(place);
    if (status == LE_OK && exists && !begun)
        status = copy_file(place->file, fd);
    return status == LE_OK ? make_room_in(place, exists, fd, t, offset) : status;
}

typedef struct from_job {
    const le__io_place *place;
    const le_tensor *t;
    int from; /* the data, */
    int64_t at;
} from_job;

static le_status make_from(void *context, bool exists, int fd) {
    const from_job *job = context;
    int64_t offset = 0;
    le_status status = make_room_in(job->place, exists, fd, job->t, &offset);
    return status == LE_OK ? copy_range(job->place->text, job->from, job->at, fd, offset,
                                        le__tensor_size(job->t))
                           : status;
}

le_status le__h5_write_from(const le__io_request *r, const le_tensor *t, int fd, int64_t offset) {
    from_job job = {r->place, t, fd, offset};
    return replace(r->place, make_from, &job);
}

/* ------------------------------------------------------------------------------- other changes --
 */

typedef struct edit_job {
    const le__io_place *place;
    le__h5_handle handle;
    le_status (*edit)(void *context, hid_t file);
    void *context;
} edit_job;

static le_status edit_file(void *context) {
    edit_job *job = context;
    hid_t file = le__h5_file(&job->handle, job->place->file, H5F_ACC_RDWR);
    le_status status = file < 0 ? LE_ERR_IO : job->edit(job->context, file);
    if (file >= 0 && H5Fclose(file) < 0 && status == LE_OK)
        status = le__h5_fail(job->place->file, "cannot be written");
    return status;
}

static le_status make_edited(void *context, bool exists, int fd) {
    edit_job *job = context;
    (void)exists;
    job->handle = (le__h5_handle){.fd = fd};
    return le__h5_guarded(job->place->text, 0, false, edit_file, job);
}

le_status le__h5_edit(const le__io_place *place, le_status (*edit)(void *context, hid_t file),
                      void *context) {
    edit_job job = {.place = place, .edit = edit, .context = context};
    return replace(place, make_edited, &job);
}
