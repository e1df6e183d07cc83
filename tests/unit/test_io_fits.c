/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * FITS files: what is written, read by CFITSIO and byte by byte; headers made by hand; sky cards
 * that go along with images; positions on the sky of projections with a closed form.
 */
#include "core/sanitizer.h"
#include "fits_test.h"

#include <fitsio.h>

static const unsigned char shorts[] = {0, 1, 0, 2, 0, 3, 0xff, 0xff, 0, 5, 0x80, 0};

static void types(void **state) {
    (void)state;
    put_fits(
        "i16.fits",
        (const char *const[]){"SIMPLE  =                    T", "BITPIX  =                   16",
                              "NAXIS   =                    2", "NAXIS1  =                    3",
                              "NAXIS2  =                    2", NULL},
        shorts, sizeof shorts);
    assert_values("i16.fits", "i16[2,3]", (double[]){1, 2, 3, -1, 5, -32768});
    assert_values("i16.fits[0]", "i16[2,3]", (double[]){1, 2, 3, -1, 5, -32768});
    assert_values("i16.fits[:,::2]", "i16[2,2]", (double[]){1, 3, -1, -32768});
    assert_values("i16.fits[0][-1]", "i16[3]", (double[]){-1, 5, -32768});
    assert_values("i16.fits[0][0:0]", "i16[0,3]", NULL);
    put_fits("u16.fits",
             (const char *const[]){
                 "SIMPLE  =                    T", "BITPIX  =                   16",
                 "NAXIS   =                    4", "NAXIS1  =                    3",
                 "NAXIS2  =                    1", "NAXIS3  =                    2",
                 "NAXIS4  =                    1", "BZERO   =                32768", NULL},
             shorts, sizeof shorts);
    assert_values("u16.fits", "u16[2,3]", (double[]){32769, 32770, 32771, 32767, 32773, 0});
    put_fits(
        "blank.fits",
        (const char *const[]){"SIMPLE  =                    T", "BITPIX  =                   16",
                              "NAXIS   =                    1", "NAXIS1  =                    6",
                              "BLANK   =               -32768", "BSCALE  =                  0.5",
                              "BZERO   =                 10.0", NULL},
        shorts, sizeof shorts);
    assert_values("blank.fits", "f32[6]", (double[]){10.5, 11, 11.5, 9.5, 12.5, NAN});
    static const unsigned char large[16] = {0x80, [7] = 1, [15] = 6};
    put_fits(
        "i64.fits",
        (const char *const[]){"SIMPLE  =                    T", "BITPIX  =                   64",
                              "NAXIS   =                    1", "NAXIS1  =                    2",
                              "BSCALE  =                  0.5", NULL},
        large, sizeof large);
    assert_values("i64.fits", "f64[2]", (double[]){-4611686018427387904.0 + 0.5, 3});
    /* whole scales are scales, too */
    put_fits("whole.fits",
             (const char *const[]){
                 "SIMPLE  =                    T", "BITPIX  =                   16",
                 "NAXIS   =                    1", "NAXIS1  =                    6",
                 "BSCALE  =                  2.0", "BZERO   =                 10.0", NULL},
             shorts, sizeof shorts);
    assert_values("whole.fits", "f32[6]", (double[]){12, 14, 16, 8, 20, -65526});
    put_fits(
        "shifted.fits",
        (const char *const[]){"SIMPLE  =                    T", "BITPIX  =                   32",
                              "NAXIS   =                    1", "NAXIS1  =                    3",
                              "BZERO   =                  100", NULL},
        shorts, sizeof shorts);
    assert_values("shifted.fits", "f64[3]", (double[]){65638, 262243, 360548});
    put_fits(
        "pixel.fits",
        (const char *const[]){"SIMPLE  =                    T", "BITPIX  =                   16",
                              "NAXIS   =                    2", "NAXIS1  =                    1",
                              "NAXIS2  =                    1", NULL},
        (const unsigned char[]){0, 7}, 2);
    assert_values("pixel.fits", "i16[1]", (double[]){7});
    const le_io_options wide = {.struct_size = sizeof wide, .dtypes = LE_DTYPE_BIT(LE_F64)};
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "blank.fits", &wide, &t), LE_OK);
    io_assert_shape(&t, "f64[6]");
    assert_true(le_tensor_get(&t, 2) == 11.5 && isnan(le_tensor_get(&t, 5)));
    le_tensor_free(&t);
    assert_int_equal(le_io_read(NULL, "u16.fits", &wide, &t), LE_OK);
    io_assert_shape(&t, "f64[2,3]");
    assert_true(le_tensor_get(&t, 0) == 32769);
    le_tensor_free(&t);
}

