/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the tests of files share: a folder of their own, small files, and an engine with two
 * threads.
 */
#ifndef LE_IO_TEST_H
#define LE_IO_TEST_H

#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char io_folder[] = "/tmp/le-io-XXXXXX";
static le_engine *io_engine;

/* Makes the folder, goes there, and opens the engine. */
static int io_setup(void **state) {
    le_options options;
    (void)state;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.threads = 2;
    return !mkdtemp(io_folder) || chdir(io_folder) != 0 || le_open(&io_engine, &options) != LE_OK;
}

static int io_teardown(void **state) {
    char command[64];
    (void)state;
    le_close(&io_engine);
    snprintf(command, sizeof command, "rm -rf '%s'", io_folder);
    return chdir("/") != 0 || system(command) != 0;
}

static inline void io_put(const char *file, const void *bytes, size_t size) {
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static inline size_t io_get(const char *file, void *bytes, size_t size) {
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

/* The status of reading a place; the tensor must stay untouched on errors. */
static inline le_status io_try(const char *place) {
    le_tensor t = {.ndim = 77};
    le_status status = le_io_read(io_engine, place, NULL, &t);
    if (status == LE_OK)
        le_tensor_free(&t);
    else
        assert_int_equal(t.ndim, 77);
    return status;
}

static inline void io_assert_fails(const char *place, le_status status, const char *words) {
    assert_int_equal(io_try(place), status);
    if (!strstr(le_error_message(), words))
        fail_msg("'%s' does not say '%s'", le_error_message(), words);
}

static inline void io_assert_shape(const le_tensor *t, const char *expected) {
    char text[128];
    le_tensor_describe(t, text, sizeof text);
    assert_string_equal(text, expected);
}

#endif
