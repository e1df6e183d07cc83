/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opens an HDF5 dataset that may come from anyone: refuses what points outside the file, maps its
 * type, and finds out whether its chunks can be decoded in parallel.
 */
#include "files/h5.h"

#include "call/dtype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAST_CHUNK_BYTES_MAX = 32 << 20 }; /* two buffers of a chunk a thread: bounds the memory */

/* --------------------------------------------------------------------------------- opening -- */

static herr_t refuse_link(const char *parent, const char *parent_path, const char *child,
                          const char *child_path, unsigned *flags, hid_t fapl, void *cookie) {
    (void)parent, (void)parent_path, (void)child, (void)child_path, (void)flags, (void)fapl;
    *(bool *)cookie = true;
    return -1;
}

hid_t le__h5_inside(bool *left) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    *left = false;
    H5Pset_elink_cb(access, refuse_link, left);
    return access;
}

int64_t le__h5_signature(int fd, int64_t size) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char found[sizeof signature];
    for (int64_t at = 0; at <= size - (int64_t)sizeof found; at = at ? 2 * at : 512)
        if (pread(fd, found, sizeof found, (off_t)at) == (ssize_t)sizeof found &&
            !memcmp(found, signature, sizeof found))
            return at;
    return -1;
}

/* Whether the program itself has the file open through HDF5; then its lock on it is not for us. */
static bool opened_here(int fd) {
    struct stat own, other;
    hid_t open[64];
    ssize_t n = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, 64, open);
    char name[4096];
    for (ssize_t i = 0; i < n && i < 64; i++)
        if (H5Fget_name(open[i], name, sizeof name) > 0 && stat(name, &other) == 0 &&
            fstat(fd, &own) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino)
            return true;
    return false;
}

/* Whether somebody writes the file while others may read (HDF5's SWMR): superblock 3 says so. */
static bool is_written(int fd, int64_t superblock) {
    enum { VERSION = 8, FLAGS = 11, WRITING = 1, SWMR = 4 };
    unsigned char head[FLAGS + 1];
    return pread(fd, head, sizeof head, (off_t)superblock) == (ssize_t)sizeof head &&
           head[VERSION] == 3 && (head[FLAGS] & (WRITING | SWMR)) == (WRITING | SWMR);
}

le_status le__h5_file_read(le__h5_handle *handle, const char *name, int64_t bytes, hid_t *out) {
    *out = -1;
    le__h5_know_filters();
    const int64_t superblock = le__h5_signature(handle->fd, bytes);
    if (superblock < 0)
        return le_fail(LE_ERR_IO, "%s: not an HDF5 file", name);
    hid_t access = le__h5_access(handle);
    *out = access < 0 ? -1 : H5Fopen(name, H5F_ACC_RDONLY, access);
    if (access >= 0 && *out < 0 && is_written(handle->fd, superblock))
        *out = H5Fopen(name, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    le_status status = *out < 0 ? le__h5_fail(name, "cannot be opened") : LE_OK;
    le__h5_drop(access); /* forgets HDF5's errors */
    return status;
}

static le_status open_file(const le__io_place *place, le__h5_dataset *d) {
    d->handle.unlocked = opened_here(d->handle.fd);
    return le__h5_file_read(&d->handle, place->file, d->file_bytes, &d->file);
}

/* HDF5 walks every path from the root: thousands of nested groups would take minutes. */
enum { DEPTH_MAX = 64 };

typedef struct found {
    char name[256];
    char all[512];
    int count;
    bool deep;
} found;

static int depth_of(const char *name) {
    int depth = 0;
    for (; (name = strchr(name, '/')) != NULL; name++)
        depth++;
    return depth;
}

static herr_t note_dataset(hid_t group, const char *name, const H5O_info_t *info, void *cookie) {
    found *f = cookie;
    (void)group;
    f->deep = depth_of(name) > DEPTH_MAX;
    if (info->type != H5O_TYPE_DATASET || f->deep)
        return f->deep;
    if (f->count++ == 0)
        snprintf(f->name, sizeof f->name, "/%s", name);
    size_t used = strlen(f->all);
    snprintf(f->all + used, sizeof f->all - used, "%s/%s", used ? ", " : "", name);
    return f->count > 20; /* enough for a message */
}

/* The name of the only dataset, or an error that lists what there is. missing: the name asked for.
 */
static le_status only_dataset(const le__io_place *place, hid_t file, const char *missing,
                              found *f) {
    *f = (found){.count = 0};
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_dataset, f, H5O_INFO_BASIC);
    if (!missing && f->count == 1 && !f->deep)
        return LE_OK;
    if (f->deep && f->count < 2)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: groups are nested deeper than %d; name a dataset that is there as "
                       "FILE.h5:/NAME",
                       place->file, DEPTH_MAX);
    if (f->count == 0)
        return le_fail(LE_ERR_IO, "%s: the file has no dataset", place->file);
    if (missing)
        return le_fail(LE_ERR_IO, "%s: no dataset %s; the file has %s", place->file, missing,
                       f->all);
    return le_fail(LE_ERR_ARGUMENT, "%s: name a dataset as FILE.h5:/NAME; the file has %s",
                   place->file, f->all);
}