/* A name may have commas, and one alone is no other HDU's version. */
static void names_with_commas(void **state) {
    (void)state;
    static const char *const cards[] = {"SIMPLE  =                    T",
                                        "BITPIX  =                    8",
                                        "NAXIS   =                    1",
                                        "NAXIS1  =                    2",
                                        "EXTNAME = 'RED,BLUE'",
                                        "EXTVER  =                    2",
                                        NULL};
    static const unsigned char two[] = {4, 5};
    put_fits("commas.fits", cards, two, sizeof two);
    assert_values("commas.fits[RED,BLUE]", "u8[2]", (double[]){4, 5});
    assert_values("commas.fits[RED,BLUE,2]", "u8[2]", (double[]){4, 5});
    io_assert_fails("commas.fits[RED,BLUE,1]", LE_ERR_IO, "no HDU RED,BLUE,1");
    io_assert_fails("commas.fits[RED,BLUE,]", LE_ERR_IO, "no HDU RED,BLUE,");
    io_assert_fails("commas.fits[RED]", LE_ERR_IO, "no HDU RED");
}

static void mistakes(void **state) {
    (void)state;
    io_assert_fails("absent.fits", LE_ERR_IO, "absent.fits");
    io_assert_fails("i16.fits[1]", LE_ERR_IO, "HDU 1 of 1");
    io_assert_fails("i16.fits[SCI]", LE_ERR_IO, "no HDU SCI");
    io_assert_fails("i16.fits[0][2]", LE_ERR_SHAPE, "outside axis 0");
    io_put("text.fits", "a text", 6);
    io_assert_fails("text.fits", LE_ERR_IO, "not a FITS file");
    io_assert_fails("cut.fits.gz", LE_ERR_IO, "cut.fits.gz");
    char block[BLOCK];
    assert_int_equal(io_get("i16.fits", block, sizeof block), sizeof block);
    io_put("cut.fits", block, sizeof block);
    io_assert_fails("cut.fits", LE_ERR_IO, "ends before its data does");
    const le_io_options few = {.struct_size = sizeof few, .max_bytes = 11};
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "i16.fits", &few, &t), LE_ERR_MEMORY);
    /* what CFITSIO would take for commands is a name here, and no file appears */
    io_assert_fails("i16.fits(copy.fits)", LE_ERR_ARGUMENT, "unknown kind of file");
    io_assert_fails("copy.fits[1][1:2,1:2](out.fits)", LE_ERR_ARGUMENT, "text after");
    assert_int_not_equal(access("copy.fits", F_OK), 0);
    assert_false(le_io_is_place("i16.fits[0]", true));
    assert_false(le_io_is_place("i16.fits[0:1]", true));
    assert_true(le_io_is_place("i16.fits", true));
}

/* --- writing --- */

static void write_and_read(le_dtype dtype, const char *shape) {
    le_tensor t = {0}, back = {0};
    assert_int_equal(le_tensor_alloc(&t, dtype, 3, (int64_t[]){3, 700, 333}), LE_OK);
    size_t bytes = (size_t)le_tensor_count(&t) * le_dtype_size(dtype);
    unsigned char *data = t.data;
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 151 + i / 256); /* NaN, infinities and small numbers too */
    assert_int_equal(le_io_write(io_engine, "all.fits", &t), LE_OK);
    if (le_io_read(io_engine, "all.fits", NULL, &back) != LE_OK)
        fail_msg("%s: %s", shape, le_error_message());
    io_assert_shape(&back, shape);
    assert_memory_equal(back.data, data, bytes);
    le_tensor_free(&t);
    le_tensor_free(&back);
}

