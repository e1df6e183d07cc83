/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NRRD files given byte by byte, and headerless files.
 */
#include "io_test.h"

#include <sys/stat.h>
#include <zlib.h>

static const char golden[] = "NRRD0004\n"
                             "# a comment\n"
                             "type: unsigned short\n"
                             "dimension: 3\n"
                             "sizes: 2 3 1\n"
                             "key:=any value: here\n"
                             "spacings: 1 1 2\n"
                             "endian: big\n"
                             "encoding: raw\n"
                             "\n"
                             "\x01\x00\x01\x01\x01\x02\x01\x03\x01\x04\x01\x05";

static void assert_golden(const char *place) {
    le_tensor t = {0};
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    io_assert_shape(&t, "u16[1,3,2]");
    for (int i = 0; i < 6; i++)
        assert_true(le_tensor_get(&t, i) == 256 + i);
    le_tensor_free(&t);
}

static void attached(void **state) {
    (void)state;
    io_put("g.nrrd", golden, sizeof golden - 1);
    assert_golden("g.nrrd");
}

static void carriage_returns(void **state) {
    (void)state;
    const char text[] =
        "NRRD0001\r\ntype: uint8\r\ndimension: 1\r\nsizes: 3\r\nencoding: raw\r\n\r\nABC";
    le_tensor t = {0};
    io_put("r.nrrd", text, sizeof text - 1);
    assert_int_equal(le_io_read(io_engine, "r.nrrd", NULL, &t), LE_OK);
    assert_memory_equal(t.data, "ABC", 3);
    le_tensor_free(&t);
}

static void detached(void **state) {
    (void)state;
    const char *data = golden + sizeof golden - 1 - 12;
    const char header[] = "NRRD0004\ntype: ushort\ndimension: 3\nsizes: 2 3 1\nendian: big\n"
                          "encoding: raw\nline skip: 2\nbyte skip: 3\ndata file: d.bin\n";
    const char last[] = "NRRD0004\ntype: ushort\ndimension: 3\nsizes: 2 3 1\nendian: big\n"
                        "encoding: raw\nbyte skip: -1\ndatafile: d.bin\n\n";
    char body[64] = "one\ntwo\n...";
    memcpy(body + 11, data, 12);
    assert_int_equal(system("mkdir -p sub"), 0);
    io_put("sub/d.bin", body, 23);
    io_put("sub/d.nhdr", header, sizeof header - 1);
    assert_golden("sub/d.nhdr");
    io_put("sub/e.nhdr", last, sizeof last - 1);
    assert_golden("sub/e.nhdr");
}

/* Two gzip members, as concatenated files have them. */
static void gzipped(void **state) {
    (void)state;
    const char *data = golden + sizeof golden - 1 - 12;
    const char header[] = "NRRD0004\ntype: ushort\ndimension: 3\nsizes: 2 3 1\nendian: big\n"
                          "encoding: gzip\n\n";
    unsigned char file[512];
    size_t size = sizeof header - 1;
    memcpy(file, header, size);
    for (int part = 0; part < 2; part++) {
        z_stream z = {.next_in = (Bytef *)(uintptr_t)(data + 6 * part), .avail_in = 6};
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_out = file + size;
        z.avail_out = (uInt)(sizeof file - size);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        size = (size_t)(z.next_out - file);
        deflateEnd(&z);
    }
    io_put("z.nrrd", file, size);
    assert_golden("z.nrrd");
    io_put("z.nrrd", file, size - 14);
    io_assert_fails("z.nrrd", LE_ERR_IO, "damaged or shorter");
    file[sizeof header + 12] ^= 0x40;
    io_put("z.nrrd", file, size);
    assert_int_equal(io_try("z.nrrd"), LE_ERR_IO);
}

