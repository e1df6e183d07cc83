/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Charts: escaping, crossings against computed ones, ticks, numbers as people read them.
 */
#include "engine/report/again.h"
#include "escape.h"
#include "engine/report/svg.h"
#include "svg_plot.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *escaped(const char *text) {
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    assert_non_null(f);
    le__escape(f, text);
    fclose(f);
    return out;
}

static void escapes(void **state) {
    (void)state;
    char *out = escaped("a<b & \"c\" > 'd'");
    assert_string_equal(out, "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
    free(out);
}

/* What XML has no character for is U+FFFD: bytes that are no UTF-8, surrogates, control characters,
 * U+FFFE. A character that was cut off is left out. */
static void only_characters(void **state) {
    static const struct {
        const char *text, *written;
    } cases[] = {{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
                 {"l\xe9.raw", "l\xef\xbf\xbd.raw"},
                 {"a\x01\x1f\tb\nc\rd", "a\xef\xbf\xbd\xef\xbf\xbd\tb\nc\rd"},
                 {"\xed\xa0\x80!", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!"},
                 {"\xc0\xaf<", "\xef\xbf\xbd\xef\xbf\xbd&lt;"},
                 {"\xef\xbf\xbe\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"cut \xc3", "cut "},
                 {"cut \xf0\x9f\x98", "cut "},
                 {"not cut \x98", "not cut \xef\xbf\xbd"},
                 {"not cut \xe2\x82(", "not cut \xef\xbf\xbd\xef\xbf\xbd("}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = escaped(cases[i].text);
        assert_string_equal(out, cases[i].written);
        free(out);
    }
}

/* y = 4x and y = x^2 meet at 4: straight lines on logarithmic axes, so interpolation is exact. */
static void crosses_where_powers_do(void **state) {
    (void)state;
    svg_point a[3], b[3];
    const double at[] = {1, 10, 100};
    for (int i = 0; i < 3; i++) {
        a[i] = (svg_point){at[i], 4 * at[i], NAN, NAN};
        b[i] = (svg_point){at[i], at[i] * at[i], NAN, NAN};
    }
    svg_series s = {.label = "a", .points = a, .n = 3}, t = {.label = "b", .points = b, .n = 3};
    double x[4];
    assert_int_equal(le__svg_crossings(&s, &t, x, 4), 1);
    assert_true(fabs(x[0] - 4) < 1e-12);
    t.n = 1; /* no common range */
    assert_int_equal(le__svg_crossings(&s, &t, x, 4), 0);
}

static const char *format(double v, char *out) {
    return le__seconds_text(v, out);
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

static char *bars(const svg_bar *list, size_t n, double limit) {
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    assert_non_null(f);
    svg_bars chart = {.title = "t", .axis = "x", .format = format, .limit = limit};
    le__svg_write_bars(f, &chart, list, n);
    fclose(f);
    return out;
}

/* Bars from zero while they compare; dots on a logarithmic axis over a wide range; a row without a
 * number stays. No not-a-number reaches the picture. */
static void draws_bars_or_dots(void **state) {
    (void)state;
    svg_bar near[] = {{.label = "a", .value = 1e-3, .low = 9e-4, .high = 1.1e-3},
                      {.label = "b", .value = 5e-3, .low = NAN, .high = NAN},
                      {.label = "none", .value = NAN, .low = NAN, .high = NAN}};
    char *out = bars(near, 3, NAN);
    assert_int_equal(count(out, "<rect"), 2);
    assert_int_equal(count(out, "<circle"), 0);
    assert_int_equal(count(out, "nan"), 0);
    assert_non_null(strstr(out, ">none<"));
    free(out);
    near[1].value = 5;
    out = bars(near, 3, 1);
    assert_int_equal(count(out, "<circle"), 2);
    assert_int_equal(count(out, "<rect"), 0);
    assert_int_equal(count(out, "class=\"limit\""), 1);
    free(out);
    out = bars(near, 0, NAN);
    assert_int_equal(count(out, "nan") + count(out, "inf"), 0);
    free(out);
}

static char *curve(const double *values, int64_t n) {
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    assert_non_null(f);
    double at[4] = {0, 1, 2, 3};
    const le_tensor x = le_tensor_of(at, LE_F64, 1, &n),
                    y = le_tensor_of((void *)(uintptr_t)values, LE_F64, 1, &n);
    const svg_plot plot = {
        .title = "t", .x_label = "x", .y_label = "y", .value_label = "v", .x = &x, .values = &y};
    assert_int_equal(svg_write_curve(f, &plot), LE_OK);
    fclose(f);
    return out;
}

/* Of flat curves, of such that roundings bend, and of the ends of what a double holds. */
static void draws_few_ticks(void **state) {
    (void)state;
    const double values[][4] = {
        {3.5, 3.5, 3.5, 3.5},
        {1, 1 + DBL_EPSILON, 1, 1},
        {-7e5, -7e5 * (1 + 1e-15), -7e5, -7e5},
        {0, 0, 0, 0},
        {DBL_MAX, 1e300, 1e305, 1e303},
        {-DBL_MAX, DBL_MAX, 0, 1},
        {5e-324, 5e-324, 5e-324, 5e-324},
        {5e-324, 1e-320, 1e-318, 0},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *out = curve(values[i], 4);
        if (count(out, "class=\"grid\"") > 20)
            fail_msg("curve %zu: %d ticks", i, count(out, "class=\"grid\""));
        free(out);
    }
    char *out = curve((double[]){0, 1, 2, 3}, 4), *wide = curve((double[]){1, 10, 100, 1000}, 4);
    assert_int_equal(count(out, "class=\"grid\""), 7 + 7);  /* 0, 0.5 ... 3 */
    assert_int_equal(count(wide, "class=\"grid\""), 7 + 4); /* 1, 10, 100, 1000 */
    free(out);
    free(wide);
}

static void writes_numbers(void **state) {
    (void)state;
    char t[LE__TEXT];
    assert_string_equal(le__seconds_text(12.34e-3, t), "12.3 ms");
    assert_string_equal(le__seconds_text(999.6e-6, t), "1.00 ms");
    assert_string_equal(le__seconds_text(0.9996, t), "1.00 s");
    assert_string_equal(le__seconds_text(123.4, t), "123 s");
    assert_string_equal(le__seconds_text(NAN, t), "-");
    assert_string_equal(le__bytes_text(1536, t), "1.50 KiB");
    assert_string_equal(le__bytes_text(0, t), "-");
    assert_string_equal(le__age_text(7200, t), "2 h");
    assert_string_equal(le__ratio_text(231.4, t), "231x");
    assert_string_equal(le__error_text(2.34e-6, t), "2.3e-06");
}

static void quotes_for_the_shell(void **state) {
    (void)state;
    const le_db_known_problem problem = {.operation = "blur;ls", .key = "it's [1]"};
    const report_problem p = {.known = &problem};
    const report_candidate c = {.text = "plain@cpu"};
    char *command = le__again_command(&p, &c);
    assert_string_equal(command, "le-bench --time plain@cpu --problem 'it'\\''s [1]' 'blur;ls'");
    free(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(escapes),
                                       cmocka_unit_test(only_characters),
                                       cmocka_unit_test(crosses_where_powers_do),
                                       cmocka_unit_test(draws_bars_or_dots),
                                       cmocka_unit_test(draws_few_ticks),
                                       cmocka_unit_test(writes_numbers),
                                       cmocka_unit_test(quotes_for_the_shell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