static void every_dtype(void **state) {
    (void)state;
    write_and_read(LE_U8, "u8[3,700,333]");
    write_and_read(LE_I8, "i8[3,700,333]");
    write_and_read(LE_U16, "u16[3,700,333]");
    write_and_read(LE_I16, "i16[3,700,333]");
    write_and_read(LE_U32, "u32[3,700,333]");
    write_and_read(LE_I32, "i32[3,700,333]");
    write_and_read(LE_U64, "u64[3,700,333]");
    write_and_read(LE_I64, "i64[3,700,333]");
    write_and_read(LE_F32, "f32[3,700,333]");
    write_and_read(LE_F64, "f64[3,700,333]");
}

static void as_cfitsio_reads_it(void **state) {
    (void)state;
    float values[] = {1, 2, NAN, 4, 5, 6};
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){2, 3});
    assert_int_equal(le_io_write(NULL, "sub/folder/image.fits", &t), LE_OK);
    fitsfile *f;
    int error = 0, bitpix, naxis, any;
    long naxes[2], first[2] = {1, 1};
    float read[6];
    fits_open_diskfile(&f, "sub/folder/image.fits", READONLY, &error);
    fits_get_img_param(f, 2, &bitpix, &naxis, naxes, &error);
    fits_read_pix(f, TFLOAT, first, 6, NULL, read, &any, &error);
    fits_close_file(f, &error);
    assert_int_equal(error, 0);
    assert_int_equal(bitpix, FLOAT_IMG);
    assert_int_equal(naxis, 2);
    assert_int_equal(naxes[0], 3);
    assert_int_equal(naxes[1], 2);
    assert_memory_equal(read, values, sizeof values);
}

static void put_compressed(const char *file, int type, int naxis, long *sizes, short *pixels) {
    fitsfile *f = NULL;
    int error = 0;
    long first[4] = {1, 1, 1, 1};
    fits_create_diskfile(&f, file, &error);
    fits_set_compression_type(f, type, &error);
    fits_create_img(f, SHORT_IMG, naxis, sizes, &error);
    fits_write_subset(f, TSHORT, first, sizes, pixels, &error);
    fits_close_file(f, &error);
    assert_int_equal(error, 0);
}

static void compressed_with_four_axes(void **state) {
    (void)state;
    long sizes[4] = {3, 2, 1, 2};
    short pixels[12];
    double expected[12];
    for (int i = 0; i < 12; i++)
        expected[i] = pixels[i] = (short)(i * i);
    put_compressed("tiled.fits", RICE_1, 4, sizes, pixels);
    assert_values("tiled.fits", "i16[2,2,3]", expected);
    assert_values("tiled.fits[1][1,0]", "i16[3]", expected + 6);
}

/* CFITSIO inflates a tile that ends too soon into ever more memory. */
static void tile_without_end(void **state) {
    (void)state;
    static unsigned char bytes[1 << 16];
    static short pixels[64 * 64];
    long sizes[2] = {64, 64};
    if (LE__SANITIZED) { /* memory has no limit there, and the time has one of half a minute */
        print_message("skipped: built with a sanitizer\n");
        return;
    }
    for (int i = 0; i < 64 * 64; i++)
        pixels[i] = (short)(i * 7919 % 1000);
    put_compressed("gzip.fits", GZIP_1, 2, sizes, pixels);
    const size_t size = io_get("gzip.fits", bytes, sizeof bytes);
    size_t table = 0; /* behind the header of the table: bytes and place of each tile */
    while (table + BLOCK <= size && memcmp(bytes + table, "XTENSION", 8) != 0)
        table += BLOCK;
    while (table + BLOCK <= size && !memmem(bytes + table, BLOCK, "END     ", 8))
        table += BLOCK;
    table += BLOCK;
    assert_true(table + 4 < size && bytes[table] == 0 && bytes[table + 1] == 0);
    const unsigned length = bytes[table + 2] * 256u + bytes[table + 3];
    assert_true(length > 20);
    bytes[table + 2] = (unsigned char)(length / 512);
    bytes[table + 3] = (unsigned char)(length / 2);
    io_put("cut_tile.fits", bytes, size);
    le_tensor t = {0};
    assert_int_not_equal(le_io_read(io_engine, "cut_tile.fits", NULL, &t), LE_OK);
    assert_non_null(strstr(le_error_message(), "cut_tile.fits"));
    assert_null(strstr(le_error_message(), "does not end"));
    assert_null(t.data);
}

