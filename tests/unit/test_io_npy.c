/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NumPy and EDF files, written here byte by byte as the formats are documented.
 */
#include "io_test.h"

#include <zlib.h>

static size_t npy(char *out, const char *dictionary, const void *data, size_t bytes) {
    const size_t n = strlen(dictionary);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)n;
    out[9] = 0;
    memcpy(out + 10, dictionary, n);
    memcpy(out + 10 + n, data, bytes);
    return 10 + n + bytes;
}

static void read_ok(const char *place, le_dtype dtype, int ndim, const int64_t *shape,
                    const double *values) {
    le_tensor t = {0};
    le_dtype peeked;
    int axes;
    int64_t extents[LE_MAX_DIMS];
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_int_equal(le_io_peek(place, &peeked, &axes, extents), LE_OK);
    assert_int_equal(t.dtype, dtype);
    assert_int_equal(peeked, dtype);
    assert_int_equal(t.ndim, ndim);
    assert_int_equal(axes, ndim);
    for (int d = 0; d < ndim; d++) {
        assert_int_equal(t.shape[d], shape[d]);
        assert_int_equal(extents[d], shape[d]);
    }
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        assert_true(le_tensor_get(&t, i) == values[i]);
    le_tensor_free(&t);
}

static void numpy_files(void **state) {
    char bytes[512];
    const int64_t shape[] = {2, 3};
    const double rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 3, 5, 2, 4, 6};
    const uint8_t small[] = {1, 2, 3, 4, 5, 6}, big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    (void)state;
    io_put(
        "a.npy", bytes,
        npy(bytes, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }   \n", small, 6));
    read_ok("a.npy", LE_U8, 2, shape, rows);
    io_put("a.npy", bytes,
           npy(bytes, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }\n", big, 12));
    read_ok("a.npy", LE_U16, 2, shape, columns);
    read_ok("a.npy[...,1:]", LE_U16, 2, (int64_t[]){2, 2}, (const double[]){3, 5, 4, 6});
    read_ok("a.npy[1,1:3]", LE_U16, 1, (int64_t[]){2}, (const double[]){4, 6});
    io_put("a.npy", bytes,
           npy(bytes, "{'descr': '|b1', 'fortran_order': False, 'shape': (6,), }\n", small, 6));
    read_ok("a.npy", LE_U8, 1, (int64_t[]){6}, rows);
}

/* Rows 1 2 3 and 4 5 6; and big-endian numbers 1 to 6. */
static void slices(void **state) {
    char bytes[512] = "";
    const uint8_t small[] = {1, 2, 3, 4, 5, 6}, big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    le_tensor t = le_tensor_of(bytes, LE_U8, 1, (int64_t[]){3});
    (void)state;
    io_put(
        "s.npy", bytes,
        npy(bytes, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }   \n", small, 6));
    read_ok("s.npy[:,2]", LE_U8, 1, (int64_t[]){2}, (const double[]){3, 6});
    read_ok("s.npy[1:]", LE_U8, 2, (int64_t[]){1, 3}, (const double[]){4, 5, 6});
    read_ok("s.npy[:,::2]", LE_U8, 2, (int64_t[]){2, 2}, (const double[]){1, 3, 4, 6});
    read_ok("s.npy[:,3:]", LE_U8, 2, (int64_t[]){2, 0}, NULL);
    io_put("s.raw", (const char *)big, 12);
    read_ok("s.raw:u16:3,2:big[1:,0:1]", LE_U16, 2, (int64_t[]){2, 1}, (const double[]){3, 5});
    read_ok("s.raw:u8:4:offset=2[1:4:2]", LE_U8, 1, (int64_t[]){2}, (const double[]){2, 3});
    le_tensor none = {0};
    io_put(
        "half.npy", bytes,
        npy(bytes, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }   \n", small, 6));
    assert_int_equal(le_io_read(io_engine, "half.npy", NULL, &none), LE_ERR_DTYPE);
    assert_non_null(strstr(le_error_message(), "its numbers are <f2, expected booleans"));
    assert_int_equal(le_io_write(io_engine, "s.npy[0:3]", &t), LE_ERR_ARGUMENT);
    assert_false(le_io_is_place("s.npy[0:3]", true));
    assert_true(le_io_is_place("s.npy[0:3]", false));
}

static void written(void **state) {
    float values[6] = {1.5f, -2, 3, 4, 5, 6};
    const double wanted[] = {1.5, -2, 3, 4, 5, 6};
    char bytes[512];
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){3, 2});
    (void)state;
    assert_int_equal(le_io_write(io_engine, "w.npy", &t), LE_OK);
    read_ok("w.npy", LE_F32, 2, (int64_t[]){3, 2}, wanted);
    const size_t n = io_get("w.npy", bytes, sizeof bytes);
    const size_t header = 10 + (size_t)(unsigned char)bytes[8];
    assert_int_equal(header % 64, 0);
    assert_int_equal(n, header + sizeof values);
    bytes[header - 1] = '\0';
    assert_non_null(
        strstr(bytes + 10, "'descr': '<f4', 'fortran_order': False, 'shape': (3, 2,), }"));
    assert_memory_equal(bytes + header, values, sizeof values);
}

static void edf_files(void **state) {
    char bytes[1200];
    const int64_t shape[] = {2, 3};
    const double values[] = {1, 2, 3, 4, 5, 600};
    const uint8_t low[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0x58, 2};
    (void)state;
    memset(bytes, ' ', sizeof bytes);
    const char header[] = "{\nHeaderID = EH:000001:000000:000000 ;\nByteOrder = LowByteFirst ;\n"
                          "DataType = UnsignedShort ;\nDim_1 = 3 ;\nDim_2 = 2 ;\nSize = 12 ;\n";
    memcpy(bytes, header, sizeof header - 1);
    memcpy(bytes + 510, "}\n", 2);
    memcpy(bytes + 512, low, sizeof low);
    io_put("a.edf", bytes, 512 + sizeof low);
    read_ok("a.edf", LE_U16, 2, shape, values);
    gzFile packed = gzopen("a.edf.gz", "wb");
    assert_int_equal(gzwrite(packed, bytes, 512 + sizeof low), 512 + sizeof low);
    assert_int_equal(gzclose(packed), Z_OK);
    read_ok("a.edf.gz", LE_U16, 2, shape, values);
    const size_t n = io_get("a.edf.gz", bytes, sizeof bytes);
    io_put("b.edf.gz", bytes, n - 9);
    io_assert_fails("b.edf.gz", LE_ERR_IO, "b.edf.gz: the compressed data is damaged or cut");
    io_put("b.edf.gz", "\x1f\x8b and no more", 14);
    io_assert_fails("b.edf.gz", LE_ERR_IO, "b.edf.gz");
}

/* A header of this many bytes, then numbers from `first` on, then bytes to spare. */
static size_t edf_image(char *to, const char *type, bool big, int cols, int first, int header,
                        int spare) {
    const int n = 2 * cols;
    memset(to, ' ', (size_t)header);
    const int used = sprintf(to,
                             "{\nHeaderID = EH:000001:000000:000000 ;\nByteOrder = %s ;\n"
                             "DataType = %s ;\nDim_1 = %d ;\nDim_2 = 2 ;\nSize = %d ;\n",
                             big ? "HighByteFirst" : "LowByteFirst", type, cols, 2 * n + spare);
    to[used] = ' ';
    memcpy(to + header - 3, big ? "}\r\n" : " }\n", 3);
    for (int i = 0; i < n; i++) {
        to[header + 2 * i + big] = (char)(first + i);
        to[header + 2 * i + !big] = 0;
    }
    memset(to + header + 2 * n, '{', (size_t)spare);
    return (size_t)(header + 2 * n + spare);
}

static void edf_stacks(void **state) {
    static const double values[] = {1,  2,  3,  4,  5,  6,  21, 22, 23,
                                    24, 25, 26, 41, 42, 43, 44, 45, 46};
    char bytes[4096];
    size_t n = edf_image(bytes, "UnsignedShort", false, 3, 1, 512, 0), second, third;
    const size_t first = n;
    int64_t shape[LE_MAX_DIMS];
    le_dtype dtype;
    int ndim;
    (void)state;
    n += edf_image(bytes + n, "UnsignedShort", true, 3, 21, 1024, 20);
    second = n;
    n += edf_image(bytes + n, "UnsignedShort", false, 3, 41, 300, 0);
    third = n;
    memset(bytes + n, '\n', 100);
    for (size_t blanks = 0; blanks <= 100; blanks += 100) {
        io_put("stack.edf", bytes, third + blanks);
        read_ok("stack.edf", LE_U16, 3, (int64_t[]){3, 2, 3}, values);
        gzFile packed = gzopen("stack.edf.gz", "wb");
        assert_int_equal(gzwrite(packed, bytes, (unsigned)(third + blanks)), third + blanks);
        assert_int_equal(gzclose(packed), Z_OK);
        read_ok("stack.edf.gz", LE_U16, 3, (int64_t[]){3, 2, 3}, values);
    }
    assert_int_equal(le_io_peek("stack.edf.gz", &dtype, &ndim, shape), LE_OK);
    assert_true(dtype == LE_U16 && ndim == 3 && shape[0] == 3 && shape[1] == 2 && shape[2] == 3);
    io_put("one.edf", bytes, first);
    read_ok("one.edf", LE_U16, 2, (int64_t[]){2, 3}, values);
    io_put("cut.edf", bytes, third - 1);
    io_assert_fails("cut.edf", LE_ERR_IO, "12 bytes of data are expected, 11 are there");
    io_put("cut.edf", bytes, second + 200);
    io_assert_fails("cut.edf", LE_ERR_IO, "the header of image 2 does not end");
    n = second + edf_image(bytes + second, "UnsignedShort", false, 2, 41, 512, 0);
    io_put("differ.edf", bytes, n);
    io_assert_fails("differ.edf", LE_ERR_SHAPE, "image 2 is u16[2,2], the first u16[2,3]");
    n = second + edf_image(bytes + second, "SignedShort", false, 3, 41, 512, 0);
    io_put("differ.edf", bytes, n);
    io_assert_fails("differ.edf", LE_ERR_SHAPE, "image 2 is i16[2,3], the first u16[2,3]");
}

static void broken(void **state) {
    static const char *const wrong[] = {
        "{'descr': '<f2', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': [('a', '<u1')], 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-6,), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,6), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6,",
        "{'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '|u1'}\n",
        ""};
    static const char *const headers[] = {
        "",
        "{",
        "}\n",
        "{\n}\n",
        "{\nDataType = FloatValue ;\n}\n",
        "{\nDataType = FloatValue ;\nDim_1 = 99999999999999999999 ;\n}\n",
        "{\nDataType = FloatValue ;\nDim_1 = -1 ;\n}\n",
        "{\nDataType = Sort ;\nDim_1 = 2 ;\n}\n",
        "{\nDataType = FloatValue ;\nDim_1 = 2000 ;\n}\n",
        "{\nDataType = UnsignedByte ;\nCOMPRESSION = BZ2 ;\nDim_1 = 1 ;\n}\n "};
    char bytes[512];
    le_tensor t = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        io_put("b.npy", bytes, npy(bytes, wrong[i], "abcdef", 6));
        if (le_io_read(io_engine, "b.npy", NULL, &t) == LE_OK)
            fail_msg("read: %s", wrong[i]);
        assert_true(*le_error_message() && !t.data);
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        io_put("b.edf", headers[i], strlen(headers[i]));
        if (le_io_read(io_engine, "b.edf", NULL, &t) == LE_OK)
            fail_msg("read: %s", headers[i]);
        assert_true(*le_error_message() && !t.data);
    }
    assert_false(le_io_is_place("b.edf", true));
    assert_true(le_io_is_place("b.edf", false));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numpy_files), cmocka_unit_test(slices),
                                       cmocka_unit_test(written),     cmocka_unit_test(edf_files),
                                       cmocka_unit_test(edf_stacks),  cmocka_unit_test(broken)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
