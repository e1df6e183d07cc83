/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of an operation by the names of their columns.
 */
#ifndef LE_TOOLS_TABLE_H
#define LE_TOOLS_TABLE_H

#include "liquid_engine/le_method.h"

/* Columns of a table; 0: it is none, or has no names. */
int64_t table_columns(const le_arg_desc *d, const le_tensor *t);
/* The column of that name; -1: there is none. */
int64_t table_column(const le_arg_desc *d, const le_tensor *t, const char *name);
/* Columns `stem`_0, _1 ..., at most LE_MAX_DIMS; how many there are. */
int table_axes(const le_arg_desc *d, const le_tensor *t, const char *stem, int64_t *columns);

#endif
