/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of FITS files made by hand, binary and ASCII: the values of each type of column, and what
 * is refused.
 */
#include "fits_test.h"

enum { CARD = 80, HEAD = BLOCK };

/* An empty primary HDU and a table behind it: XTENSION, cards of columns, rows. */
static void put_table(const char *file, const char *kind, int width, int rows, int columns,
                      const char *cards, const void *data, size_t bytes) {
    static char all[4 * BLOCK];
    char card[CARD + 1];
    size_t lines = strlen(cards) / CARD, n = HEAD;
    memset(all, ' ', sizeof all);
    const char *const start[] = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                 "NAXIS   =                    0", "END"};
    for (int i = 0; i < 4; i++)
        memcpy(all + i * CARD, start[i], strlen(start[i]));
    const struct {
        const char *key;
        int value;
    } sizes[] = {{"BITPIX", 8}, {"NAXIS", 2},  {"NAXIS1", width},   {"NAXIS2", rows},
                 {"PCOUNT", 0}, {"GCOUNT", 1}, {"TFIELDS", columns}};
    n += (size_t)sprintf(all + n, "XTENSION= '%-8s'%-60s", kind, "");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(card, sizeof card, "%-8s= %20d%-50s", sizes[i].key, sizes[i].value, "");
        memcpy(all + n, card, CARD);
        n += CARD;
    }
    memcpy(all + n, cards, lines * CARD);
    memcpy(all + n + lines * CARD, "END", 4);
    all[n + lines * CARD + 3] = ' ';
    assert_true(n + (lines + 1) * CARD <= 3 * BLOCK && bytes <= BLOCK);
    n = n + (lines + 1) * CARD <= 2 * BLOCK ? 2 * BLOCK : 3 * BLOCK;
    memset(all + n, *kind == 'T' ? ' ' : 0, BLOCK);
    memcpy(all + n, data, bytes);
    io_put(file, all, n + BLOCK);
}

/* Cards of 80 characters, one behind the other. */
static const char *cards_of(const char *const *cards) {
    static char all[2 * BLOCK];
    size_t n = 0;
    for (; cards[n]; n++)
        snprintf(all + n * CARD, sizeof all - n * CARD, "%-80s", cards[n]);
    return all;
}

/* --- binary --- */

static const char *const numbers[] = {"TTYPE1  = 'byte'",
                                      "TFORM1  = 'B'",
                                      "TTYPE2  = 'Signed'",
                                      "TFORM2  = '1B'",
                                      "TZERO2  = -128",
                                      "TTYPE3  = 'short'",
                                      "TFORM3  = '1I'",
                                      "TNULL3  = -7",
                                      "TTYPE4  = 'word'",
                                      "TFORM4  = '1J'",
                                      "TSCAL4  = 0.5",
                                      "TZERO4  = 10",
                                      "TTYPE5  = 'unsigned'",
                                      "TFORM5  = '1K'",
                                      "TZERO5  = 9223372036854775808",
                                      "TTYPE6  = 'float'",
                                      "TFORM6  = '1E'",
                                      "TTYPE7  = 'double'",
                                      "TFORM7  = '1D'",
                                      "TTYPE8  = 'scaled'",
                                      "TFORM8  = '1E'",
                                      "TSCAL8  = 2",
                                      "TZERO8  = -1",
                                      "EXTNAME = 'SOURCES'",
                                      NULL};

static const unsigned char rows[3][32] = {
    {200,  0,    0, 5, 0xff, 0xff, 0xff, 0xfe, 0x80, 0, 0, 0, 0,    0,    0, 5,
     0x7f, 0xc0, 0, 0, 0x3f, 0xf8, 0,    0,    0,    0, 0, 0, 0x40, 0x40, 0, 0},
    {0,    255,  0xff, 0xf9, 0, 0, 0, 3, 0, 0, 0, 0, 0,    0,    0, 0,
     0xff, 0x80, 0,    0,    0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0xc0, 0, 0},
    {1,    128,  0x80, 0, 0,    0,    0, 0, 0x80, 0, 0, 0, 0,    0,    0, 0,
     0x00, 0x00, 0,    1, 0x7f, 0xf0, 0, 0, 0,    0, 0, 0, 0xbf, 0x80, 0, 0}};

