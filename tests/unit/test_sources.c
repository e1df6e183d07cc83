/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sources and sinks: chunks as HDF5 itself hands them out, frames, and chains over batches of both,
 * with a toy operation that adds up the bytes of each stored chunk.
 */
#include "io_test.h"

#include "call/engine.h"
#include "liquid_engine/le_stream.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 23, SIDE = 40 };

/* --- the toy operation: sums[k] = weight * (sum of the bytes of chunk k) --- */

enum { ARG_BYTES, ARG_OFFSETS, ARG_WEIGHT, ARG_SUMS };

static const le_arg_desc sum_args[] = {
    [ARG_BYTES] = {.name = "bytes",
                   .doc = "stored chunks",
                   .type = LE_TYPE_IN,
                   .dtypes = LE_DTYPE_BIT(LE_U8),
                   .min_ndim = 1,
                   .max_ndim = 1,
                   .shape = "[bytes]"},
    [ARG_OFFSETS] = {.name = "offsets",
                     .doc = "where each begins, and the end",
                     .type = LE_TYPE_IN,
                     .dtypes = LE_DTYPE_BIT(LE_I64),
                     .min_ndim = 1,
                     .max_ndim = 1,
                     .shape = "[n+1]"},
    [ARG_WEIGHT] = {.name = "weight",
                    .doc = "a factor",
                    .type = LE_TYPE_IN,
                    .dtypes = LE_DTYPE_BIT(LE_F64),
                    .max_ndim = 0,
                    .shape = "[]"},
    [ARG_SUMS] = {.name = "sums",
                  .doc = "of each chunk",
                  .type = LE_TYPE_OUT,
                  .dtypes = LE_DTYPE_BIT(LE_F64),
                  .min_ndim = 1,
                  .max_ndim = 1,
                  .shape = "[n]"},
};

static le_status sum_check(le_call *call) {
    int64_t n = le_call_in(call, ARG_OFFSETS)->shape[0] - 1;
    return le_call_set_out(call, ARG_SUMS, LE_F64, 1, &n);
}

static void sum_work(const le_call *call, le_work *out) {
    double n = (double)le_call_in(call, ARG_BYTES)->shape[0] + 1;
    *out = (le_work){.operations = n, .bytes = n};
}

static le_status sum_run(le_call *call) {
    const unsigned char *bytes = le_call_in(call, ARG_BYTES)->data;
    const int64_t *offsets = le_call_in(call, ARG_OFFSETS)->data;
    const le_tensor *out = le_call_out(call, ARG_SUMS);
    for (int64_t k = 0; k < out->shape[0]; k++) {
        double sum = 0;
        for (int64_t i = offsets[k]; i < offsets[k + 1]; i++)
            sum += bytes[i];
        ((double *)out->data)[k] = sum * le_tensor_get(le_call_in(call, ARG_WEIGHT), 0);
    }
    return LE_OK;
}

static const le_operation sum_operation = {.abi = LE_METHOD_ABI,
                                           .name = "stored_sums",
                                           .family = "test",
                                           .summary = "sums of stored chunks",
                                           .reference = "this line",
                                           .args = sum_args,
                                           .n_args = sizeof sum_args / sizeof *sum_args,
                                           .check = sum_check,
                                           .work = sum_work,
                                           .norm = LE_NORM_MAX,
                                           .atol = 1e-9};

static const le_implementation sum_reference = {.abi = LE_METHOD_ABI,
                                                .operation = "stored_sums",
                                                .name = "reference",
                                                .run_type = "reference",
                                                .device = LE_DEVICE_CPU,
                                                .run = sum_run,
                                                .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                .speed = 1};

static int sources_setup(void **state) {
    return io_setup(state) || le_register_operation(io_engine, &sum_operation) != LE_OK ||
           le_register_implementation(io_engine, &sum_reference) != LE_OK;
}

/* --- files --- */

/* Frame 7 was never written, frame 9 lies there without the last filter. */
static void write_scan(const char *file) {
    hsize_t dims[3] = {FRAMES, SIDE, SIDE}, chunk[3] = {1, SIDE, SIDE}, at[3] = {0, 0, 0};
    static uint16_t frame[SIDE * SIDE];
    uint16_t fill = 513;
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t memory = H5Screate_simple(3, chunk, NULL);
    H5Pset_chunk(plist, 3, chunk);
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, 3);
    H5Pset_fill_value(plist, H5T_NATIVE_UINT16, &fill);
    hid_t set = H5Dcreate2(out, "scan", H5T_STD_U16LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    for (at[0] = 0; at[0] < FRAMES; at[0]++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            frame[i] = (uint16_t)(i * (int)(at[0] + 1) % 97);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, chunk, NULL);
        if (at[0] == 9)
            assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 2, at, sizeof frame, frame) >= 0);
        else if (at[0] != 7)
            assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, frame) >= 0);
    }
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(memory);
    H5Sclose(space);
    H5Fclose(out);
}