static void tables(void **state) {
    (void)state;
    double values[] = {1, 10.5, 2, NAN, 3, 30.5};
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){3, 2});
    const le_io_write_options o = {
        .struct_size = sizeof o, .columns = (const char *const[]){"label", "lon"}, .n_columns = 2};
    assert_int_equal(le_io_write_with(NULL, "table.fits", &t, &o), LE_OK);
    fitsfile *f;
    int error = 0, columns, any;
    long rows;
    char name[FLEN_VALUE], unit[FLEN_VALUE];
    double lon[3];
    fits_open_diskfile(&f, "table.fits", READONLY, &error);
    fits_movabs_hdu(f, 2, NULL, &error);
    fits_get_num_rows(f, &rows, &error);
    fits_get_num_cols(f, &columns, &error);
    fits_read_key(f, TSTRING, "TTYPE1", name, NULL, &error);
    fits_read_key(f, TSTRING, "TUNIT2", unit, NULL, &error);
    fits_read_col(f, TDOUBLE, 2, 1, 1, 3, NULL, lon, &any, &error);
    fits_close_file(f, &error);
    assert_int_equal(error, 0);
    assert_int_equal(rows, 3);
    assert_int_equal(columns, 2);
    assert_string_equal(name, "label");
    assert_string_equal(unit, "deg");
    assert_true(lon[0] == 10.5 && isnan(lon[1]) && lon[2] == 30.5);
    io_assert_fails("table.fits", LE_ERR_IO, "no image");
    t.shape[0] = 0;
    assert_int_equal(le_io_write_with(NULL, "table.fits", &t, &o), LE_OK);
}

static void refused(void **state) {
    (void)state;
    double values[8] = {0};
    le_tensor t = le_tensor_of(values, LE_C128, 1, (int64_t[]){4});
    assert_int_equal(le_io_write(NULL, "bad.fits", &t), LE_ERR_DTYPE);
    t = le_tensor_of(values, LE_F64, 0, NULL);
    assert_int_equal(le_io_write(NULL, "bad.fits", &t), LE_ERR_SHAPE);
    t = le_tensor_of(values, LE_F64, 2, (int64_t[]){0, 4});
    assert_int_equal(le_io_write(NULL, "bad.fits", &t), LE_ERR_SHAPE);
    t = le_tensor_of(values, LE_F64, 1, (int64_t[]){4});
    assert_int_equal(le_io_write(NULL, "bad.fits.gz", &t), LE_ERR_UNSUPPORTED);
    assert_false(le_io_is_place("bad.fits.gz", true));
    assert_int_not_equal(access("bad.fits", F_OK), 0);
}

/* --- sky --- */

/* A plate carrée: longitude and latitude are the pixel's distances from the reference. */
static const char *const sky_cards[] = {
    "SIMPLE  =                    T", "BITPIX  =                   16",
    "NAXIS   =                    4", "NAXIS1  =                    3",
    "NAXIS2  =                    2", "NAXIS3  =                    1",
    "NAXIS4  =                    1", "CTYPE1  = 'RA---CAR'",
    "CTYPE2  = 'DEC--CAR'",           "CTYPE3  = 'FREQ    '",
    "CTYPE4  = 'STOKES  '",           "CRPIX1  =                  2.0",
    "CRPIX2  =                  1.0", "CRVAL1  =                 80.0",
    "CRVAL2  =                  0.0", "CRVAL3  =               1.42E9",
    "CDELT1  =                 -0.5", "CDELT2  =                 0.25",
    "CRPIX3  =                  1.0", "CUNIT1  = 'deg     '",
    "CUNIT2  = 'deg     '",           "PC1_1   =                  1.0",
    "PC3_1   =                  0.0", "EQUINOX =               2000.0",
    "OBJECT  = 'not of the sky'",     NULL};

static bool has_sky(void) {
    double sky[2];
    le_status status = le_io_sky("sky.fits", (double[]){0, 0}, 1, 2, sky);
    if (status == LE_ERR_UNSUPPORTED)
        print_message("%s\n", le_error_message());
    else
        assert_int_equal(status, LE_OK);
    return status == LE_OK;
}

