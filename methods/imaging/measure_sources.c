/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation measure_sources: a catalogue of the labels of an image.
 */
#include "imaging/measure_sources.h"

#include "imaging/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const le_arg_desc args[] = {
    [MEASURE_IMAGE] = LE__IM_IMAGE("image", "pixels; one that is not a number makes sums and "
                                            "extrema of its label NaN, an infinite one the sums "
                                            "infinite"),
    [MEASURE_LABELS] = {.name = "labels",
                        .doc = "number of the source that a pixel belongs to; what is below 0 is "
                               "left out",
                        .type = LE_TYPE_IN,
                        .dtypes = LE_DTYPE_BIT(LE_U8) | LE_DTYPE_BIT(LE_I16) |
                                  LE_DTYPE_BIT(LE_U16) | LE_DTYPE_BIT(LE_I32) |
                                  LE_DTYPE_BIT(LE_U32),
                        .min_ndim = 1,
                        .max_ndim = LE__IM_AXES,
                        .shape = "as image"},
    [MEASURE_INDEX] = {.name = "index",
                       .doc = "labels to measure, in the order of rows, or a table of one column "
                              "of them; default: 1 to the largest",
                       .type = LE_TYPE_TABLE,
                       .optional = true,
                       .min_ndim = 0,
                       .max_ndim = 2,
                       .min = 0,
                       .max = 4294967295.0,
                       .shape = "[n] or [n,1]"},
    [MEASURE_COLUMNS] = LE__IM_COLUMNS_ARG,
    [MEASURE_SATURATION] = LE__IM_SATURATION_ARG,
    [MEASURE_CATALOGUE] = LE__IM_CATALOGUE_OUT(false)};

/* --- calls --- */

le__im_index le__im_index_of(const le_call *call, int64_t largest) {
    if (!le_call_given(call, MEASURE_INDEX)) {
        const int64_t room = le_call_out(call, MEASURE_CATALOGUE)->shape[0];
        return (le__im_index){largest, (largest < room ? largest : room) + 1, NULL, NULL};
    }
    const le_tensor *table = le_call_table(call, MEASURE_INDEX);
    le__im_index index = {le_tensor_count(table), 0, table->data, NULL};
    for (int64_t i = 0; i < index.rows; i++)
        if (index.labels[i] >= (double)index.n && index.labels[i] <= (double)largest)
            index.n = (int64_t)index.labels[i] + 1;
    return index;
}

bool le__im_index_is_far(const le_call *call) {
    return le_call_given(call, MEASURE_INDEX) &&
           le__im_index_of(call, UINT32_MAX).n >
               le_tensor_count(le_call_in(call, MEASURE_IMAGE)) + 1;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

le_status le__im_list_index(le_call *call, int64_t most, le__im_index *index) {
    if (!index->labels || index->n <= most)
        return LE_OK;
    const size_t rows = (size_t)index->rows;
    double *listed = le_call_scratch(call, rows * sizeof *listed);
    if (!listed)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for %zu labels", rows);
    memcpy(listed, index->labels, rows * sizeof *listed);
    qsort(listed, rows, sizeof *listed, ascending);
    index->n = 0;
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || listed[i] != listed[index->n - 1])
            listed[index->n++] = listed[i];
    index->listed = listed;
    return LE_OK;
}

