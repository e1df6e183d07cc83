/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables as CSV: files written by hand, what is written byte by byte, and names of columns.
 */
#include "io_test.h"

#include <float.h>
#include <locale.h>

static void put(const char *file, const char *text) {
    io_put(file, text, strlen(text));
}

static void assert_reads(const char *place, const char *shape, const double *expected) {
    le_tensor t = {0};
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    io_assert_shape(&t, shape);
    const double *got = t.data;
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        if (got[i] != expected[i] && !(isnan(got[i]) && isnan(expected[i])))
            fail_msg("%s: element %d is %g, expected %g", place, (int)i, got[i], expected[i]);
    le_dtype dtype;
    int ndim;
    int64_t size[LE_MAX_DIMS];
    assert_int_equal(le_io_peek(place, &dtype, &ndim, size), LE_OK);
    assert_int_equal(dtype, LE_F64);
    assert_int_equal(ndim, t.ndim);
    assert_memory_equal(size, t.shape, (size_t)ndim * sizeof *size);
    le_tensor_free(&t);
}

static void reading(void **state) {
    (void)state;
    put("t.csv", "# made by hand\nlabel, \"x, y\" ,\"flux\"\r\n1,2.5,-1e300\r\n\r\n2,,inf\n"
                 " 3 , nan,0.1");
    const double all[] = {1, 2.5, -1e300, 2, NAN, INFINITY, 3, NAN, 0.1};
    assert_reads("t.csv", "f64[3,3]", all);
    assert_reads("t.csv[flux]", "f64[3]", (double[]){-1e300, INFINITY, 0.1});
    assert_reads("t.csv[label]", "f64[3]", (double[]){1, 2, 3});
    assert_reads("t.csv[x, y]", "f64[3]", (double[]){2.5, NAN, NAN});
    assert_reads("t.csv[1:,::2]", "f64[2,2]", (double[]){2, INFINITY, 3, 0.1});
    assert_reads("t.csv[:,0]", "f64[3]", (double[]){1, 2, 3});
    assert_reads("t.csv[label][::2]", "f64[2]", (double[]){1, 3});
    put("plain.csv", "1,2\n3,4\n");
    assert_reads("plain.csv", "f64[2,2]", (double[]){1, 2, 3, 4});
    put("blank.csv", " \n# first\na,b\n\t\n1,2\n   \r\n # second\n 3, 4 \n  ");
    assert_reads("blank.csv", "f64[2,2]", (double[]){1, 2, 3, 4});
    assert_reads("blank.csv[b]", "f64[2]", (double[]){2, 4});
    put("marked.csv", "\xEF\xBB\xBF"
                      "1,2\n3,4\n");
    assert_reads("marked.csv", "f64[2,2]", (double[]){1, 2, 3, 4});
    put("marked.csv", "\xEF\xBB\xBF"
                      "label,flux\n1,2\n");
    assert_reads("marked.csv[label]", "f64[1]", (double[]){1});
    put("names.csv", "a,b,c\n");
    assert_reads("names.csv", "f64[0,3]", NULL);
}

static void peeks_at_nothing(void **state) {
    (void)state;
    put("whole.csv", "a,b\n1,2\n3,4\n");
    const char *const places[] = {"whole.csv[c]", "whole.csv[:,5]"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        le_dtype dtype = LE_I16;
        int ndim = 77;
        int64_t shape[LE_MAX_DIMS] = {-5, -6};
        assert_int_not_equal(le_io_peek(places[i], &dtype, &ndim, shape), LE_OK);
        assert_int_equal(dtype, LE_I16);
        assert_int_equal(ndim, 77);
        assert_int_equal(shape[0], -5);
        assert_int_equal(shape[1], -6);
    }
}

