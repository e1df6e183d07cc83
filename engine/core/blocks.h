/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory for tensors. A few blocks that were freed are kept for the next ones of their size: pages
 * that the system has to give anew cost as much as a fast computation that fills them, and whether
 * the C library asks for them anew differs from process to process.
 */
#ifndef LE_ENGINE_BLOCKS_H
#define LE_ENGINE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* 64-byte aligned, contents unspecified or zero; NULL when out of memory. Any thread; no locks, so
 * that the child of a fork can go on. */
void *le__block_new(size_t bytes, bool zero);
void le__block_free(void *block); /* NULL: nothing */
/* Frees what is kept. */
void le__blocks_trim(void);

#endif