int64_t le__im_place_of(const le__im_index *index, double label) {
    int64_t low = 0, high = index->n;
    if (!index->listed)
        return label < (double)index->n ? (int64_t)label : -1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (index->listed[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->n && index->listed[low] == label ? low : -1;
}

bool le__im_measures_background(const le__im_index *index) {
    for (int64_t i = 0; index->labels && i < index->rows; i++)
        if (index->labels[i] == 0)
            return true;
    return false;
}

le_status le__im_for_rows(le_call *call, size_t rows, le_range_fn fn, void *context) {
    enum { FEW = 2048 }; /* that are made before threads are awake */
    if (rows > FEW)
        return le_parallel_for(call, rows, fn, context);
    fn(context, 0, rows, 0);
    return LE_OK;
}

void le__im_count_rows(le_call *call, const le__im_index *index) {
    if (index->labels)
        le_call_set_count(call, MEASURE_CATALOGUE, index->rows);
    else
        le_call_set_count_by(call, MEASURE_CATALOGUE, index->rows,
                             "it has a row for each label up to the largest in 'labels'; expected "
                             "labels without wide gaps, or those to measure as 'index'");
}

typedef struct filling {
    const le__im_index *index;
    const le__im_sums *sums;
    le__im_table table;
    const le_tensor *catalogue;
} filling;

static void put_rows(void *context, size_t begin, size_t end, int worker) {
    static const le__im_sums none = {0};
    const filling *f = context;
    const le__im_index *index = f->index;
    double *out = f->catalogue->data;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const double label = index->labels ? index->labels[i] : (double)(i + 1);
        const int64_t place = le__im_place_of(index, label);
        le__im_catalogue_row(place < 0 ? &none : &f->sums[place], &f->table, label,
                             out + (int64_t)i * f->catalogue->shape[1]);
    }
}

le_status le__im_put_catalogue(le_call *call, const le__im_index *index, const le__im_sums *sums) {
    filling f = {.index = index,
                 .sums = sums,
                 .table = le__im_table_of(call, MEASURE_IMAGE, MEASURE_COLUMNS, MEASURE_SATURATION),
                 .catalogue = le_call_out(call, MEASURE_CATALOGUE)};
    const int64_t room = f.catalogue->shape[0];
    const size_t rows = (size_t)(index->rows < room ? index->rows : room);
    le_status status = le__im_for_rows(call, rows, put_rows, &f);
    le__im_count_rows(call, index);
    return status;
}

static le_status check_index(const le_call *call) {
    const le_tensor *table = le_call_table(call, MEASURE_INDEX);
    const double *labels = table->data;
    if (table && table->ndim == 2 && table->shape[1] != 1)
        return le_fail(LE_ERR_SHAPE,
                       "measure_sources: index has %lld columns, expected one, as of "
                       "FILE.fits[HDU][COLUMN] or FILE.csv[COLUMN]",
                       (long long)table->shape[1]);
    for (int64_t i = 0; le_call_given(call, MEASURE_INDEX) && i < le_tensor_count(table); i++)
        if (labels[i] != floor(labels[i]))
            return le_fail(LE_ERR_ARGUMENT,
                           "measure_sources: index[%d] is %.11g, expected a whole number", (int)i,
                           labels[i]);
    return LE_OK;
}

static le_status check(le_call *call) {
    enum { ROOM = 1024 };
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE),
                    *labels = le_call_in(call, MEASURE_LABELS);
    bool same = labels->ndim == image->ndim;
    for (int d = 0; same && d < image->ndim; d++)
        same = labels->shape[d] == image->shape[d];
    if (!same)
        return le_fail(LE_ERR_SHAPE, "measure_sources: labels have another shape than image");
    le_status status = check_index(call);
    if (status != LE_OK)
        return status;
    const int64_t rows = le_call_given(call, MEASURE_INDEX)
                             ? le_tensor_count(le_call_table(call, MEASURE_INDEX))
                             : ROOM;
    const le__im_table table =
        le__im_table_of(call, MEASURE_IMAGE, MEASURE_COLUMNS, MEASURE_SATURATION);
    return le__im_check_catalogue(call, "measure_sources", MEASURE_CATALOGUE, rows, &table);
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE),
                    *labels = le_call_in(call, MEASURE_LABELS);
    const double n = (double)le_tensor_count(image);
    *out = (le_work){3 * n + 1,
                     n * (double)(le_dtype_size(image->dtype) + le_dtype_size(labels->dtype))};
}

/* There are implementations that do not take such calls. */
static void key(const le_call *call, char *buffer, size_t size) {
    snprintf(buffer, size, "%s", le__im_index_is_far(call) ? "far index" : "");
}

static double compare(const le_call *answer, const le_call *trusted) {
    return le__im_compare_catalogues(le_call_out(answer, MEASURE_CATALOGUE),
                                     le_call_out(trusted, MEASURE_CATALOGUE),
                                     le_call_in(trusted, MEASURE_IMAGE)->ndim);
}

/* --- cases --- */

static void put_index(le_case *c, int64_t i, int ndim) {
    static const double some[] = {3, 1, 0, 2, 3, 70000};
    if (i % 3 == 1)
        le_case_table(c, "index", 1, (int64_t[]){1 + i % 6}, some);
    if (i % 4 == 1 && ndim == 2) {
        le_case_str(c, "columns", "extended");
        le_case_f64(c, "saturation", 0.3);
    }
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const le_dtype dtypes[] = {LE_I32, LE_I32, LE_U16, LE_U32, LE_I16, LE_U8};
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    const le_tensor *image = le__im_scene(c, r, MEASURE_IMAGE);
    if (!image)
        return le_case_status(c);
    le__im_numbered(c, r, MEASURE_LABELS, image,
                    r->like ? le_call_in(r->like, MEASURE_LABELS)->dtype : dtypes[i % 6]);
    if (r->like)
        le_case_like(c, r->like);
    else if (r->kind == LE_CASE_CHECK)
        put_index(c, r->index, image->ndim);
    le_case_out(c, "catalogue", LE_F64);
    return le_case_status(c);
}

extern const le_operation le_operation_measure_sources;
const le_operation le_operation_measure_sources = {
    .abi = LE_METHOD_ABI,
    .name = "measure_sources",
    .family = "imaging",
    .summary = "catalogue of the labels of an image: sums, extrema, places",
    .reference = "scipy.ndimage.sum_labels, center_of_mass, extrema, find_objects",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .key = key,
    .atol = 1e-12,
    .make_case = make_case,
    .compare = compare};