static void mistakes(void **state) {
    (void)state;
    put("short.csv", "a,b\n1,2\n3\n");
    io_assert_fails("short.csv", LE_ERR_IO, "line 3 has 1 fields, expected 2");
    put("word.csv", "a,b\n1,2\n3,x\n");
    io_assert_fails("word.csv", LE_ERR_IO, "line 3 is not made of numbers");
    put("empty.csv", "\n# nothing\n");
    io_assert_fails("empty.csv", LE_ERR_IO, "no line");
    io_put("zero.csv", "1,2\0\n", 5);
    io_assert_fails("zero.csv", LE_ERR_IO, "zero bytes");
    io_assert_fails("names.csv[d]", LE_ERR_IO, "no column d");
    io_assert_fails("absent.csv", LE_ERR_IO, "absent.csv");
    put("plain.csv", "1,2\n3,4\n");
    io_assert_fails("plain.csv[a]", LE_ERR_IO, "no column a");
    assert_false(le_io_is_place("plain.csv[a]", true));
    assert_false(le_io_is_place("plain.csv[0:1]", true));
    const le_io_options few = {.struct_size = sizeof few, .max_bytes = 10};
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "plain.csv", &few, &t), LE_ERR_MEMORY);
}

static void assert_holds(const char *file, const char *text) {
    char got[4096];
    size_t n = io_get(file, got, sizeof got - 1);
    got[n] = '\0';
    assert_string_equal(got, text);
}

static void writing(void **state) {
    (void)state;
    double values[] = {1, 0.1, NAN, -INFINITY, DBL_MAX, 5e-324};
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){2, 3});
    assert_int_equal(le_io_write(io_engine, "w.csv", &t), LE_OK);
    assert_holds("w.csv", "column_0,column_1,column_2\n1,0.10000000000000001,nan\n"
                          "-inf,1.7976931348623157e+308,4.9406564584124654e-324\n");
    assert_reads("w.csv", "f64[2,3]", values);
    const le_io_write_options o = {.struct_size = sizeof o,
                                   .columns = (const char *const[]){"label", "a,b", NULL},
                                   .n_columns = 3};
    assert_int_equal(le_io_write_with(io_engine, "w.csv", &t, &o), LE_OK);
    assert_holds("w.csv", "label,\"a,b\",column_2\n1,0.10000000000000001,nan\n"
                          "-inf,1.7976931348623157e+308,4.9406564584124654e-324\n");
    assert_reads("w.csv[a,b]", "f64[2]", (double[]){0.1, DBL_MAX});
    t.shape[0] = 0;
    assert_int_equal(le_io_write_with(io_engine, "none.csv", &t, &o), LE_OK);
    assert_holds("none.csv", "label,\"a,b\",column_2\n");

    uint64_t large[] = {UINT64_MAX, 1};
    t = le_tensor_of(large, LE_U64, 1, (int64_t[]){2});
    assert_int_equal(le_io_write(io_engine, "u.csv", &t), LE_OK);
    assert_holds("u.csv", "column_0\n18446744073709551615\n1\n");
    float single[] = {0.1f, 3, 7, 8};
    t = le_tensor_of(single, LE_F32, 2, (int64_t[]){2, 2});
    t.strides[0] = 1;
    t.strides[1] = 2;
    assert_int_equal(le_io_write(io_engine, "f.csv", &t), LE_OK);
    assert_holds("f.csv", "column_0,column_1\n0.100000001,7\n3,8\n");
}

/* Quoted as RFC 4180 has it, and where they would be read as numbers, as nothing or as a comment.
 */