static const char anywhere[] = "/.../";

typedef struct namesake {
    const char *wanted;
    char name[256];
    int count;
} namesake;

static herr_t note_namesake(hid_t group, const char *name, const H5O_info_t *info, void *cookie) {
    namesake *n = cookie;
    const char *slash = strrchr(name, '/');
    (void)group;
    if (depth_of(name) > DEPTH_MAX)
        return 1;
    if (info->type == H5O_TYPE_DATASET && !strcmp(slash ? slash + 1 : name, n->wanted) &&
        n->count++ == 0)
        snprintf(n->name, sizeof n->name, "/%s", name);
    return n->count > 1;
}

/* The only dataset of this name, in whichever group. */
static le_status find_anywhere(const le__io_place *place, hid_t file, namesake *n) {
    *n = (namesake){.wanted = place->dataset + sizeof anywhere - 1};
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_namesake, n, H5O_INFO_BASIC);
    if (n->count == 1)
        return LE_OK;
    return n->count ? le_fail(LE_ERR_ARGUMENT, "%s: several datasets are called %s, %s for one",
                              place->text, n->wanted, n->name)
                    : le_fail(LE_ERR_IO, "%s: no dataset is called %s", place->text, n->wanted);
}

static le_status open_set(const le__io_place *place, le__h5_dataset *d) {
    bool external;
    found f;
    namesake n;
    const char *name = place->dataset;
    if (name && !strncmp(name, anywhere, sizeof anywhere - 1)) {
        le_status status = find_anywhere(place, d->file, &n);
        if (status != LE_OK)
            return status;
        name = n.name;
    }
    if (!name) {
        le_status status = only_dataset(place, d->file, NULL, &f);
        if (status != LE_OK)
            return status;
        name = f.name;
    }
    hid_t access = le__h5_inside(&external);
    d->set = H5Dopen2(d->file, name, access);
    /* HDF5 forgets the reason at the next call */
    const le_status opened =
        d->set >= 0 ? LE_OK : le__h5_fail(place->text, "cannot be opened as a dataset");
    H5Pclose(access);
    if (opened == LE_OK)
        return LE_OK;
    if (external) {
        le__h5_link_find(d->file, name, d->link);
        return le_fail(LE_ERR_IO,
                       "%s: the dataset lies behind a link to another file, which is not "
                       "followed",
                       place->text);
    }
    return H5Lexists(d->file, name, H5P_DEFAULT) > 0 ? opened
                                                     : only_dataset(place, d->file, name, &f);
}

/* ------------------------------------------------------------------------------- the type -- */

