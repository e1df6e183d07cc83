/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Allocations of the whole program, counted, of which one can be told to fail. For one file of a
 * test that is linked with --wrap for the five functions.
 */
#ifndef LE_TESTS_FAILING_ALLOCATOR_H
#define LE_TESTS_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

static atomic_long left; /* allocations until the one that fails; 0: none fails */
static atomic_long done; /* allocations so far */

static bool fails(void) {
    atomic_fetch_add(&done, 1);
    return atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size) {
    return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

#endif