enum { WIDTH = 32, COLUMNS = 8 };

static void put_numbers(void) {
    unsigned char packed[3 * WIDTH];
    for (int i = 0; i < 3; i++)
        memcpy(packed + (size_t)i * WIDTH, rows[i], WIDTH);
    put_table("n.fits", "BINTABLE", WIDTH, 3, COLUMNS, cards_of(numbers), packed, sizeof packed);
}

static void binary(void **state) {
    (void)state;
    const double small = 4.9406564584124654e-324, small_f32 = 1.40129846432481707e-45;
    const double all[] = {200,
                          -128,
                          5,
                          9,
                          5,
                          NAN,
                          1.5,
                          5,
                          0,
                          127,
                          NAN,
                          11.5,
                          9223372036854775808.,
                          -INFINITY,
                          small,
                          NAN,
                          1,
                          0,
                          -32768,
                          10,
                          0,
                          small_f32,
                          INFINITY,
                          -3};
    put_numbers();
    assert_values("n.fits[1]", "f64[3,8]", all);
    assert_values("n.fits[SOURCES]", "f64[3,8]", all);
    assert_values("n.fits[1][signed]", "f64[3]", (double[]){-128, 127, 0});
    assert_values("n.fits[sources][DOUBLE]", "f64[3]", (double[]){1.5, small, INFINITY});
    assert_values("n.fits[1][double][::2]", "f64[2]", (double[]){1.5, INFINITY});
    assert_values("n.fits[1][1:,0:4:3]", "f64[2,2]", (double[]){0, 11.5, 1, 10});
    assert_values("n.fits[1][-1,...]", "f64[8]", all + 16);
    assert_values("n.fits[1][3:]", "f64[0,8]", NULL);
    const le_io_options narrow = {.struct_size = sizeof narrow, .dtypes = LE_DTYPE_BIT(LE_F32)};
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "n.fits[1][:,0:3]", &narrow, &t), LE_OK);
    io_assert_shape(&t, "f32[3,3]");
    assert_true(le_tensor_get(&t, 3) == 0 && le_tensor_get(&t, 8) == -32768);
    le_tensor_free(&t);
}

/* --- ASCII --- */

static void ascii(void **state) {
    (void)state;
    static const char *const cards[] = {
        "TTYPE1  = 'whole'", "TFORM1  = 'I4'",   "TBCOL1  = 1", "TNULL1  = '---'",
        "TTYPE2  = 'fixed'", "TFORM2  = 'F6.2'", "TBCOL2  = 6", "TTYPE3  = 'power'",
        "TFORM3  = 'E9.2'",  "TBCOL3  = 13",     "TSCAL3  = 2", "TTYPE4  = 'name'",
        "TFORM4  = 'A3'",    "TBCOL4  = 23",     NULL};
    static const char text[] = "  12  -1.50 -2.50E+01 abc"
                               "---    3.25  1.00D-01 def";
    put_table("a.fits", "TABLE", 25, 2, 4, cards_of(cards), text, sizeof text - 1);
    assert_values("a.fits[1][:,0:3]", "f64[2,3]", (double[]){12, -1.5, -50, NAN, 3.25, 0.2});
    assert_values("a.fits[1][Fixed]", "f64[2]", (double[]){-1.5, 3.25});
    io_assert_fails("a.fits[1]", LE_ERR_DTYPE, "column 3 (name) holds text");
}

/* --- what is refused --- */

static void refuse(const char *form, const char *held, int width) {
    static const unsigned char zeros[64];
    char card[CARD + 1], words[64];
    snprintf(card, sizeof card, "TFORM2  = '%s'", form);
    put_table("r.fits", "BINTABLE", 8 + width, 1, 2,
              cards_of((const char *const[]){"TTYPE1  = 'x'", "TFORM1  = 'D'", card, NULL}), zeros,
              sizeof zeros);
    snprintf(words, sizeof words, "column 1 (without a name) holds %s, expected", held);
    io_assert_fails("r.fits[1]", LE_ERR_DTYPE, words);
    io_assert_fails("r.fits[1][0,1:]", LE_ERR_DTYPE, words);
    assert_values("r.fits[1][x]", "f64[1]", (double[]){0});
}

