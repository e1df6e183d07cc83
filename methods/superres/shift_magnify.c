/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation shift_magnify: an image shifted and magnified by one of four interpolators.
 */
#include "shift_magnify.h"

#include "sr_operation.h"

static const le_arg_desc args[] = {
    [MAGNIFY_IMAGE] = LE__SR_FRAMES_IN,
    [MAGNIFY_SHIFT_ROW] = LE__SR_SHIFT_ARG("shift_row", "input pixels"),
    [MAGNIFY_SHIFT_COL] = LE__SR_SHIFT_ARG("shift_col", "input pixels"),
    [MAGNIFY_MAGNIFICATION_ROW] =
        LE__SR_REAL("magnification_row", "output rows an input row", 0.01, 100, 1, true),
    [MAGNIFY_MAGNIFICATION_COL] =
        LE__SR_REAL("magnification_col", "output columns an input column", 0.01, 100, 1, true),
    [MAGNIFY_INTERPOLATOR] = LE__SR_INTERPOLATOR_ARG,
    [MAGNIFY_RESULT] =
        LE__SR_STACK_OUT("result",
                         "value at (i/magnification_row - shift_row, j/magnification_col - "
                         "shift_col), 0 outside the image; sizes in f32, as NanoPyx has them",
                         "[T,floor(H*magnification_row),floor(W*magnification_col)]"),
};

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, MAGNIFY_IMAGE);
    le_status status = le__sr_check_image(image, "shift_magnify", "image");
    if (status != LE_OK)
        return status;
    int64_t shape[3];
    for (int d = 0; d < image->ndim; d++) {
        float m = 1;
        if (d == image->ndim - 2)
            m = (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_ROW);
        else if (d == image->ndim - 1)
            m = (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_COL);
        const float size = (float)image->shape[d] * m;
        shape[d] = m == 1 ? image->shape[d] : (int64_t)size;
        if (shape[d] < 1)
            return le_fail(LE_ERR_SHAPE,
                           "shift_magnify: %lld elements along axis %d magnified by %g "
                           "leave nothing; at least 1 is expected",
                           (long long)image->shape[d], d, (double)m);
    }
    return le_call_set_out(call, MAGNIFY_RESULT, LE_F32, image->ndim, shape);
}

static void work(const le_call *call, le_work *out) {
    static const double taps[] = {4, 4, 5, 1};
    const le_tensor *image = le_call_in(call, MAGNIFY_IMAGE);
    const double n = (double)le_tensor_count(le_call_out(call, MAGNIFY_RESULT));
    const double t = taps[le__sr_kind_of(le_call_str(call, MAGNIFY_INTERPOLATOR))];
    out->operations = n * (4 * t + 2);
    out->bytes = 4 * n + (double)le_tensor_count(image) * (double)le_dtype_size(image->dtype);
}

/* ---------------------------------------------------------------------------------- tables --- */

static void make_columns(le__magnify *m, const le__sr_axis *a) {
    for (int64_t x = 0; x < m->padded; x++) {
        const bool used = x < a->n_out && a->hi[x] > a->lo[x];
        m->index[x] = (used ? a->first[x] : -LE__SR_TAPS) + LE__MAGNIFY_PAD;
        for (int k = 0; k < m->taps; k++)
            m->weight[k * m->padded + x] = used ? (float)a->weight[LE__SR_TAPS * x + k] : 0;
    }
    for (int64_t b = 0; b < m->padded / LE__MAGNIFY_BLOCK; b++) {
        const int32_t *index = m->index + b * LE__MAGNIFY_BLOCK;
        m->low[b] = m->high[b] = index[0];
        for (int k = 1; k < LE__MAGNIFY_BLOCK; k++) {
            m->low[b] = index[k] < m->low[b] ? index[k] : m->low[b];
            m->high[b] = index[k] > m->high[b] ? index[k] : m->high[b];
        }
    }
}

static le_status allocate(le_call *call, le__magnify *m) {
    const size_t n = (size_t)m->padded, blocks = n / LE__MAGNIFY_BLOCK;
    m->index = le_call_scratch(call, (n + 2 * blocks) * sizeof *m->index);
    m->weight = le_call_scratch(call, (size_t)m->taps * n * sizeof *m->weight);
    if (!m->index || !m->weight)
        return le_fail(LE_ERR_MEMORY, "shift_magnify: no memory for the tables of weights");
    m->low = m->index + n;
    m->high = m->low + blocks;
    m->spare_floats = 2 * m->in.cols + 2 * LE__MAGNIFY_PAD + m->padded;
    return le__sr_spare(call, m->spare_floats, &m->spare);
}

