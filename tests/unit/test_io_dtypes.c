/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files of 64-bit integers, signed bytes and complex numbers: every bit comes back; what a caller
 * cannot use is read as the nearest that holds it; formats that have no such numbers say so.
 */
#include "io_test.h"

#include <hdf5.h>

enum { N = 6 };

static const int64_t integers[N] = {INT64_MIN, -(INT64_C(1) << 53) - 1, -1,
                                    0,         (INT64_C(1) << 53) + 1,  INT64_MAX};
static const float singles[2 * N] = {1.5F, -2, 3, 4, -0.0F, 5, 6, 7, 8, 9, 10, -11};
static const double doubles[2 * N] = {1.5, -2, 3, 4, -0.0, 5, 6, 7, 8, 9, 1e300, -11};
static const int8_t bytes[N] = {-128, -1, 0, 1, 2, 127};

typedef struct sample {
    const char *name;
    le_dtype dtype;
    const void *data;
} sample;

static const sample samples[] = {{"i8", LE_I8, bytes},
                                 {"i64", LE_I64, integers},
                                 {"u64", LE_U64, integers},
                                 {"c64", LE_C64, singles},
                                 {"c128", LE_C128, doubles}};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static void assert_read(const char *place, const sample *s, int ndim) {
    le_tensor t = {0};
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_int_equal(t.dtype, s->dtype);
    assert_int_equal(t.ndim, ndim);
    assert_int_equal(le_tensor_count(&t), N);
    assert_memory_equal(t.data, s->data, N * le_dtype_size(s->dtype));
    le_tensor_free(&t);
}

static void round_trips(void **state) {
    (void)state;
    static const char *const places[] = {"t.h5:/a/b", "t.nrrd", "t.nhdr"};
    for (size_t k = 0; k < N_SAMPLES; k++) {
        le_tensor t = le_tensor_of(samples[k].data, samples[k].dtype, 2, (int64_t[]){2, 3});
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            le_dtype dtype;
            int ndim;
            int64_t shape[LE_MAX_DIMS];
            assert_int_equal(le_io_write(io_engine, places[p], &t), LE_OK);
            assert_read(places[p], &samples[k], 2);
            assert_int_equal(le_io_peek(places[p], &dtype, &ndim, shape), LE_OK);
            assert_int_equal(dtype, samples[k].dtype);
            assert_int_equal(ndim, 2);
            assert_int_equal(shape[1], 3);
        }
        char place[32];
        assert_int_equal(le_io_write(io_engine, "t.raw", &t), LE_OK);
        snprintf(place, sizeof place, "t.raw:%s:6", samples[k].name);
        assert_read(place, &samples[k], 1);
    }
}

/* Parts of big-endian complex numbers are swapped each by itself. */
static void byte_order(void **state) {
    (void)state;
    unsigned char turned[sizeof singles];
    for (size_t i = 0; i < sizeof singles; i++)
        turned[i] = ((const unsigned char *)singles)[i / 4 * 4 + 3 - i % 4];
    io_put("b.raw", turned, sizeof turned);
    assert_read("b.raw:c64:6:big", &samples[3], 1);
    char nrrd[256];
    int n = snprintf(nrrd, sizeof nrrd,
                     "NRRD0005\ntype: float\ndimension: 2\nsizes: 2 6\n"
                     "kinds: complex domain\nendian: big\nencoding: raw\n\n");
    memcpy(nrrd + n, turned, sizeof turned);
    io_put("b.nrrd", nrrd, (size_t)n + sizeof turned);
    assert_read("b.nrrd", &samples[3], 1);
    nrrd[strlen("NRRD0005\ntype: float\ndimension: 2\nsizes: ")] = '3';
    io_put("b.nrrd", nrrd, (size_t)n + sizeof turned);
    io_assert_fails("b.nrrd", LE_ERR_IO, "kind complex has size 3, expected 2");
}