/* A chunk as HDF5 gives it; its size. */
static int64_t chunk_by_hdf5(hid_t set, const hsize_t *at, unsigned char **bytes, uint32_t *mask) {
    hsize_t size = 0;
    *bytes = NULL;
    *mask = 0;
    H5E_BEGIN_TRY {
        if (H5Dget_chunk_storage_size(set, at, &size) < 0)
            size = 0;
    }
    H5E_END_TRY
    *bytes = malloc((size_t)size + 1);
    if (size)
        assert_true(H5Dread_chunk(set, H5P_DEFAULT, at, mask, *bytes) >= 0);
    return (int64_t)size;
}

/* Every chunk of a dataset, in batches of so many. */
static void check_stored(const char *file, const char *name, int64_t batch) {
    char place[512];
    le_source *s;
    le_tensor parts[LE_SOURCE_PARTS] = {{0}};
    snprintf(place, sizeof place, "%s:%s", file, name);
    if (le_io_source(io_engine, place, LE_SOURCE_STORED, &s) != LE_OK)
        fail_msg("%s: %s", place, le_error_message());
    const le_stored_info *info = le_io_source_stored(s);
    hid_t in = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(in, name, H5P_DEFAULT);
    assert_true(set >= 0);
    for (int64_t k = 0; k < s->items;) {
        int64_t n = s->items - k < batch ? s->items - k : batch;
        assert_int_equal(s->next(s, n, parts), LE_OK);
        const int64_t *offsets = parts[1].data;
        assert_int_equal(parts[1].shape[0], n + 1);
        assert_int_equal(parts[0].shape[0], offsets[n]);
        for (int64_t i = 0; i < n; i++, k++) {
            hsize_t at[LE_MAX_DIMS];
            unsigned char *bytes;
            uint32_t mask;
            int64_t rest = k;
            for (int d = info->ndim - 1; d >= 0; d--) {
                at[d] = (hsize_t)(le_stored_place(info, d, rest % info->grid[d]) * info->chunk[d]);
                rest /= info->grid[d];
            }
            int64_t size = chunk_by_hdf5(set, at, &bytes, &mask);
            if (size != offsets[i + 1] - offsets[i] ||
                memcmp(bytes, (unsigned char *)parts[0].data + offsets[i], (size_t)size) != 0)
                fail_msg("%s: chunk %d differs", place, (int)k);
            assert_int_equal(((uint32_t *)parts[2].data)[i], mask);
            free(bytes);
        }
    }
    H5Dclose(set);
    H5Fclose(in);
    for (int p = 0; p < 3; p++)
        le_tensor_free(&parts[p]);
    le_source_close(&s);
    assert_null(s);
}

static void stored(void **state) {
    le_source *s;
    (void)state;
    write_scan("scan.h5");
    for (int64_t batch = 1; batch <= FRAMES; batch += 5)
        check_stored("scan.h5", "/scan", batch);
    assert_int_equal(le_io_source(io_engine, "scan.h5:/scan[3:12:2]", LE_SOURCE_STORED, &s), LE_OK);
    const le_stored_info *info = le_io_source_stored(s);
    assert_int_equal(info->dtype, LE_U16);
    assert_false(info->big_endian);
    assert_int_equal(info->ndim, 3);
    assert_int_equal(info->shape[0], FRAMES);
    assert_int_equal(info->chunk[0], 1);
    assert_int_equal(info->first[0], 3);
    assert_int_equal(info->grid[0], 5); /* frames 3, 5, 7, 9 and 11 */
    assert_int_equal(info->chunk_bytes, 2 * SIDE * SIDE);
    assert_int_equal(info->n_filters, 2);
    assert_int_equal(info->filters[0].id, H5Z_FILTER_SHUFFLE);
    assert_int_equal(info->filters[1].id, H5Z_FILTER_DEFLATE);
    assert_int_equal(info->filters[1].values[0], 3);
    assert_memory_equal(info->fill, ((uint16_t[]){513}), 2);
    le_source_close(&s);
}