hid_t le__h5_type(le_dtype dtype) {
    const hid_t natives[LE_DTYPE_LAST + 1] = {
        [LE_U8] = H5T_NATIVE_UINT8,   [LE_I8] = H5T_NATIVE_INT8,    [LE_U16] = H5T_NATIVE_UINT16,
        [LE_I16] = H5T_NATIVE_INT16,  [LE_U32] = H5T_NATIVE_UINT32, [LE_I32] = H5T_NATIVE_INT32,
        [LE_U64] = H5T_NATIVE_UINT64, [LE_I64] = H5T_NATIVE_INT64,  [LE_F32] = H5T_NATIVE_FLOAT,
        [LE_F64] = H5T_NATIVE_DOUBLE, [LE_C64] = H5T_NATIVE_FLOAT,  [LE_C128] = H5T_NATIVE_DOUBLE};
    size_t size = le_dtype_size(dtype);
    if (le_dtype_kind_of(dtype) != LE_DTYPE_KIND_COMPLEX)
        return H5Tcopy(natives[dtype]);
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    if (type >= 0 && (H5Tinsert(type, "r", 0, natives[dtype]) < 0 ||
                      H5Tinsert(type, "i", size / 2, natives[dtype]) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool real_type(hid_t type, le_dtype *dtype) {
    static const le_dtype dtypes[2][4] = {{LE_U8, LE_U16, LE_U32, LE_U64},
                                          {LE_I8, LE_I16, LE_I32, LE_I64}};
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    int width = size == 1 ? 0 : size == 2 ? 1 : size <= 4 ? 2 : 3;
    *dtype = class == H5T_FLOAT ? size <= 4 ? LE_F32 : LE_F64
                                : dtypes[H5Tget_sign(type) == H5T_SGN_2][width];
    return size > 0 && ((class == H5T_FLOAT && size <= 16) || (class == H5T_INTEGER && size <= 8));
}

/* Complex numbers as h5py writes them: a compound of two floats, r and i. */
static bool complex_type(hid_t type, le_dtype *dtype) {
    le_dtype part[2] = {LE_U8, LE_U8};
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
        return false;
    for (int k = 0; k < 2; k++) {
        int member = H5Tget_member_index(type, k ? "i" : "r");
        hid_t number = member < 0 ? -1 : H5Tget_member_type(type, (unsigned)member);
        if (number < 0)
            return false;
        if (H5Tget_class(number) == H5T_FLOAT && !real_type(number, &part[k]))
            part[k] = LE_U8;
        H5Tclose(number);
    }
    *dtype = part[0] == LE_F32 && part[1] == LE_F32 ? LE_C64 : LE_C128;
    return part[0] != LE_U8 && part[1] != LE_U8;
}

/* Whether a member of an enumeration is 0 or 1, whatever integers it is made of. */
static bool truth_member(hid_t type, hid_t base, unsigned member) {
    int64_t number = -1; /* at first as in the file: real_type allows 8 bytes of an integer */
    return H5Tget_member_value(type, member, &number) >= 0 &&
           H5Tconvert(base, H5T_NATIVE_INT64, 1, &number, NULL, H5P_DEFAULT) >= 0 &&
           (number == 0 || number == 1);
}

/* Truth values as h5py writes them, an enumeration of two integers, 0 and 1: u8 as in all formats.
 * Other two numbers are read as what they are made of. */
static bool truth_type(hid_t type, le_dtype *dtype) {
    if (H5Tget_class(type) != H5T_ENUM || H5Tget_nmembers(type) != 2)
        return false;
    hid_t base = H5Tget_super(type);
    bool good = base >= 0 && real_type(base, dtype);
    if (good && truth_member(type, base, 0) && truth_member(type, base, 1))
        *dtype = LE_U8;
    le__h5_drop(base);
    return good;
}

static le_status map_type(const char *text, hid_t type, uint32_t dtypes, le__h5_dataset *d) {
    H5T_class_t class = H5Tget_class(type);
    if (real_type(type, &d->dtype) || truth_type(type, &d->dtype) ||
        complex_type(type, &d->dtype)) {
        d->dtype = le__dtype_nearest(d->dtype, dtypes);
        d->memory_type = le__h5_type(d->dtype);
        return d->memory_type < 0 ? le__h5_fail(text, "its type cannot be read") : LE_OK;
    }
    const char *name = class == H5T_STRING     ? "text"
                       : class == H5T_COMPOUND ? "compound"
                       : class == H5T_ENUM     ? "an enumeration"
                       : class == H5T_ARRAY    ? "arrays"
                       : class == H5T_VLEN     ? "variable-length lists"
                                               : "not numbers of up to 64 bits";
    return le_fail(LE_ERR_DTYPE,
                   "%s: the elements are %s; integers, floats, truth values or complex numbers (a "
                   "compound of two floats, r and i) are expected",
                   text, name);
}

/* ----------------------------------------------------------------------- layout and filters -- */

static void find_chunks(hid_t plist, hid_t type, le__h5_dataset *d) {
    hsize_t chunk[H5S_MAX_RANK];
    if (H5Pget_layout(plist) != H5D_CHUNKED || H5Pget_chunk(plist, d->rank, chunk) != d->rank)
        return;
    d->chunk_bytes = (int64_t)H5Tget_size(type);
    for (int i = 0; i < d->rank; i++) {
        d->chunk[i] = (int64_t)chunk[i];
        if (chunk[i] == 0 || chunk[i] > INT32_MAX ||
            __builtin_mul_overflow(d->chunk_bytes, d->chunk[i], &d->chunk_bytes))
            return;
    }
    d->chunked = true;
}

static void find_fast(hid_t plist, hid_t type, le__h5_dataset *d) {
    d->shuffle = d->deflate = -1;
    unsigned options = 0; /* edge chunks may lie there without passing the filters */
    if (!d->chunked || H5Tequal(type, d->memory_type) <= 0 ||
        d->chunk_bytes > FAST_CHUNK_BYTES_MAX || H5Pget_chunk_opts(plist, &options) < 0 ||
        options != 0)
        return;
    int filters = H5Pget_nfilters(plist);
    for (int i = 0; i < filters; i++) {
        unsigned flags, config;
        size_t n = 0;
        H5Z_filter_t id = H5Pget_filter2(plist, (unsigned)i, &flags, &n, NULL, 0, NULL, &config);
        if (id == H5Z_FILTER_SHUFFLE && i == 0)
            d->shuffle = i;
        else if (id == H5Z_FILTER_DEFLATE && i == filters - 1)
            d->deflate = i;
        else
            return;
    }
    d->fast = filters <= 2;
}

/* Of what has no place yet HDF5 adds the user block to the number that says so. */
int64_t le__h5_address(hid_t file, hid_t set) {
    hsize_t block = 0;
    haddr_t at = H5Dget_offset(set);
    hid_t plist = H5Fget_create_plist(file);
    bool known = plist >= 0 && H5Pget_userblock(plist, &block) >= 0;
    le__h5_drop(plist);
    return known && at >= block && at < (haddr_t)INT64_MAX ? (int64_t)at : -1;
}

/* Contiguous data of the machine's own type are read without HDF5. */
static void find_address(hid_t plist, hid_t type, le__h5_dataset *d) {
    d->address = -1;
    if (H5Pget_layout(plist) != H5D_CONTIGUOUS || H5Tequal(type, d->memory_type) <= 0)
        return;
    d->address = le__h5_address(d->file, d->set);
}

static le_status check_layout(const char *text, hid_t plist) {
    if (H5Pget_external_count(plist) > 0)
        return le_fail(LE_ERR_IO, "%s: the data lies in external files, which are not opened",
                       text);
    return LE_OK;
}

static le_status read_shape(const le__io_place *place, hid_t space, le__h5_dataset *d) {
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK];
    H5S_class_t class = H5Sget_simple_extent_type(space);
    if (class != H5S_SIMPLE && class != H5S_SCALAR)
        return le_fail(LE_ERR_SHAPE, "%s: the dataset is empty (a null dataspace)", place->text);
    d->rank = H5Sget_simple_extent_dims(space, dims, most);
    if (d->rank < 0)
        return le__h5_fail(place->text, "its shape cannot be read");
    for (int i = 0; i < d->rank; i++) {
        if (dims[i] > (hsize_t)INT64_MAX || dims[i] > most[i])
            return le_fail(LE_ERR_SHAPE, "%s: dimension %d is absurd (%llu, at most %llu)",
                           place->text, i, (unsigned long long)dims[i],
                           (unsigned long long)(most[i] > INT64_MAX ? INT64_MAX : most[i]));
        d->shape[i] = (int64_t)dims[i];
    }
    return le__io_select(place, d->rank, d->shape, d->range);
}

static le_status describe(const le__io_place *place, uint32_t dtypes, le__h5_dataset *d) {
    hid_t type = H5Dget_type(d->set), space = H5Dget_space(d->set);
    hid_t plist = H5Dget_create_plist(d->set);
    le_status status = type < 0 || space < 0 || plist < 0
                           ? le__h5_fail(place->text, "its description cannot be read")
                           : check_layout(place->text, plist);
    if (status == LE_OK)
        status = map_type(place->text, type, dtypes, d);
    if (status == LE_OK)
        status = read_shape(place, space, d);
    if (status == LE_OK) {
        find_chunks(plist, type, d);
        find_fast(plist, type, d);
    }
    if (status == LE_OK && H5Pget_layout(plist) == H5D_VIRTUAL)
        status = le__h5_maps_read(d, plist);
    if (status == LE_OK)
        find_address(plist, type, d);
    le__h5_drop(plist);
    le__h5_drop(space);
    le__h5_drop(type);
    return status;
}

static void close_ids(le__h5_dataset *d) {
    le__h5_drop(d->memory_type);
    le__h5_drop(d->set);
    le__h5_drop(d->file);
    d->memory_type = d->set = d->file = -1;
    le__h5_maps_free(d->maps);
    d->maps = NULL;
}

typedef struct open_job {
    const le__io_place *place;
    uint32_t dtypes;
    le__h5_dataset *d;
} open_job;

static le_status open_all(const open_job *job) {
    le_status status = open_file(job->place, job->d);
    if (status == LE_OK)
        status = open_set(job->place, job->d);
    if (status == LE_OK)
        status = describe(job->place, job->dtypes, job->d);
    if (status != LE_OK)
        close_ids(job->d);
    return status;
}

/* The dataset, and where the first chunks of its selection lie. */
static bool has_chunks(const le__h5_dataset *d) {
    bool any = d->fast || (d->wish != LE__H5_VALUES && d->chunked);
    for (int i = 0; i < d->rank; i++)
        any = any && d->range[i].count > 0;
    return any;
}

/* In the child, whose look-ups this process shares. */
static le_status try_open(void *context) {
    const open_job *job = context;
    le_status status = open_all(job);
    if (status != LE_OK)
        return status;
    if (has_chunks(job->d)) {
        le__h5_index_begin(job->d);
        status = le__h5_index_fill(job->d);
    }
    close_ids(job->d);
    return status;
}

static le_status open_twice(const open_job *job) {
    le__h5_known here;
    bool kept =
        job->d->wish == LE__H5_VALUES && le__h5_known_make(job->d->handle.fd, job->place, &here);
    bool trusted = le__io_trusted() || (kept && le__h5_known_has(&here));
    le_status status = le__h5_index_new(job->d);
    if (status == LE_OK && !trusted)
        status = le__io_in_child("HDF5", job->place->text, 0, try_open, (void *)(uintptr_t)job);
    if (status == LE_OK && kept && !trusted)
        le__h5_known_add(&here);
    if (status == LE_OK)
        status = open_all(job);
    if (status != LE_OK || !has_chunks(job->d))
        return status;
    le__h5_index_begin(job->d);
    status = trusted ? le__h5_index_fill(job->d) : LE_OK;
    if (status != LE_OK)
        close_ids(job->d);
    return status;
}

static le_status open_in_file(const le__io_place *place, int64_t max_bytes, uint32_t dtypes,
                              le__h5_wish wish, le__h5_link *link, le__h5_dataset *out) {
    le__h5_guard guard;
    link->found = false;
    *out = (le__h5_dataset){.text = place->text,
                            .file_name = place->file,
                            .link = link,
                            .file = -1,
                            .set = -1,
                            .memory_type = -1,
                            .address = -1,
                            .wish = wish,
                            .max_bytes = max_bytes};
    out->handle.fd = le__io_open(place->file, &out->file_bytes);
    out->handle.truncated = wish == LE__H5_STORED_SKIP;
    if (out->handle.fd < 0)
        return LE_ERR_IO;
    le__h5_enter(&guard);
    le_status status = open_twice(&(open_job){place, dtypes, out});
    le__h5_leave(&guard);
    if (status != LE_OK) {
        le__h5_index_free(&out->index);
        close(out->handle.fd);
    }
    out->link = NULL;
    return status;
}

enum { LINKS_MAX = 4 }; /* from file to file */

static le_status open_dataset(const le__io_place *place, int64_t max_bytes, uint32_t dtypes,
                              le__h5_wish wish, le__h5_dataset *out) {
    le__io_place at = *place;
    char name[sizeof out->own_name] = "", *file = NULL, *next = NULL;
    le__h5_link *link = le__io_shared(sizeof *link);
    if (!link)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", place->text);
    le_status status = open_in_file(&at, max_bytes, dtypes, wish, link, out);
    for (int i = 0; status != LE_OK && link->found && i < LINKS_MAX; i++) {
        status = le__h5_link_follow(link, place->text, at.file, &next);
        if (status != LE_OK)
            break;
        free(file);
        at.file = file = next;
        at.dataset = strcpy(name, link->dataset);
        status = open_in_file(&at, max_bytes, dtypes, wish, link, out);
    }
    le__io_unshare(link, sizeof *link);
    if (status != LE_OK) {
        free(file);
        return status;
    }
    out->own_file = file;
    strcpy(out->own_name, name);
    return status;
}

le_status le__h5_open(const le__io_place *place, int64_t max_bytes, uint32_t dtypes,
                      le__h5_dataset *out) {
    return open_dataset(place, max_bytes, dtypes, LE__H5_VALUES, out);
}

/* HDF5 1.10 makes nonsense of negative half floats as integers of 64 bits. */
static bool converts(hid_t stored, hid_t wanted) {
    union {
        double real;
        int64_t integer;
    } v = {.real = -1};
    if (H5Tget_class(stored) != H5T_FLOAT || H5Tequal(wanted, H5T_NATIVE_INT64) <= 0)
        return true;
    return H5Tconvert(H5T_NATIVE_DOUBLE, stored, 1, &v, NULL, H5P_DEFAULT) >= 0 &&
           H5Tconvert(stored, wanted, 1, &v, NULL, H5P_DEFAULT) >= 0 && v.integer == -1;
}

le_status le__h5_read_as(le__h5_dataset *d, le_dtype dtype) {
    le__h5_guard guard;
    if (d->dtype == dtype)
        return LE_OK;
    le__h5_enter(&guard);
    hid_t type = le__h5_type(dtype), stored = H5Dget_type(d->set);
    le_status status = type < 0 ? le__h5_fail(d->text, "its type cannot be read") : LE_OK;
    if (status == LE_OK && !converts(stored, type))
        status = le_fail(LE_ERR_DTYPE,
                         "%s: this version of HDF5 converts its floats of %zu bits wrongly to %s",
                         d->text, 8 * H5Tget_size(stored), le_dtype_name(dtype));
    le__h5_drop(stored);
    if (status != LE_OK)
        le__h5_drop(type);
    if (status == LE_OK) {
        H5Tclose(d->memory_type);
        d->memory_type = type;
        d->dtype = dtype;
        d->fast = false; /* HDF5 converts */
        d->address = -1;
    }
    le__h5_leave(&guard);
    return status;
}

le_status le__h5_open_stored(const le__io_place *place, int64_t max_bytes, bool skip,
                             le__h5_dataset *out) {
    return open_dataset(place, max_bytes, 0, skip ? LE__H5_STORED_SKIP : LE__H5_STORED, out);
}

void le__h5_close(le__h5_dataset *d) {
    le__h5_guard guard;
    le__h5_enter(&guard);
    close_ids(d);
    le__h5_leave(&guard);
    le__h5_index_free(&d->index);
    close(d->handle.fd);
    free(d->own_file);
}