/* A compound of two floats by the given names, chunked, shuffled and deflated. */
static void write_pairs(const char *file, hid_t part, const char *re, const char *im, bool chunked,
                        bool swapped) {
    hsize_t dims[2] = {2, 3}, chunk[2] = {2, 2};
    size_t size = H5Tget_size(part);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Tinsert(type, re, swapped ? size : 0, part);
    H5Tinsert(type, im, swapped ? 0 : size, part);
    hid_t memory = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(memory, re, 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(memory, im, 8, H5T_NATIVE_DOUBLE);
    if (chunked) {
        H5Pset_chunk(plist, 2, chunk);
        H5Pset_shuffle(plist);
        H5Pset_deflate(plist, 4);
    }
    hid_t f = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t set = H5Dcreate2(f, "v", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(f);
    H5Tclose(memory);
    H5Tclose(type);
    H5Pclose(plist);
}

static void compounds(void **state) {
    (void)state;
    for (int chunked = 0; chunked < 2; chunked++)
        for (int swapped = 0; swapped < 2; swapped++) {
            write_pairs("c.h5", H5T_IEEE_F64LE, "r", "i", chunked, swapped);
            assert_read("c.h5:/v", &samples[4], 2);
        }
    write_pairs("c.h5", H5T_IEEE_F64BE, "r", "i", true, false);
    assert_read("c.h5:/v", &samples[4], 2);
    le_tensor t = {0};
    write_pairs("c.h5", H5T_IEEE_F32LE, "r", "i", true, false);
    assert_int_equal(le_io_read(io_engine, "c.h5:/v[1,1:]", NULL, &t), LE_OK);
    io_assert_shape(&t, "c64[2]");
    assert_memory_equal(t.data, singles + 8, sizeof(float) * 2);
    le_tensor_free(&t);
    write_pairs("c.h5", H5T_IEEE_F64LE, "x", "y", false, false);
    io_assert_fails("c.h5:/v", LE_ERR_DTYPE, "r and i");
    write_pairs("c.h5", H5T_STD_I32LE, "r", "i", false, false);
    io_assert_fails("c.h5:/v", LE_ERR_DTYPE, "compound");
}

/* As h5py writes and reads them: no other names, nothing packed differently. */
static void written_compound(void **state) {
    (void)state;
    le_tensor t = le_tensor_of(singles, LE_C64, 1, (int64_t[]){N});
    assert_int_equal(le_io_write(io_engine, "w.h5:/v", &t), LE_OK);
    hid_t f = H5Fopen("w.h5", H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(f, "v", H5P_DEFAULT);
    hid_t type = H5Dget_type(set), part = H5Tget_member_type(type, 1);
    char *first = H5Tget_member_name(type, 0), *second = H5Tget_member_name(type, 1);
    assert_int_equal(H5Tget_class(type), H5T_COMPOUND);
    assert_int_equal(H5Tget_size(type), 8);
    assert_int_equal(H5Tget_nmembers(type), 2);
    assert_string_equal(first, "r");
    assert_string_equal(second, "i");
    assert_true(H5Tequal(part, H5T_IEEE_F32LE) > 0);
    H5free_memory(first);
    H5free_memory(second);
    H5Tclose(part);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(f);
}

/* For operations that take the common dtypes only. */
static void nearest(void **state) {
    (void)state;
    static const char *const places[] = {"n.h5:/v", "n.nrrd", "n.raw"};
    static const le_dtype expected[] = {LE_I16, LE_F64, LE_F64, LE_C64, LE_C128};
    const le_io_options options = {.struct_size = sizeof options, .dtypes = LE_DTYPES_ALL};
    for (size_t k = 0; k < N_SAMPLES; k++)
        for (int p = 0; p < 3; p++) {
            char place[32];
            le_tensor from = le_tensor_of(samples[k].data, samples[k].dtype, 1, (int64_t[]){N});
            le_tensor t = {0};
            assert_int_equal(le_io_write(io_engine, places[p], &from), LE_OK);
            snprintf(place, sizeof place, p == 2 ? "n.raw:%s:6" : "%s",
                     p == 2 ? samples[k].name : places[p]);
            if (le_io_read(io_engine, place, &options, &t) != LE_OK)
                fail_msg("%s", le_error_message());
            assert_int_equal(t.dtype, expected[k]);
            for (int64_t i = 0; i < N; i++)
                assert_true(le_tensor_get(&t, i) == le_tensor_get(&from, i));
            le_tensor_free(&t);
        }
    le_io_stream *stream = NULL;
    le_tensor from = le_tensor_of(integers, LE_I64, 1, (int64_t[]){N}), frames = {0};
    assert_int_equal(le_io_write(io_engine, "n.h5:/v", &from), LE_OK);
    assert_int_equal(le_io_stream_open(io_engine, "n.h5:/v", &options, &stream), LE_OK);
    assert_int_equal(le_io_stream_about(stream)->dtype, LE_F64);
    assert_int_equal(le_io_stream_next(stream, 4, &frames), LE_OK);
    assert_true(le_tensor_get(&frames, 0) == -0x1p63);
    le_tensor_free(&frames);
    le_io_stream_close(&stream);
}

static void formats_without(void **state) {
    (void)state;
    le_tensor t = le_tensor_of(singles, LE_C64, 2, (int64_t[]){2, 3});
    assert_int_equal(le_io_write(io_engine, "c.png", &t), LE_ERR_DTYPE);
    assert_non_null(strstr(le_error_message(), "c64[2,3]; PNG takes u8"));
    le_status status = le_io_write(io_engine, "c.tif", &t);
    if (status != LE_ERR_UNSUPPORTED) { /* built without libtiff */
        assert_int_equal(status, LE_ERR_DTYPE);
        assert_non_null(strstr(le_error_message(), "TIFF takes integers and floats"));
        t = le_tensor_of(integers, LE_I64, 3, (int64_t[]){1, 2, 3});
        assert_int_equal(le_io_write(io_engine, "i.tif", &t), LE_OK);
        assert_read("i.tif", &samples[1], 3);
    }
    t = le_tensor_of(singles, LE_C64, 8, (int64_t[]){1, 1, 1, 1, 1, 1, 2, 3});
    assert_int_equal(le_io_write(io_engine, "c.nrrd", &t), LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "at most 7 others"));
    assert_int_equal(access("c.nrrd", F_OK), -1);
}

static void write_enumeration(hid_t file, const char *name, hid_t of, int members,
                              const int16_t *numbers, const int16_t *values) {
    static const char *const names[] = {"FALSE", "TRUE", "PERHAPS"};
    const hsize_t n = N;
    hid_t type = H5Tenum_create(of), space = H5Screate_simple(1, &n, NULL);
    for (int k = 0; k < members; k++) {
        int16_t number[4] = {numbers[k]};
        assert_true(H5Tconvert(H5T_NATIVE_INT16, of, 1, number, NULL, H5P_DEFAULT) >= 0);
        assert_true(H5Tenum_insert(type, names[k], number) >= 0);
    }
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int16_t copy[N];
    memcpy(copy, values, sizeof copy);
    assert_true(H5Tconvert(H5T_NATIVE_INT16, of, N, copy, NULL, H5P_DEFAULT) >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, copy) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

/* As h5py writes arrays of bool, masks of detectors for instance, of whatever integers; two numbers
 * that are no truth values keep their type, and three members are none. */
static void truth_values(void **state) {
    static const uint8_t truth[N] = {0, 1, 1, 0, 0, 1};
    static const int16_t values[N] = {0, 1, 1, 0, 0, 1}, numbers[] = {0, 1, 2},
                         signs[N] = {-1, 1, 1, -1, -1, 1}, ends[] = {-1, 1};
    static const int8_t small[N] = {-1, 1, 1, -1, -1, 1};
    (void)state;
    hid_t file = H5Fcreate("truth.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_enumeration(file, "mask", H5T_STD_I8LE, 2, numbers, values);
    write_enumeration(file, "wide", H5T_STD_I16BE, 2, numbers, values);
    write_enumeration(file, "signs", H5T_STD_I8LE, 2, ends, signs);
    write_enumeration(file, "more", H5T_STD_I8LE, 3, numbers, values);
    H5Fclose(file);
    assert_read("truth.h5:/mask", &(sample){"u8", LE_U8, truth}, 1);
    assert_read("truth.h5:/wide", &(sample){"u8", LE_U8, truth}, 1);
    assert_read("truth.h5:/signs", &(sample){"i8", LE_I8, small}, 1);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "truth.h5:/more", NULL, &t), LE_ERR_DTYPE);
}

/* Before anything is computed it is said what writing says. */
static void it_is_known_before(void **state) {
    static const char *const places[] = {"a.png",  "a_%d.png", "a.tif", "a.csv", "a.vot",
                                         "a.fits", "a.nrrd",   "a.npy", "a.raw"};
    static const le_dtype dtypes[] = {LE_U8, LE_U16, LE_F32, LE_C64};
    static const struct {
        int ndim;
        int64_t shape[4];
    } shapes[] = {{1, {5}}, {2, {5, 4}}, {3, {2, 5, 4}}, {3, {5, 4, 3}}, {4, {2, 5, 4, 3}}};
    static double values[512];
    int refused = 0;
    (void)state;
    for (int p = 0; p < (int)(sizeof places / sizeof *places); p++)
        for (int d = 0; d < 4; d++)
            for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++) {
                char said[256] = "";
                le_tensor t = le_tensor_of(values, dtypes[d], shapes[k].ndim, shapes[k].shape);
                const le_status before =
                    le_io_may_write(places[p], dtypes[d], shapes[k].ndim, shapes[k].shape);
                if (before != LE_OK)
                    snprintf(said, sizeof said, "%s", le_error_message());
                assert_int_not_equal(access(places[p], F_OK), 0);
                const le_status status = le_io_write(io_engine, places[p], &t);
                assert_int_equal(before, status);
                if (status != LE_OK)
                    assert_string_equal(said, le_error_message());
                refused += status != LE_OK;
                unlink(places[p]);
            }
    assert_in_range(refused, 40, 120);
    assert_int_equal(le_io_may_write("a.csv", LE_F32, 2, (int64_t[]){-1, 3}), LE_OK);
    assert_int_equal(le_io_may_write("a.csv", LE_F32, 3, (int64_t[]){-1, 3, 3}), LE_ERR_SHAPE);
    assert_int_equal(le_io_may_write("a.edf", LE_F32, 2, (int64_t[]){3, 3}), LE_ERR_ARGUMENT);
    assert_int_equal(le_io_may_write("a.csv", LE_F32, 9, (int64_t[9]){1}), LE_ERR_SHAPE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),     cmocka_unit_test(byte_order),
        cmocka_unit_test(compounds),       cmocka_unit_test(written_compound),
        cmocka_unit_test(nearest),         cmocka_unit_test(truth_values),
        cmocka_unit_test(formats_without), cmocka_unit_test(it_is_known_before),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
