/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of the formats that have names of columns.
 */
#ifndef LE_IO_TABLE_H
#define LE_IO_TABLE_H

#include "files/io.h"

#include <stdio.h>

enum { LE__IO_NUMBER = 40 };

/* Of the numbers of a table that is read: f32 where the caller takes no f64. */
le_dtype le__io_table_dtype(uint32_t taken);

/* Element i as text that reads back as the same number, in the C locale; "nan", "inf", "-inf". */
void le__io_print_number(const le_tensor *t, int64_t i, char out[LE__IO_NUMBER]);
/* The name that the caller gave column i, else one made of its number. */
const char *le__io_column_name(const le__io_request *r, int64_t i, char made[LE__IO_NUMBER]);
/* Whether a column of this name holds degrees: longitudes and latitudes on the sky. */
bool le__io_is_degrees(const char *name);

/* A tensor [n] or [n, columns] of real numbers, whose data lie row by row, as [n, columns]; others
 * are errors that name the format. */
le_status le__io_table(const le__io_request *r, const le_tensor *t, const void *data,
                       const char *format, le_tensor *out);

/* Makes a file of what fn prints. */
typedef void (*le__io_text_fn)(FILE *f, const le__io_request *r, const le_tensor *table);
le_status le__io_put_text(const le__io_request *r, const le_tensor *table, le__io_text_fn fn);

#endif