static void assert_sky(const char *place, double row, double column, double lon, double lat) {
    double sky[2];
    if (le_io_sky(place, (double[]){row, column}, 1, 2, sky) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_true(fabs(sky[0] - lon) < 1e-12);
    assert_true(fabs(sky[1] - lat) < 1e-12);
}

static void on_the_sky(void **state) {
    (void)state;
    put_fits("sky.fits", sky_cards, shorts, sizeof shorts);
    if (!has_sky())
        skip();
    assert_sky("sky.fits", 0, 1, 80, 0);
    assert_sky("sky.fits", 4, 3, 79, 1);
    assert_sky("sky.fits[0][1:,::2]", 1, 1, 79.5, 0.5);
    double sky[4] = {1, 2, 3, 4};
    assert_int_equal(le_io_sky("sky.fits", (double[]){0, NAN, 0, 1}, 2, 2, sky), LE_OK);
    assert_true(isnan(sky[0]) && isnan(sky[1]) && fabs(sky[2] - 80) < 1e-12);
    assert_int_equal(le_io_sky("sky.fits", sky, 1, 3, sky), LE_ERR_SHAPE);
    assert_int_equal(le_io_sky("i16.fits", sky, 1, 2, sky), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "no longitude and latitude"));
    assert_int_equal(le_io_sky("t.csv", sky, 1, 2, sky), LE_ERR_UNSUPPORTED);
    assert_int_equal(le_io_sky("sky.fits", sky, -1, 2, sky), LE_ERR_ARGUMENT);
}

static int keys(const char *file, const char *key, double *value) {
    fitsfile *f;
    int error = 0;
    fits_open_diskfile(&f, file, READONLY, &error);
    assert_int_equal(error, 0);
    fits_read_key(f, TDOUBLE, key, value, NULL, &error);
    int found = error == 0;
    error = 0;
    fits_close_file(f, &error);
    return found;
}

static void cards_go_along(void **state) {
    (void)state;
    int32_t labels[6] = {0, 1, 0, 2, 2, 0};
    double value = 0;
    le_tensor t = le_tensor_of(labels, LE_I32, 2, (int64_t[]){2, 3});
    le_io_write_options o = {.struct_size = sizeof o, .like = "sky.fits"};
    put_fits("sky.fits", sky_cards, shorts, sizeof shorts);
    assert_int_equal(le_io_write_with(NULL, "labels.fits", &t, &o), LE_OK);
    assert_values("labels.fits", "i32[2,3]", (double[]){0, 1, 0, 2, 2, 0});
    assert_true(keys("labels.fits", "CRVAL1", &value) && value == 80);
    assert_true(keys("labels.fits", "EQUINOX", &value) && value == 2000);
    assert_true(keys("labels.fits", "PC1_1", &value) && value == 1);
    assert_false(keys("labels.fits", "CRVAL3", &value));
    assert_false(keys("labels.fits", "PC3_1", &value));
    assert_false(keys("labels.fits", "NAXIS3", &value));
    assert_false(keys("labels.fits", "OBJECT", &value));
    if (has_sky())
        assert_sky("labels.fits", 4, 3, 79, 1);
    /* of a part */
    t = le_tensor_of(labels, LE_I32, 2, (int64_t[]){2, 2});
    o.like = "sky.fits[:,1:]";
    assert_int_equal(le_io_write_with(NULL, "part.fits", &t, &o), LE_OK);
    assert_true(keys("part.fits", "CRPIX1", &value) && value == 1);
    assert_true(keys("part.fits", "CRPIX2", &value) && value == 1);
    if (has_sky())
        assert_sky("part.fits", 4, 2, 79, 1);
    /* other shapes, thinned ones, and what is no FITS file change nothing */
    static const char *const others[] = {"sky.fits", "sky.fits[0:1,::2]", "t.csv", "absent.fits"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        o.like = others[i];
        assert_int_equal(le_io_write_with(NULL, "none.fits", &t, &o), LE_OK);
        assert_false(keys("none.fits", "CRVAL1", &value));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(names_with_commas),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(every_dtype),
        cmocka_unit_test(as_cfitsio_reads_it),
        cmocka_unit_test(tables),
        cmocka_unit_test(refused),
        cmocka_unit_test(on_the_sky),
        cmocka_unit_test(cards_go_along),
        cmocka_unit_test(compressed_with_four_axes),
        cmocka_unit_test(tile_without_end),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