static void names_come_back(void **state) {
    (void)state;
    double values[] = {1, 2, 3, 4, 5, 6, 7};
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){1, 7});
    le_io_write_options o = {
        .struct_size = sizeof o,
        .columns = (const char *const[]){"#1", "say \"x\"", "5", " edge ", "", "\"", "inf"},
        .n_columns = 7};
    assert_int_equal(le_io_write_with(io_engine, "q.csv", &t, &o), LE_OK);
    assert_holds("q.csv", "\"#1\",\"say \"\"x\"\"\",\"5\",\" edge \",\"\",\"\"\"\",\"inf\"\n"
                          "1,2,3,4,5,6,7\n");
    assert_reads("q.csv", "f64[1,7]", values);
    assert_reads("q.csv[#1]", "f64[1]", (double[]){1});
    assert_reads("q.csv[say \"x\"]", "f64[1]", (double[]){2});
    assert_reads("q.csv[ edge ]", "f64[1]", (double[]){4});
    assert_reads("q.csv[\"]", "f64[1]", (double[]){6});
    assert_reads("q.csv[inf]", "f64[1]", (double[]){7});
    io_assert_fails("q.csv[say \"\"x\"\"]", LE_ERR_IO, "no column");
    o.columns = (const char *const[]){"a\nb", "\n\"1,2\"\n", "c\r\n", "#\n#", "e", "f", "g"};
    assert_int_equal(le_io_write_with(io_engine, "q.csv", &t, &o), LE_OK);
    assert_holds("q.csv", "\"a\nb\",\"\n\"\"1,2\"\"\n\",\"c\r\n\",\"#\n#\",e,f,g\n1,2,3,4,5,6,7\n");
    assert_reads("q.csv", "f64[1,7]", values);
    for (int i = 0; i < 7; i++) {
        char place[32];
        snprintf(place, sizeof place, "q.csv[%s]", o.columns[i]);
        assert_reads(place, "f64[1]", &values[i]);
    }
    put("q.csv", "\"a\n b\" , c\r\n1,2\n3,x\n");
    io_assert_fails("q.csv", LE_ERR_IO, "line 4 is not made of numbers");
    put("q.csv", "\"a,b\n1,2\n"); /* nobody has closed it */
    io_assert_fails("q.csv", LE_ERR_IO, "line 2 has 2 fields, expected 1");
    o.columns = (const char *const[]){"1", "2", "3", "4", "5", "6", "7"};
    assert_int_equal(le_io_write_with(io_engine, "q.csv", &t, &o), LE_OK);
    assert_reads("q.csv", "f64[1,7]", values);
}

static void refused(void **state) {
    (void)state;
    double values[8] = {0};
    le_tensor t = le_tensor_of(values, LE_F64, 3, (int64_t[]){2, 2, 2});
    assert_int_equal(le_io_write(io_engine, "bad.csv", &t), LE_ERR_SHAPE);
    t = le_tensor_of(values, LE_C128, 1, (int64_t[]){4});
    assert_int_equal(le_io_write(io_engine, "bad.csv", &t), LE_ERR_DTYPE);
    t = le_tensor_of(values, LE_F64, 2, (int64_t[]){4, 2});
    le_io_write_options o = {
        .struct_size = sizeof o, .columns = (const char *const[]){"a", "b", "c"}, .n_columns = 3};
    assert_int_equal(le_io_write_with(io_engine, "bad.csv", &t, &o), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "3 names of columns for f64[4,2]"));
    o.struct_size = 3;
    assert_int_equal(le_io_write_with(io_engine, "bad.csv", &t, &o), LE_ERR_ARGUMENT);
    assert_int_not_equal(access("bad.csv", F_OK), 0);
}

static void decimal_commas(void **state) {
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        print_message("no locale with decimal commas here\n");
        skip();
    }
    double values[] = {0.5, 1.25};
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){1, 2});
    assert_int_equal(le_io_write(io_engine, "locale.csv", &t), LE_OK);
    assert_holds("locale.csv", "column_0,column_1\n0.5,1.25\n");
    assert_reads("locale.csv", "f64[1,2]", values);
    setlocale(LC_NUMERIC, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),          cmocka_unit_test(mistakes),
        cmocka_unit_test(writing),          cmocka_unit_test(refused),
        cmocka_unit_test(names_come_back),  cmocka_unit_test(decimal_commas),
        cmocka_unit_test(peeks_at_nothing),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