le_status le__magnify_prepare(le_call *call, void **context) {
    le__magnify *m = le_call_scratch(call, sizeof *m);
    if (!m)
        return le_fail(LE_ERR_MEMORY, "shift_magnify: out of memory");
    *context = m;
    const le__sr_kind kind = le__sr_kind_of(le_call_str(call, MAGNIFY_INTERPOLATOR));
    *m = (le__magnify){.in = le__sr_stack_of(le_call_in(call, MAGNIFY_IMAGE)),
                       .out = le__sr_stack_of(le_call_out(call, MAGNIFY_RESULT)),
                       .taps = le__sr_taps(kind)};
    m->padded = (m->out.cols + LE__MAGNIFY_LONGEST - 1) / LE__MAGNIFY_LONGEST * LE__MAGNIFY_LONGEST;
    le__sr_axis cols;
    le_status status = allocate(call, m);
    if (status == LE_OK)
        status = le__sr_axis_make(call, kind, m->in.rows, m->out.rows,
                                  (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_ROW),
                                  (float)le_call_f64(call, MAGNIFY_SHIFT_ROW), &m->rows);
    if (status == LE_OK)
        status = le__sr_axis_make(call, kind, m->in.cols, m->out.cols,
                                  (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_COL),
                                  (float)le_call_f64(call, MAGNIFY_SHIFT_COL), &cols);
    if (status == LE_OK)
        make_columns(m, &cols);
    return status;
}

size_t le__magnify_items(const le_call *call) {
    const le__sr_stack out = le__sr_stack_of(le_call_out(call, MAGNIFY_RESULT));
    return (size_t)(out.frames * out.rows);
}

int64_t le__magnify_memory(const le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, MAGNIFY_IMAGE));
    const le__sr_stack out = le__sr_stack_of(le_call_out(call, MAGNIFY_RESULT));
    return (out.rows + out.cols) * (12 + 8 * LE__SR_TAPS) + out.cols * 24 +
           16 * 4 * (out.cols + 2 * in.cols + 128) + 4096;
}

/* ----------------------------------------------------------------------------------- cases --- */

typedef struct shape_case {
    int64_t t, h, w;
    double shift_row, shift_col, magnification_row, magnification_col;
} shape_case;

static const shape_case edges[] = {
    {1, 1, 1, 0, 0, 5, 5},        {2, 1, 17, 0.3, -0.7, 4, 2},       {0, 13, 1, 0, 0, 3, 1},
    {1, 2, 3, 1, 1, 1, 1},        {2, 16, 20, 0.25, 0.75, 1.3, 3.7}, {1, 21, 18, -30, 4, 2, 2},
    {1, 30, 70, 0, 0, 0.5, 0.25}, {0, 17, 41, 0.1, 0.2, 10, 7},      {1, 9, 33, 2.5, -3.5, 1.25, 6},
};

static void put(le_case *c, const shape_case *s, const char *interpolator) {
    le_case_f64(c, "shift_row", s->shift_row);
    le_case_f64(c, "shift_col", s->shift_col);
    le_case_f64(c, "magnification_row", s->magnification_row);
    le_case_f64(c, "magnification_col", s->magnification_col);
    le_case_str(c, "interpolator", interpolator);
}

static shape_case shape_of(le_case *c, const le_case_request *r) {
    const int64_t n = sizeof edges / sizeof edges[0];
    shape_case s = {2, 24, 30, 0.3, -0.6, 5, 5};
    if (r->kind == LE_CASE_CHECK && r->index / 4 < n)
        return edges[r->index / 4];
    if (r->kind == LE_CASE_CHECK) {
        s.h = 1 + (int64_t)(le_case_random(c) % 40);
        s.w = 1 + (int64_t)(le_case_random(c) % 60);
        s.magnification_row = 1 + 3 * le_case_uniform(c);
        s.magnification_col = 1 + 3 * le_case_uniform(c);
    }
    if (r->kind == LE_CASE_BENCH)
        s = (shape_case){1, r->size > 0 ? r->size : 200, r->size > 0 ? r->size : 200, 0, 0, 5, 5};
    return s;
}

static le_status make_case(le_case *c, const le_case_request *r) {
    shape_case s = shape_of(c, r);
    const bool like = r->kind == LE_CASE_TRIAL && r->like;
    if (like) {
        /* at least a few outputs each way */
        s.h += (int64_t)(4 / le_call_f64(r->like, MAGNIFY_MAGNIFICATION_ROW));
        s.w += (int64_t)(4 / le_call_f64(r->like, MAGNIFY_MAGNIFICATION_COL));
    }
    le__sr_case_image(c, r, (int64_t[]){s.t, s.h, s.w}, 5);
    if (like)
        le_case_like(c, r->like);
    else
        put(c, &s, le__sr_interpolators[r->kind == LE_CASE_CHECK ? r->index % 4 : 0]);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {MAGNIFY_IMAGE, MAGNIFY_RESULT};
    return le__sr_slabs(le_call_in(call, MAGNIFY_IMAGE), cut, 2, out);
}

extern const le_operation le_operation_shift_magnify;
const le_operation le_operation_shift_magnify = {
    LE__SR_OPERATION("shift_magnify", "an image shifted and magnified",
                     "NanoPyx ShiftAndMagnify: Saraiva et al., Nature Methods 2025"),
    .part = le__sr_part_frame,
};