static void types(void **state) {
    (void)state;
    static const struct {
        const char *type, *bytes;
        size_t size;
        const char *shape;
        double first, second;
    } cases[] = {
        {"signed char", "\xff\x7f", 2, "i8[2]", -1, 127},
        {"uchar", "\xff\x7f", 2, "u8[2]", 255, 127},
        {"int16_t", "\xff\xff\x00\x80", 4, "i16[2]", -1, -32768},
        {"unsigned int", "\xff\xff\xff\xff\x01\x00\x00\x00", 8, "u32[2]", 4294967295.0, 1},
        {"int", "\xff\xff\xff\xff\x01\x00\x00\x00", 8, "i32[2]", -1, 1},
        {"float", "\x00\x00\x80\x3f\x00\x00\x00\xc0", 8, "f32[2]", 1, -2},
        {"double", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16, "f64[2]", 1, -2},
        {"long long", "\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\1\0\0\0", 16, "i64[2]", -2,
         4294967296.0},
        {"uint64", "\0\0\0\0\0\0\0\x80\2\0\0\0\0\0\0\0", 16, "u64[2]", 9223372036854775808.0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[256];
        int n = snprintf(
            file, sizeof file,
            "NRRD0005\ntype: %s\ndimension: 1\nsizes: 2\nendian: little\nencoding: raw\n\n",
            cases[i].type);
        memcpy(file + n, cases[i].bytes, cases[i].size);
        io_put("t.nrrd", file, (size_t)n + cases[i].size);
        le_tensor t = {0};
        assert_int_equal(le_io_read(io_engine, "t.nrrd", NULL, &t), LE_OK);
        io_assert_shape(&t, cases[i].shape);
        assert_true(le_tensor_get(&t, 0) == cases[i].first);
        assert_true(le_tensor_get(&t, 1) == cases[i].second);
        le_tensor_free(&t);
    }
}

static void malformed(void **state) {
    (void)state;
#define HEAD "NRRD0004\ntype: float\ndimension: 2\n"
    static const char *const bad[][2] = {
        {"", "not an NRRD"},
        {"NRRD0004\n", "does not end"},
        {HEAD "sizes: 2 2\nencoding: raw\n\n1234567890123456", "lacks endian"},
        {HEAD "sizes: 2\nendian: big\nencoding: raw\n\n", "1 sizes for dimension 2"},
        {HEAD "sizes: 2 0\n\n", "sizes is"},
        {HEAD "sizes: 2 -2\n\n", "sizes is"},
        {HEAD "sizes: 99999999999999999999 1\n\n", "sizes is"},
        {HEAD "sizes: 9223372036854775807 9223372036854775807\nendian: big\nencoding: raw\n\n",
         "overflow"},
        {HEAD "sizes: 4000000 4000000\nendian: big\nencoding: raw\n\n", "bytes"},
        {HEAD "sizes: 100 100\nendian: big\nencoding: raw\n\n12", "cannot be in a file"},
        {HEAD "sizes: 1000 1000\nendian: big\nencoding: gzip\n\n12", "cannot be in a file"},
        {HEAD "sizes: 2 2\nendian: middle\n\n", "endian is 'middle'"},
        {HEAD "sizes: 2 2\nencoding: ascii\n\n", "encoding is 'ascii'"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\nbyte skip: 9223372036854775807\n\n"
              "1234567890123456",
         "absurd byte skip"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\nbyte skip: -2\n\n", "byte skip is"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\nline skip: 7\n\n", "fewer lines"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\ndata file: /etc/passwd\n",
         "header's folder"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\ndata file: a/../../x\n", "header's folder"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\ndata file: LIST\n", "lists"},
        {HEAD "sizes: 2 2\nendian: big\nencoding: raw\ndata file: absent.bin\n", "No such file"},
        {"NRRD0004\ntype: block\n\n", "type is 'block'"},
        {"NRRD0004\ndimension: 17\n\n", "dimension is '17'"},
        {"NRRD0004\nno colon here\n\n", "without ':'"},
        {"NRRD0004\n\n", "lacks type"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        io_put("b.nrrd", bad[i][0], strlen(bad[i][0]));
        le_status status = io_try("b.nrrd");
        if (status == LE_OK || !strstr(le_error_message(), bad[i][1]))
            fail_msg("case %d: %s", (int)i, status ? le_error_message() : "was read");
    }
}

static void raw(void **state) {
    (void)state;
    const unsigned char bytes[] = {9, 9, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
    le_tensor t = {0};
    io_put("v.raw", bytes, sizeof bytes);
    assert_int_equal(le_io_read(io_engine, "v.raw:u16:2,3:offset=2", NULL, &t), LE_OK);
    io_assert_shape(&t, "u16[2,3]");
    for (int i = 0; i < 6; i++)
        assert_true(le_tensor_get(&t, i) == i + 1);
    le_tensor_free(&t);
    assert_int_equal(le_io_read(io_engine, "v.raw:i16:3:offset=8:big", NULL, &t), LE_OK);
    assert_true(le_tensor_get(&t, 0) == 1024);
    le_tensor_free(&t);
    io_assert_fails("v.raw", LE_ERR_ARGUMENT, "layout");
    io_assert_fails("v.raw:u16:2,4", LE_ERR_IO, "cannot be in a file of 14");
    io_assert_fails("v.raw:u16:2,3:offset=3", LE_ERR_IO,
                    "12 bytes of data are expected, 11 are there");
    io_assert_fails("v.raw:u16:4294967296,4294967296", LE_ERR_MEMORY, "overflow");
}

static void big_raw(void **state) {
    (void)state;
    enum { N = 3000000 }; /* several pieces */
    static uint32_t values[N];
    for (uint32_t i = 0; i < N; i++)
        values[i] = i * 2654435761u;
    le_tensor t = {0};
    io_put("big.raw", values, sizeof values);
    assert_int_equal(le_io_read(io_engine, "big.raw:u32:3000,1000", NULL, &t), LE_OK);
    assert_memory_equal(t.data, values, sizeof values);
    le_tensor_free(&t);
}

static void written(void **state) {
    (void)state;
    static const char *const names[] = {"w/a.nrrd", "w/b.nhdr"};
    char text[256] = "";
    for (size_t i = 0; i < 2; i++) {
        le_tensor t, back = {0};
        assert_int_equal(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){2, 3, 4}), LE_OK);
        for (int k = 0; k < 24; k++)
            le_tensor_set(&t, k, k + 0.5);
        assert_int_equal(le_io_write(io_engine, names[i], &t), LE_OK);
        assert_int_equal(le_io_read(io_engine, names[i], NULL, &back), LE_OK);
        io_assert_shape(&back, "f32[2,3,4]");
        assert_memory_equal(back.data, t.data, 96);
        le_tensor_free(&back);
        le_tensor_free(&t);
        io_get(names[i], text, sizeof text - 1);
        assert_non_null(strstr(text, "sizes: 4 3 2\n"));
    }
    assert_int_equal(io_get("w/b.raw", text, sizeof text), 96);
}

/* A header that cannot be written leaves the data file of before, and one that nobody could read is
 * not written. */
static void both_or_none(void **state) {
    (void)state;
    static const char *const names[] = {"n/LIST.nhdr", "n/LISTS.nhdr", "n/r%d.nhdr", "n/a\nb.nhdr",
                                        "n/ a.nhdr"};
    char text[64] = "", longest[300] = "n/";
    le_tensor t, back = {0};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 1, (int64_t[]){5}), LE_OK);
    for (int k = 0; k < 5; k++)
        le_tensor_set(&t, k, k);
    assert_int_equal(mkdir("n", 0777), 0);
    assert_int_equal(mkdir("n/folder.nhdr", 0777), 0);
    io_put("n/folder.raw", "precious", 8);
    assert_int_equal(le_io_write(io_engine, "n/folder.nhdr", &t), LE_ERR_IO);
    assert_int_equal(io_get("n/folder.raw", text, sizeof text), 8);
    assert_string_equal(text, "precious");
    memset(longest + 2, 'x', 246);
    strcpy(longest + 248, ".nhdr"); /* its data file has 250 bytes */
    assert_int_equal(le_io_write(io_engine, longest, &t), LE_OK);
    assert_int_equal(le_io_read(io_engine, longest, NULL, &back), LE_OK);
    assert_memory_equal(back.data, t.data, 20);
    le_tensor_free(&back);
    unlink(longest);
    strcpy(longest + 248, ".raw");
    unlink(longest);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_false(le_io_is_place(names[i], true));
        assert_int_equal(le_io_write(io_engine, names[i], &t), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), "without %"));
    }
    le_tensor_free(&t);
    assert_int_equal(unlink("n/folder.raw"), 0);
    assert_int_equal(rmdir("n/folder.nhdr"), 0);
    assert_int_equal(rmdir("n"), 0); /* nothing else was written */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached), cmocka_unit_test(carriage_returns),
        cmocka_unit_test(detached), cmocka_unit_test(gzipped),
        cmocka_unit_test(types),    cmocka_unit_test(malformed),
        cmocka_unit_test(raw),      cmocka_unit_test(big_raw),
        cmocka_unit_test(written),  cmocka_unit_test(both_or_none),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
