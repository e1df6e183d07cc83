/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts of errors: one for each thread, of any length, made of an older one.
 */
#include "core/error.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *fail_elsewhere(void *first) {
    strcpy(first, le_error_message());
    le_fail(LE_ERR_DATA, "two");
    return strcmp(le_error_message(), "two") ? NULL : first;
}

static void belong_to_threads(void **state) {
    (void)state;
    char first[16] = "none";
    pthread_t thread;
    void *fine = NULL;
    assert_int_equal(le_fail(LE_ERR_MEMORY, "one %d", 1), LE_ERR_MEMORY);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, first), 0);
    assert_int_equal(pthread_join(thread, &fine), 0);
    assert_ptr_equal(fine, first);
    assert_string_equal(first, "");
    assert_string_equal(le_error_message(), "one 1");
}

static void are_made_of_older_ones(void **state) {
    (void)state;
    le_fail(LE_ERR_DATA, "%0*d", 5000, 7);
    size_t most = strlen(le_error_message());
    assert_in_range(most, 200, 4999);
    le_fail(LE_ERR_DATA, "x");
    le_fail(LE_ERR_DATA, "it said '%s', then '%s'", le_error_message(), le_error_message());
    assert_string_equal(le_error_message(), "it said 'x', then 'x'");
}

/* Of functions that give none. */
static void stand_for_one_failure(void **state) {
    (void)state;
    unsigned before = le__failures();
    le_fail(LE_ERR_DATA, "told");
    assert_int_equal(le__told(before, LE_ERR_DATA, "op", "its check"), LE_ERR_DATA);
    assert_string_equal(le_error_message(), "told");
    before = le__failures();
    assert_int_equal(le__told(before, LE_OK, "op", "its check"), LE_OK);
    assert_int_equal(le__told(before, LE_ERR_DATA, "op", "its check"), LE_ERR_DATA);
    assert_non_null(strstr(le_error_message(), "op: its check failed without a reason"));
    assert_int_equal(le__told(before, (le_status)5, "op", "its check"), LE_ERR_INTERNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(belong_to_threads),
                                       cmocka_unit_test(are_made_of_older_ones),
                                       cmocka_unit_test(stand_for_one_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
