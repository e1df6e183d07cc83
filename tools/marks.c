/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sources of a catalogue as circles in the image.
 */
#include "marks.h"

#include "table.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>

static const double LEAST_RADIUS = 2.5;

typedef struct places { /* columns */
    int64_t label, centre[LE_MAX_DIMS], start[2], stop[2];
} places;

static le_status find(const le_arg_desc *d, const le_tensor *t, places *p) {
    static const char *const starts[] = {"bbox_0_start", "bbox_1_start"};
    static const char *const stops[] = {"bbox_0_stop", "bbox_1_stop"};
    int axes = table_axes(d, t, "center_of_mass", p->centre);
    p->label = table_column(d, t, "label");
    for (int k = 0; k < 2; k++) {
        p->start[k] = table_column(d, t, starts[k]);
        p->stop[k] = table_column(d, t, stops[k]);
    }
    return axes == 2 ? LE_OK
                     : le_fail(LE_ERR_SHAPE,
                               "%s has columns center_of_mass_0, _1 ... of %d axes; circles need 2",
                               d->name, axes);
}

static double at(const le_tensor *t, int64_t row, int64_t column, double otherwise) {
    return column < 0 ? otherwise : le_tensor_get(t, row * t->shape[1] + column);
}

/* Sources with an infinite pixel, or without a sum, have no centre but a box. */
static mark make(const le_tensor *t, int64_t row, const places *p) {
    const double top = at(t, row, p->start[0], 0), left = at(t, row, p->start[1], 0);
    const double height = at(t, row, p->stop[0], 0) - top, width = at(t, row, p->stop[1], 0) - left;
    double y = at(t, row, p->centre[0], NAN), x = at(t, row, p->centre[1], NAN);
    if (!(isfinite(y) && isfinite(x)) && height > 0 && width > 0) {
        y = top + (height - 1) / 2;
        x = left + (width - 1) / 2;
    }
    return (mark){.row = y,
                  .column = x,
                  .radius = fmax(hypot(height, width) / 2 + 1, LEAST_RADIUS),
                  .label = (int64_t)at(t, row, p->label, (double)row + 1)};
}

le_status marks_of(const le_arg_desc *d, const le_tensor *table, mark **out, size_t *n) {
    places p;
    le_status status = find(d, table, &p);
    if (status != LE_OK)
        return status;
    *n = 0;
    *out = calloc((size_t)table->shape[0] + 1, sizeof **out);
    if (!*out)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < table->shape[0]; i++) {
        mark m = make(table, i, &p);
        if (isfinite(m.row) && isfinite(m.column) && isfinite(m.radius))
            (*out)[(*n)++] = m;
    }
    return LE_OK;
}

le_status marks_write_regions(const char *file, const mark *marks, size_t n) {
    tool_text t = {0};
    tool_add(&t, "# Region file format: DS9 version 4.1\n"
                 "global color=green\n"
                 "image\n");
    for (size_t i = 0; i < n; i++)
        tool_add(&t, "circle(%.3f,%.3f,%.3f) # text={%lld}\n", marks[i].column + 1,
                 marks[i].row + 1, marks[i].radius, (long long)marks[i].label);
    le_status status = t.failed ? le_fail(LE_ERR_MEMORY, "out of memory") : tool_save(file, t.text);
    tool_text_free(&t);
    return status;
}
