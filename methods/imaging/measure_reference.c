/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources, reference: each row by itself, in two passes over the image.
 */
#include "imaging/measure_members.h"

#include <math.h>

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE),
                    *labels = le_call_in(call, MEASURE_LABELS);
    const int64_t pixels = le_tensor_count(image);
    double largest = 0;
    for (int64_t i = 0; i < pixels; i++)
        largest = fmax(largest, le_tensor_get(labels, i));
    le__im_index index = le__im_index_of(call, (int64_t)largest);
    le_status status = le__im_list_index(call, pixels + index.rows, &index);
    if (status != LE_OK)
        return status;
    int64_t *order = le_call_scratch(call, (size_t)(pixels + index.n + 2) * sizeof *order);
    if (!order)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the order of pixels");
    const le__im_members members = le__im_members_of(labels, &index, order);
    const le__im_table table =
        le__im_table_of(call, MEASURE_IMAGE, MEASURE_COLUMNS, MEASURE_SATURATION);
    const le_tensor *catalogue = le_call_out(call, MEASURE_CATALOGUE);
    for (int64_t i = 0; i < index.rows && i < catalogue->shape[0]; i++) {
        const double label = index.labels ? index.labels[i] : (double)(i + 1);
        le__im_measure_reference(image, &table, &members, label,
                                 (double *)catalogue->data + i * catalogue->shape[1]);
    }
    le__im_count_rows(call, &index);
    return LE_OK;
}

/* The order of pixels, by places of which there are no more than labels in an index and pixels. */
static int64_t memory(const le_call *call) {
    const int64_t pixels = le_tensor_count(le_call_in(call, MEASURE_IMAGE)),
                  rows = le_call_out(call, MEASURE_CATALOGUE)->shape[0];
    return (2 * pixels + 2 * rows + 2) * (int64_t)sizeof(int64_t);
}

LE_IMPLEMENTATION(measure_sources, reference, .run_type = "reference",
                  .summary = "label by label, sums in twice the digits",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.1,
                  .memory = memory, .run = run);
