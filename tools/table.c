/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables of an operation by the names of their columns.
 */
#include "table.h"

#include <stdio.h>
#include <string.h>

int64_t table_columns(const le_arg_desc *d, const le_tensor *t) {
    return d->type == LE_TYPE_OUT && d->column && t->ndim == 2 ? t->shape[1] : 0;
}

int64_t table_column(const le_arg_desc *d, const le_tensor *t, const char *name) {
    int64_t n = table_columns(d, t);
    for (int64_t i = 0; i < n; i++) {
        const char *have = d->column(n, i);
        if (have && !strcmp(have, name))
            return i;
    }
    return -1;
}

int table_axes(const le_arg_desc *d, const le_tensor *t, const char *stem, int64_t *columns) {
    int n = 0;
    for (; n < LE_MAX_DIMS; n++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%d", stem, n);
        columns[n] = table_column(d, t, name);
        if (columns[n] < 0)
            break;
    }
    return n;
}
