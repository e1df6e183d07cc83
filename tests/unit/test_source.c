/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tells versions of implementations apart that are registered at run time.
 */
#include "call/source.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void a_range(void *context, size_t begin, size_t end, int worker) {
    (void)context;
    (void)begin;
    (void)end;
    (void)worker;
}

static le_status a_run(le_call *call) {
    return call ? LE_OK : LE_ERR_ARGUMENT;
}

static le_implementation in_library(const char *path, const char *function) {
    le_implementation impl = {.name = "elsewhere"};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *f = dlsym(library, function);
    assert_non_null(f);
    memcpy(&impl.run, &f, sizeof f);
    return impl;
}

static void a_stated_source(void **state) {
    char one[LE__SOURCE_HASH], same[LE__SOURCE_HASH], other[LE__SOURCE_HASH];
    (void)state;
    le__source_hash(&(le_implementation){.range = a_range, .source = "1.0"}, one);
    le__source_hash(&(le_implementation){.run = a_run, .source = "1.0"}, same);
    le__source_hash(&(le_implementation){.range = a_range, .source = "1.1"}, other);
    assert_string_equal(one, same);
    assert_string_not_equal(one, other);
    assert_int_equal(one[0], 's');
}

static void the_file_it_is_in(void **state) {
    char range[LE__SOURCE_HASH], run[LE__SOURCE_HASH], other[LE__SOURCE_HASH];
    (void)state;
    le__source_hash(&(le_implementation){.range = a_range}, range);
    le__source_hash(&(le_implementation){.run = a_run}, run);
    le_implementation elsewhere = in_library("libm.so.6", "cos");
    le__source_hash(&elsewhere, other);
    assert_true(strlen(range) == 17 && strlen(other) == 17);
    assert_string_equal(range, run);
    assert_string_not_equal(range, other);
}

static void copy(const char *from, const char *to) {
    char buffer[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    fclose(out);
}

/* With a build ID the same contents are the same version, wherever and whenever they were put
 * there; without one a new file is a new version. */
static void a_library_that_is_installed_anew(void **state) {
    static const char *const variables[] = {"LE_TEST_WITH_ID", "LE_TEST_WITHOUT_ID"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char path[64], first[LE__SOURCE_HASH], touched[LE__SOURCE_HASH];
        const struct timespec times[2] = {{1000000, 0}, {1000000, 0}};
        snprintf(path, sizeof path, "/tmp/le_test_source_%d_%d.so", (int)getpid(), k);
        assert_non_null(getenv(variables[k]));
        copy(getenv(variables[k]), path);
        le_implementation impl = in_library(path, "le_test_run");
        le__source_hash(&impl, first);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        le__source_hash(&impl, touched);
        assert_int_equal(first[0], "bf"[k]);
        assert_int_equal(!strcmp(first, touched), k == 0);
        unlink(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stated_source),
                                       cmocka_unit_test(the_file_it_is_in),
                                       cmocka_unit_test(a_library_that_is_installed_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