/* A master file as detectors write it. HDF5 itself follows all of its links. */
static void write_master(void) {
    char above[64], whole[4096];
    hid_t file = H5Fcreate("master.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t entry = H5Gcreate2(file, "/entry", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(entry, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_non_null(getcwd(whole, sizeof whole - 16));
    snprintf(above, sizeof above, "../%.40s/scan_000001.h5", strrchr(whole, '/') + 1);
    strcat(whole, "/scan_000001.h5");
    H5Lcreate_external("scan_000001.h5", "/scan", group, "data_000001", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("below/scan_000002.h5", "scan", group, "data_000002", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Lcreate_external("scan_000001.h5", "/", group, "all", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("again.h5", "/first", group, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("master.h5", "/entry/data/loop", group, "loop", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("missing.h5", "/scan", group, "missing", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(above, "/scan", group, "above", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(whole, "/scan", group, "whole", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Gclose(entry);
    H5Fclose(file);
    file = H5Fcreate("again.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("scan_000001.h5", "/scan", file, "first", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

static void behind_links(void **state) {
    (void)state;
    static const char *const good[] = {"data_000001", "data_000002", "all/scan", "again"};
    le_tensor whole = {0};
    assert_int_equal(mkdir("below", 0777), 0);
    write_scan("scan_000001.h5");
    write_scan("below/scan_000002.h5");
    write_master();
    assert_int_equal(le_io_read(io_engine, "scan_000001.h5:/scan", NULL, &whole), LE_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char name[64], place[96];
        le_tensor t = {0}, frame = {0};
        snprintf(name, sizeof name, "/entry/data/%s", good[i]);
        check_stored("master.h5", name, 5);
        snprintf(place, sizeof place, "master.h5:%s", name);
        if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
            fail_msg("%s: %s", place, le_error_message());
        assert_int_equal(t.dtype, LE_U16);
        assert_memory_equal(t.data, whole.data, FRAMES * SIDE * SIDE * sizeof(uint16_t));
        le_tensor_free(&t);
        snprintf(place, sizeof place, "master.h5:%s[11]", name);
        assert_int_equal(le_io_read(io_engine, place, NULL, &frame), LE_OK);
        assert_memory_equal(frame.data, (uint16_t *)whole.data + 11 * SIDE * SIDE,
                            SIDE * SIDE * sizeof(uint16_t));
        le_tensor_free(&frame);
    }
    le_tensor_free(&whole);
    assert_true(le_io_replaces("scan_000001.h5:/scan", "master.h5:/entry/data/data_000001"));
    assert_true(le_io_replaces("scan_000001.h5:/scan", "master.h5:/entry/data/again"));
    assert_false(le_io_replaces("scan_000001.h5:/other", "master.h5:/entry/data/data_000001"));
    assert_false(le_io_replaces("scan_000001.h5:/scan", "master.h5:/entry/data/data_000002"));
    assert_true(le_io_replaces("scan_000001.h5:/scan", "master.h5:/entry/data"));
    assert_true(le_io_replaces("below/scan_000002.h5:/scan", "master.h5:/entry/data[3:]"));
    assert_true(le_io_replaces("scan_000001.h5:/scan", "scan_000001.h5:/"));
    assert_false(le_io_replaces("scan_000001.h5:/other", "master.h5:/entry/data"));
    io_assert_fails("master.h5:/entry/data/loop", LE_ERR_IO, "another file");
    io_assert_fails("master.h5:/entry/data/missing", LE_ERR_IO, "missing.h5");
    io_assert_fails("master.h5:/entry/data/above", LE_ERR_IO, "not beside it");
    io_assert_fails("master.h5:/entry/data/whole", LE_ERR_IO, "not beside it");
    io_assert_fails("master.h5:/entry/data/none", LE_ERR_IO, "no dataset");
}

/* Groups whose names are soft links to links to other files, with and without a path of their own.
 */
static void behind_soft_links(void **state) {
    (void)state;
    static const char *const good[] = {"group/direct", "group/far", "group/near", "group/twice",
                                       "folder/scan"};
    hid_t file = H5Fcreate("soft.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t links = H5Gcreate2(file, "/links", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t bad = H5Gcreate2(file, "/bad", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    le_tensor whole = {0}, t = {0};
    le_source *s;
    write_scan("soft_1.h5");
    write_scan("soft_2.h5");
    H5Lcreate_external("soft_2.h5", "/scan", links, "one", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("soft_1.h5", "/", links, "root", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("soft_1.h5", "/scan", group, "direct", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/links/one", group, "far", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("direct", group, "near", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("far", group, "twice", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("links/root", file, "folder", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("b", bad, "a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("a", bad, "b", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/links/none", bad, "none", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(bad);
    H5Gclose(group);
    H5Gclose(links);
    H5Fclose(file);
    assert_int_equal(le_io_read(io_engine, "soft_1.h5:/scan", NULL, &whole), LE_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char place[64];
        snprintf(place, sizeof place, "soft.h5:/%s", good[i]);
        if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
            fail_msg("%s: %s", place, le_error_message());
        assert_memory_equal(t.data, whole.data, FRAMES * SIDE * SIDE * sizeof(uint16_t));
        le_tensor_free(&t);
    }
    le_tensor_free(&whole);
    assert_int_equal(le_io_source(io_engine, "soft.h5:/group", LE_SOURCE_STORED, &s), LE_OK);
    assert_int_equal(s->items, 2 * FRAMES); /* near is direct, and twice is far */
    le_source_close(&s);
    io_assert_fails("soft.h5:/bad/a", LE_ERR_IO, "soft.h5:/bad/a");
    io_assert_fails("soft.h5:/bad/none", LE_ERR_IO, "soft.h5:/bad/none");
    assert_int_equal(le_io_source(io_engine, "soft.h5:/bad", LE_SOURCE_STORED, &s), LE_ERR_IO);
}

static hid_t write_axis(hid_t at, const char *name, int axes, hid_t type, bool chunked) {
    hsize_t dims[3] = {FRAMES, SIDE, SIDE}, chunk[3] = {1, SIDE, SIDE};
    hid_t space = H5Screate_simple(axes, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked)
        H5Pset_chunk(plist, axes, chunk);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    H5Sclose(space);
    return H5Dclose(set);
}

static int64_t items_of_group(const char *place, le_source_kind kind) {
    le_source *s;
    const le_source_piece *pieces;
    if (le_io_source(io_engine, place, kind, &s) != LE_OK)
        fail_msg("%s: %s", place, le_error_message());
    const int64_t items = s->items;
    for (size_t i = 0; i < le_io_source_pieces(s, &pieces); i++)
        assert_null(pieces[i].why);
    le_source_close(&s);
    return items;
}

/* NXdata has the axes of its frames beside them, and soft links to some of them. */
static void beside_frames(void **state) {
    (void)state;
    le_source *s;
    write_scan("axes_1.h5");
    hid_t far = H5Fcreate("axes_2.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_axis(far, "flat", 1, H5T_IEEE_F64LE, false);
    write_axis(far, "chunked", 1, H5T_IEEE_F64LE, true);
    write_axis(far, "mask", 2, H5T_STD_U32LE, false);
    H5Fclose(far);
    hid_t file = H5Fcreate("axes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("axes_1.h5", "/scan", group, "data_000001", H5P_DEFAULT, H5P_DEFAULT);
    write_axis(group, "angle", 1, H5T_IEEE_F64LE, false);
    write_axis(group, "zeta", 1, H5T_IEEE_F64LE, true);
    write_axis(group, "names", 1, H5T_C_S1, false);
    H5Lcreate_external("axes_2.h5", "flat", group, "a_flat", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("axes_2.h5", "chunked", group, "z_chunked", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("data_000001", group, "current", H5P_DEFAULT, H5P_DEFAULT);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    assert_int_equal(items_of_group("axes.h5:/g", LE_SOURCE_STORED), FRAMES);
    assert_int_equal(items_of_group("axes.h5:/g", LE_SOURCE_STORED_SKIP), FRAMES);
    /* one that cannot be opened counts as frames, as before */
    H5Lcreate_external("none.h5", "/scan", group, "data_000000", H5P_DEFAULT, H5P_DEFAULT);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    assert_int_equal(le_io_source(io_engine, "axes.h5:/g", LE_SOURCE_STORED, &s), LE_ERR_IO);
    assert_int_equal(le_io_source(io_engine, "axes.h5:/g", LE_SOURCE_STORED_SKIP, &s), LE_OK);
    assert_int_equal(s->items, 2 * FRAMES);
    le_source_close(&s);
    /* a whole image that is not in chunks is neither */
    H5Lcreate_external("axes_2.h5", "mask", group, "mask", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    assert_int_equal(le_io_source(io_engine, "axes.h5:/g", LE_SOURCE_STORED_SKIP, &s),
                     LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "not stored in chunks"));
}

static void refused(void **state) {
    le_source *s = (le_source *)1;
    hsize_t dims[1] = {4};
    (void)state;
    hid_t out = H5Fcreate("flat.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL);
    H5Dclose(H5Dcreate2(out, "v", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(out);
    assert_int_equal(le_io_source(io_engine, "flat.h5:/v", LE_SOURCE_STORED, &s),
                     LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "not stored in chunks"));
    assert_null(s);
    assert_int_equal(le_io_source(io_engine, "x.tif", LE_SOURCE_STORED, &s), LE_ERR_UNSUPPORTED);
    assert_int_equal(le_io_source(io_engine, "none.h5:/v", LE_SOURCE_STORED, &s), LE_ERR_IO);
    assert_int_equal(le_io_source(io_engine, "flat.h5:/v", (le_source_kind)9, &s), LE_ERR_ARGUMENT);
}

/* Their number would not fit in 64 bits. */
static void absurd_shape(void **state) {
    const hsize_t dims[3] = {(hsize_t)1 << 62, (hsize_t)1 << 62, 8}, chunk[3] = {1, 1, 1};
    le_source *s = NULL;
    (void)state;
    hid_t out = H5Fcreate("huge.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 3, chunk);
    H5Dclose(H5Dcreate2(out, "v", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist), H5Sclose(space), H5Fclose(out);
    for (int i = 0; i < 2; i++)
        assert_int_equal(le_io_source(io_engine, i ? "huge.h5:/v[:,::1000000000000]" : "huge.h5:/v",
                                      LE_SOURCE_STORED, &s), LE_ERR_UNSUPPORTED);
    assert_int_equal(le_io_source(io_engine, "huge.h5:/v[5,7:9]", LE_SOURCE_STORED, &s), LE_OK);
    le_source_close(&s);
}

/* --- the scattering files --- */

typedef struct visit {
    const char *file;
    int n;
} visit;

static herr_t visit_dataset(hid_t file, const char *name, const H5O_info_t *info, void *cookie) {
    visit *v = cookie;
    char path[256];
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), plist = H5Dget_create_plist(set);
    bool chunked = H5Pget_layout(plist) == H5D_CHUNKED;
    H5Pclose(plist);
    H5Dclose(set);
    snprintf(path, sizeof path, "/%s", name);
    if (chunked) {
        check_stored(v->file, path, 3);
        v->n++;
    }
    return 0;
}

static void detector_files(void **state) {
    static const char *const names[] = {"codec_edge.h5", "eiger4m.h5", "master_data_000001.h5",
                                        "corrupt_frames.h5", "inputs.h5"};
    const char *shared = getenv("LE_SHARED");
    char file[512];
    le_source *s;
    (void)state;
    snprintf(file, sizeof file, "%s/golden/scattering/master.h5", shared ? shared : "");
    if (!shared || access(file, R_OK) != 0) {
        print_message("no reference files of detectors: skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/golden/scattering/%s", shared, names[i]);
        visit v = {file, 0};
        hid_t in = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(in >= 0);
        H5Ovisit2(in, H5_INDEX_NAME, H5_ITER_NATIVE, visit_dataset, &v, H5O_INFO_BASIC);
        H5Fclose(in);
        assert_true(v.n > 0);
    }
    snprintf(file, sizeof file, "%s/golden/scattering/master.h5:/entry/virtual", shared);
    assert_int_equal(le_io_source(io_engine, file, LE_SOURCE_STORED, &s), LE_ERR_UNSUPPORTED);
    snprintf(file, sizeof file, "%s/golden/scattering/master.h5", shared);
    check_stored(file, "/entry/data/data_000001", 3);
}

/* --- chains --- */

typedef struct collected {
    le_sink sink;
    double values[5000];
    int64_t n, most, fail_at;
} collected;

static le_status collect(le_sink *sink, int64_t first, int64_t items, const le_tensor *result) {
    collected *c = sink->data;
    if (c->fail_at && first + items > c->fail_at)
        return le_fail(LE_ERR_IO, "the sink is full");
    assert_int_equal(first, c->n); /* in order, nothing left out */
    assert_int_equal(result->shape[0], items);
    for (int64_t i = 0; i < items; i++)
        c->values[c->n++] = le_tensor_get(result, i);
    c->most = items > c->most ? items : c->most;
    return LE_OK;
}

static collected *collector(void) {
    collected *c = calloc(1, sizeof *c);
    c->sink = (le_sink){.put = collect, .data = c};
    return c;
}

static le_chain *sums_chain(void) {
    le_chain *c = NULL;
    assert_int_equal(le_chain_new(&c, io_engine, "sums"), LE_OK);
    le_value bytes = le_chain_input(c, "bytes", LE_U8, 1, (int64_t[]){100});
    le_value offsets = le_chain_input(c, "offsets", LE_I64, 1, (int64_t[]){2});
    le_value weight = le_chain_input(c, "weight", LE_F64, 0, NULL), sums = le_chain_temp(c);
    le_chain_add(c, "stored_sums", LE_VALUE_IN("bytes", bytes), LE_VALUE_IN("offsets", offsets),
                 LE_VALUE_IN("weight", weight), LE_VALUE_OUT("sums", sums));
    le_chain_output(c, "sums", sums);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static void stored_in_a_chain(void **state) {
    (void)state;
    double weight_value = 0.5;
    le_tensor weight = le_tensor_of(&weight_value, LE_F64, 0, NULL);
    le_source *s;
    write_scan("scan.h5");
    le_chain *chain = sums_chain();
    collected *c = collector();
    assert_int_equal(le_io_source(io_engine, "scan.h5:/scan", LE_SOURCE_STORED, &s), LE_OK);
    if (le_chain_stream(chain, LE_SOURCE("bytes", s, 0), LE_SOURCE("offsets", s, 1),
                        LE_IN("weight", &weight), LE_SINK("sums", &c->sink)) != LE_OK)
        fail_msg("%s", le_error_message());
    le_source_close(&s);
    assert_int_equal(c->n, FRAMES);
    hid_t in = H5Fopen("scan.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(in, "scan", H5P_DEFAULT);
    for (int k = 0; k < FRAMES; k++) {
        unsigned char *bytes;
        uint32_t mask;
        double sum = 0;
        int64_t size = chunk_by_hdf5(set, (hsize_t[]){(hsize_t)k, 0, 0}, &bytes, &mask);
        for (int64_t i = 0; i < size; i++)
            sum += bytes[i];
        assert_true(c->values[k] == 0.5 * sum);
        free(bytes);
    }
    H5Dclose(set);
    H5Fclose(in);
    le_chain_free(&chain);
    free(c);
}

/* A source of our own: item k is one chunk of k % 5 bytes of value 1, in blocks of two. */
/* --- sinks --- */

static bool exists(const char *file) {
    return access(file, F_OK) == 0;
}

/* What a chain gives for each stored chunk, into files of every format that holds it, and without
 * any: the same numbers. */
static void into_files(void **state) {
    (void)state;
    static const char *const places[] = {"sums/a.h5:/entry/sums", "sums/a.nrrd", "sums/a.raw"};
    static const char *const read[] = {"sums/a.h5:/entry/sums", "sums/a.nrrd", "sums/a.raw:f64:23"};
    double weight = 1;
    le_tensor w = le_tensor_of(&weight, LE_F64, 0, NULL);
    write_scan("sink.h5");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char file[32];
        collected *c = collector();
        snprintf(file, sizeof file, "%.*s", (int)strcspn(places[i], ":"), places[i]);
        le_chain *chain = sums_chain();
        for (int pass = 0; pass < 2; pass++) {
            le_source *s = NULL;
            le_sink *sink = NULL;
            assert_int_equal(le_io_source(io_engine, "sink.h5:/scan", LE_SOURCE_STORED, &s), LE_OK);
            if (pass)
                assert_int_equal(le_io_sink(io_engine, places[i], &sink), LE_OK);
            assert_int_equal(le_chain_stream(chain, LE_SOURCE("bytes", s, 0),
                                             LE_SOURCE("offsets", s, 1), LE_IN("weight", &w),
                                             LE_SINK("sums", pass ? sink : &c->sink)),
                             LE_OK);
            assert_false(exists(file));
            if (pass && le_io_sink_close(&sink, true) != LE_OK)
                fail_msg("%s", le_error_message());
            assert_null(sink);
            le_source_close(&s);
        }
        le_tensor t = {0};
        assert_int_equal(le_io_read(io_engine, read[i], NULL, &t), LE_OK);
        assert_int_equal(t.ndim, 1);
        assert_int_equal(t.shape[0], FRAMES);
        for (int k = 0; k < FRAMES; k++)
            assert_true(le_tensor_get(&t, k) == c->values[k]);
        le_tensor_free(&t);
        le_chain_free(&chain);
        free(c);
    }
}

/* Batches of different numbers of strided frames; what does not fit; what is given up. */
static void sinks_by_hand(void **state) {
    (void)state;
    static int16_t numbers[4 * 3 * 5];
    le_sink *sink;
    for (int i = 0; i < 60; i++)
        numbers[i] = (int16_t)(i - 30);
    le_tensor all = le_tensor_of(numbers, LE_I16, 3, (int64_t[]){4, 3, 5}), t = {0};
    le_tensor columns = all; /* rows and columns exchanged */
    columns.shape[1] = 5, columns.shape[2] = 3;
    columns.strides[1] = 1, columns.strides[2] = 5;
    assert_int_equal(le_io_sink(io_engine, "by_hand.h5:/frames", &sink), LE_OK);
    for (int64_t first = 0, n = 1; first < 4; first += n, n = 3) {
        le_tensor some = columns;
        some.shape[0] = n;
        some.data = numbers + first * 15;
        assert_int_equal(sink->put(sink, first, n, &some), LE_OK);
    }
    le_tensor other = le_tensor_of(numbers, LE_I16, 3, (int64_t[]){1, 3, 5});
    assert_int_equal(sink->put(sink, 4, 1, &other), LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "only the first extent may differ"));
    assert_int_equal(le_io_sink_close(&sink, true), LE_OK);
    assert_int_equal(le_io_read(io_engine, "by_hand.h5:/frames", NULL, &t), LE_OK);
    assert_int_equal(t.shape[0], 4);
    assert_int_equal(t.shape[1], 5);
    for (int i = 0; i < 60; i++)
        assert_true(le_tensor_get(&t, i) == numbers[i / 15 * 15 + i % 3 * 5 + i % 15 / 3]);
    le_tensor_free(&t);

    assert_int_equal(le_io_sink(io_engine, "given_up.nrrd", &sink), LE_OK);
    assert_int_equal(sink->put(sink, 0, 4, &all), LE_OK);
    assert_int_equal(le_io_sink_close(&sink, false), LE_OK);
    assert_false(exists("given_up.nrrd"));
    assert_int_equal(le_io_sink(io_engine, "given_up.nrrd", &sink), LE_OK);
    assert_int_equal(le_io_sink_close(&sink, true), LE_ERR_SHAPE);
    assert_false(exists("given_up.nrrd"));
    assert_int_equal(le_io_sink(io_engine, "no_dataset.h5", &sink), LE_ERR_ARGUMENT);
    assert_null(sink);
    assert_int_equal(le_io_sink_close(&sink, true), LE_OK);
}

typedef struct counting {
    le_source source;
    int64_t at, fail_at;
} counting;

static le_status count_on(le_source *source, int64_t items, le_tensor *parts) {
    counting *c = source->data;
    int64_t bytes = 0;
    assert_true(items >= 1 && items <= source->items - c->at);
    assert_true(items % source->block == 0 || c->at + items == source->items);
    if (c->fail_at && c->at + items > c->fail_at)
        return le_fail(LE_ERR_IO, "the beam was lost");
    le_tensor_free(&parts[0]);
    le_tensor_free(&parts[1]);
    assert_int_equal(le_tensor_alloc(&parts[1], LE_I64, 1, (int64_t[]){items + 1}), LE_OK);
    for (int64_t i = 0; i < items; i++) {
        ((int64_t *)parts[1].data)[i] = bytes;
        bytes += (c->at + i) % 5;
    }
    ((int64_t *)parts[1].data)[items] = bytes;
    assert_int_equal(le_tensor_alloc(&parts[0], LE_U8, 1, &bytes), LE_OK);
    memset(parts[0].data, 1, (size_t)bytes);
    c->at += items;
    return LE_OK;
}

static counting counter(int64_t items) {
    return (counting){.source = {.items = items, .block = 2, .parts = 2, .next = count_on}};
}

static void own_source(void **state) {
    (void)state;
    double one = 1;
    le_tensor weight = le_tensor_of(&one, LE_F64, 0, NULL);
    le_chain *chain = sums_chain();
    for (int64_t items = 0; items <= 4001; items += items < 5 ? 1 : 1332) {
        counting source = counter(items);
        collected *c = collector();
        source.source.data = &source;
        if (le_chain_stream(chain, LE_SOURCE("bytes", &source.source, 0),
                            LE_SOURCE("offsets", &source.source, 1), LE_IN("weight", &weight),
                            LE_SINK("sums", &c->sink)) != LE_OK)
            fail_msg("%d items: %s", (int)items, le_error_message());
        assert_int_equal(c->n, items);
        for (int64_t k = 0; k < items; k++)
            assert_true(c->values[k] == (double)(k % 5));
        if (items > 1000) /* batches of two cost as much as larger ones: it has learnt */
            assert_true(c->most > 2);
        free(c);
    }
    le_chain_free(&chain);
}

/* together: as the source asks for. */
static int64_t largest_batch(int64_t items, int64_t together, int64_t limit) {
    double one = 1;
    le_tensor weight = le_tensor_of(&one, LE_F64, 0, NULL);
    le_chain *chain = sums_chain();
    counting source = counter(items);
    collected *c = collector();
    source.source.together = together;
    source.source.data = &source;
    assert_int_equal(le_chain_stream(chain, LE_SOURCE("bytes", &source.source, 0),
                                     LE_SOURCE("offsets", &source.source, 1),
                                     LE_IN("weight", &weight), LE_SINK("sums", &c->sink),
                                     LE_OPT_MEMORY_LIMIT(limit)),
                     LE_OK);
    assert_int_equal(c->n, items);
    int64_t most = c->most;
    free(c);
    le_chain_free(&chain);
    return most;
}

/* Two batches of two items of at most 8 + 8 + 4 bytes and some. A stream's own limit does not lift
 * the engine's, nor does none. */
static void limited(void **state) {
    (void)state;
    assert_int_equal(largest_batch(1000, 0, 100), 2);
    io_engine->options.memory_limit_bytes = 100;
    assert_int_equal(largest_batch(1000, 0, 1 << 20), 2);
    assert_int_equal(largest_batch(1000, 0, 0), 2);
    io_engine->options.memory_limit_bytes = 0;
}

/* Twenty items are too few to learn of batches of eight, unless their source asks for them. */
static void together(void **state) {
    (void)state;
    assert_int_equal(largest_batch(20, 0, 100), 2);
    assert_int_equal(largest_batch(20, 9, 100), 2);
    assert_true(largest_batch(20, 0, 1 << 20) < 8);
    assert_int_equal(largest_batch(20, 9, 1 << 20), 8); /* whole blocks */
}

static void stream_errors(void **state) {
    (void)state;
    double one = 1;
    le_tensor weight = le_tensor_of(&one, LE_F64, 0, NULL), out = {0};
    le_chain *chain = sums_chain();
    counting a = counter(100), b = counter(99);
    collected *c = collector();
    a.source.data = &a;
    b.source.data = &b;
    le_source empty = a.source;
    empty.block = 0;
    const le_arg bytes = LE_SOURCE("bytes", &a.source, 0), weights = LE_IN("weight", &weight);
    const le_arg offsets = LE_SOURCE("offsets", &a.source, 1), sums = LE_SINK("sums", &c->sink);
    const struct {
        le_arg args[4];
        le_status status;
        const char *words;
    } cases[] = {
        {{bytes, offsets, weights, LE_OUT("sums", &out)}, LE_ERR_ARGUMENT, "LE_SINK"},
        {{bytes, offsets, sums, sums}, LE_ERR_ARGUMENT, "input 'weight' is missing"},
        {{bytes, bytes, weights, sums}, LE_ERR_ARGUMENT, "given twice"},
        {{bytes, LE_SOURCE("offsets", &b.source, 1), weights, sums}, LE_ERR_SHAPE, "99"},
        {{bytes, LE_SOURCE("offsets", &a.source, 2), weights, sums}, LE_ERR_ARGUMENT, "2 parts"},
        {{bytes, offsets, weights, LE_SINK("sum", &c->sink)}, LE_ERR_ARGUMENT, "no output 'sum'"},
        {{LE_SOURCE("byte", &a.source, 0), offsets, weights, sums}, LE_ERR_ARGUMENT, "'byte'"},
        {{bytes, offsets, weights, LE_OPT_MEMORY_LIMIT(-5)}, LE_ERR_ARGUMENT, "expected 0 or more"},
        {{LE_SOURCE("bytes", &empty, 0), offsets, weights, sums}, LE_ERR_ARGUMENT, "of less than"},
        {{weights, bytes, LE_SOURCE("offsets", &b.source, 1), sums}, LE_ERR_SHAPE, "'bytes' 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(le_chain_stream_args(chain, cases[i].args, 4), cases[i].status);
        if (!strstr(le_error_message(), cases[i].words))
            fail_msg("%zu: %s", i, le_error_message());
        assert_int_equal(a.at, 0);
    }
    c->fail_at = 50;
    assert_int_equal(le_chain_stream(chain, bytes, offsets, weights, sums), LE_ERR_IO);
    assert_string_equal(le_error_message(), "the sink is full");
    assert_true(c->n <= 50);
    a = counter(100);
    a.source.data = &a;
    a.fail_at = 60;
    memset(c, 0, sizeof *c);
    c->sink = (le_sink){.put = collect, .data = c};
    assert_int_equal(le_chain_stream(chain, bytes, offsets, weights, sums), LE_ERR_IO);
    assert_string_equal(le_error_message(), "the beam was lost");
    free(c);
    le_chain_free(&chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored),
        cmocka_unit_test(behind_links),
        cmocka_unit_test(behind_soft_links),
        cmocka_unit_test(beside_frames),
        cmocka_unit_test(into_files),
        cmocka_unit_test(sinks_by_hand),
        cmocka_unit_test(refused),
        cmocka_unit_test(absurd_shape),
        cmocka_unit_test(detector_files),
        cmocka_unit_test(stored_in_a_chain),
        cmocka_unit_test(own_source),
        cmocka_unit_test(limited),
        cmocka_unit_test(together),
        cmocka_unit_test(stream_errors),
    };
    return cmocka_run_group_tests(tests, sources_setup, io_teardown);
}