static void no_numbers(void **state) {
    (void)state;
    refuse("5A", "text", 5);
    refuse("L", "truth values", 1);
    refuse("8X", "bits", 1);
    refuse("C", "complex numbers", 8);
    refuse("M", "complex numbers", 16);
    refuse("2E", "arrays", 8);
    refuse("0E", "nothing", 0);
    refuse("PE(3)", "arrays of varying length", 8);
    refuse("QD(3)", "arrays of varying length", 16);
}

static void mistakes(void **state) {
    (void)state;
    double sky[2];
    put_numbers();
    io_assert_fails("n.fits", LE_ERR_IO, "a table is named as FILE.fits[HDU]");
    io_assert_fails("n.fits[0]", LE_ERR_IO, "HDU 0 holds neither image nor table");
    io_assert_fails("n.fits[1][flux]", LE_ERR_IO, "no column flux");
    io_assert_fails("n.fits[1][3]", LE_ERR_SHAPE, "outside axis 0");
    io_assert_fails("n.fits[1][5,:]", LE_ERR_SHAPE, "outside axis 0");
    io_assert_fails("n.fits[1][byte][short]", LE_ERR_ARGUMENT, "short");
    assert_int_equal(le_io_sky("n.fits[1]", (double[]){0, 0}, 1, 2, sky), LE_ERR_UNSUPPORTED);
    const le_io_options few = {.struct_size = sizeof few, .max_bytes = 3 * 8 * 8 - 1};
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "n.fits[1]", &few, &t), LE_ERR_MEMORY);
    const int16_t pixels[2] = {1, 2};
    put_fits("i.fits",
             (const char *const[]){
                 "SIMPLE  =                    T", "BITPIX  =                   16",
                 "NAXIS   =                    1", "NAXIS1  =                    2", NULL},
             pixels, sizeof pixels);
    io_assert_fails("i.fits[0][byte]", LE_ERR_IO, "the HDU is an image");
    /* more rows than bytes, and none at all */
    put_table("huge.fits", "BINTABLE", 8, 2000000000, 1,
              cards_of((const char *const[]){"TFORM1  = 'D'", NULL}), "", 0);
    io_assert_fails("huge.fits[1]", LE_ERR_IO, "the file ends before its data does");
    put_table("none.fits", "BINTABLE", 0, 7, 0, "", "", 0);
    io_assert_fails("none.fits[1]", LE_ERR_IO, "7 rows, 0 columns");
}

/* --- the way back of what is written --- */

static void there_and_back(void **state) {
    (void)state;
    enum { ROWS = 2500, THINNED = 832 };
    double *values = malloc(ROWS * 3 * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < ROWS * 3; i++)
        values[i] = i % 17 == 3 ? NAN : i % 19 == 4 ? INFINITY : 1.0 / (i - 1234.5);
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){ROWS, 3});
    const le_io_write_options o = {.struct_size = sizeof o,
                                   .columns = (const char *const[]){"label", "lon", "x"},
                                   .n_columns = 3};
    assert_int_equal(le_io_write_with(NULL, "back.fits", &t, &o), LE_OK);
    assert_values("back.fits[1]", "f64[2500,3]", values);
    assert_values(
        "back.fits[CATALOGUE][0::2499]", "f64[2,3]",
        (double[]){values[0], values[1], values[2], values[7497], values[7498], values[7499]});
    double *column = malloc(THINNED * sizeof *column);
    assert_non_null(column);
    for (int i = 0; i < THINNED; i++)
        column[i] = values[(5 + 3 * i) * 3 + 1];
    assert_values("back.fits[1][lon][5::3]", "f64[832]", column);
    free(column);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary),   cmocka_unit_test(ascii),          cmocka_unit_test(no_numbers),
        cmocka_unit_test(mistakes), cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
