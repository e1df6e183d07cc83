/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation temporal_projection: mean, variance or autocorrelation over the frames of a time
 * point.
 */
#include "temporal_projection.h"

#include "sr_operation.h"

static const char *const words[] = {"avg", "var", "tac2", NULL};

static const le_arg_desc args[] = {
    [PROJECTION_IMAGE] = LE__SR_FRAMES_IN,
    [PROJECTION_TEMPORAL] = LE__SR_WORD(
        "temporal", "mean, population variance, or autocorrelation at lag 1 (NaN for one frame)",
        words, "avg"),
    [PROJECTION_FRAMES_PER_TIMEPOINT] = LE__SR_TIMEPOINT_ARG,
    [PROJECTION_RESULT] = LE__SR_STACK_OUT("result", "one image a time point", "[N,H,W] or [H,W]"),
};

le__projection le__projection_of(const le_call *call) {
    le__projection p = {.in = le__sr_stack_of(le_call_in(call, PROJECTION_IMAGE)),
                        .out = le__sr_stack_of(le_call_out(call, PROJECTION_RESULT))};
    p.temporal = le__sr_temporal_of(le_call_str(call, PROJECTION_TEMPORAL));
    p.per_timepoint =
        le__sr_timepoint_frames(p.in.frames, le_call_i64(call, PROJECTION_FRAMES_PER_TIMEPOINT));
    return p;
}

int64_t le__projection_spare(const le__projection *p) {
    return 8 * ((p->in.cols + 15) / 16 * 16);
}

int64_t le__projection_frames(const le__projection *p, int64_t point) {
    const int64_t left = p->in.frames - point * p->per_timepoint;
    return left < p->per_timepoint ? left : p->per_timepoint;
}

le_status le__projection_prepare(le_call *call, void **context) {
    le__projection *p = le_call_scratch(call, sizeof *p);
    if (!p)
        return le_fail(LE_ERR_MEMORY, "temporal_projection: out of memory");
    *p = le__projection_of(call);
    *context = p;
    return le__sr_spare(call, le__projection_spare(p), &p->spare);
}

size_t le__projection_items(const le_call *call) {
    const le__sr_stack out = le__sr_stack_of(le_call_out(call, PROJECTION_RESULT));
    return (size_t)(out.frames * out.rows);
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, PROJECTION_IMAGE);
    le_status status = le__sr_check_image(image, "temporal_projection", "image");
    if (status != LE_OK)
        return status;
    if (image->ndim == 2)
        return le_call_set_out(call, PROJECTION_RESULT, LE_F32, 2, image->shape);
    const int64_t per = le_call_i64(call, PROJECTION_FRAMES_PER_TIMEPOINT);
    const int64_t shape[3] = {le__sr_timepoints(image->shape[0], per), image->shape[1],
                              image->shape[2]};
    return le_call_set_out(call, PROJECTION_RESULT, LE_F32, 3, shape);
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, PROJECTION_IMAGE);
    const double n = (double)le_tensor_count(image);
    out->operations = 3 * n;
    out->bytes = n * (double)le_dtype_size(image->dtype) +
                 4 * (double)le_tensor_count(le_call_out(call, PROJECTION_RESULT));
}

/* Time point by time point; a mean over all frames is the mean of those of slabs. */
static bool slabs(const le_call *call, le_slabs *out) {
    const le_tensor *image = le_call_in(call, PROJECTION_IMAGE);
    const int64_t per = le_call_i64(call, PROJECTION_FRAMES_PER_TIMEPOINT);
    out->why = "it is a single image";
    if (image->ndim != 3 || image->shape[0] < 2)
        return false;
    out->items = image->shape[0];
    out->args[PROJECTION_IMAGE].axis = 1;
    if (per > 0 && per < image->shape[0]) {
        out->multiple = per;
        out->args[PROJECTION_RESULT].axis = 1;
        out->args[PROJECTION_RESULT].divide = (int32_t)per;
        return true;
    }
    out->args[PROJECTION_RESULT].merge = LE_MERGE_MEAN;
    out->why = "all frames become one, and not as a mean";
    return le__sr_temporal_of(le_call_str(call, PROJECTION_TEMPORAL)) == LE__SR_AVG;
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const int64_t edges[][4] = {{1, 1, 1, 0},  {2, 1, 17, 0}, {3, 13, 1, 2}, {1, 9, 70, 0},
                                       {7, 5, 20, 3}, {9, 4, 33, 4}, {8, 6, 18, 1}, {5, 7, 9, 100}};
    int64_t s[4] = {8, 20, 47, 0};
    if (r->kind == LE_CASE_CHECK)
        for (int d = 0; d < 4; d++)
            s[d] = r->index < 8 ? edges[r->index][d] : 1 + (int64_t)(le_case_random(c) % 30);
    if (r->kind == LE_CASE_BENCH)
        s[0] = 50, s[1] = s[2] = r->size > 0 ? r->size : 512;
    const bool flat = r->kind == LE_CASE_CHECK && r->index % 7 == 3;
    le__sr_case_image(c, r, (int64_t[]){flat ? 0 : s[0], s[1], s[2]}, 4);
    if (r->kind == LE_CASE_TRIAL && r->like) {
        le_case_like(c, r->like);
    } else {
        le_case_str(c, "temporal", words[r->kind == LE_CASE_CHECK ? r->index % 3 : 0]);
        le_case_i64(c, "frames_per_timepoint", s[3]);
    }
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

/* One time point of several. */
static le_status part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    const le__projection p = le__projection_of(call);
    *first = le__sr_pick_frame(le_call_out(call, PROJECTION_RESULT), random);
    if (*first < 0)
        return LE_ERR_UNSUPPORTED;
    le__sr_case_frames(out, "image", le_call_in(call, PROJECTION_IMAGE), *first * p.per_timepoint,
                       le__projection_frames(&p, *first));
    le_case_like(out, call);
    return le_case_status(out);
}

static bool tiles(const le_call *call, le_slabs *out) {
    static const int cut[] = {PROJECTION_IMAGE, PROJECTION_RESULT};
    return le_call_in(call, PROJECTION_IMAGE)->ndim == 3 && le__sr_tiles(call, cut, 2, 0, out);
}

extern const le_operation le_operation_temporal_projection;
const le_operation le_operation_temporal_projection = {
    LE__SR_OPERATION("temporal_projection", "mean, variance or autocorrelation over frames",
                     "eSRRF: Laine et al., Nature Methods 2023"),
    .part = part,
    .tiles = tiles,
};
