/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf step by step on whole frames, for the implementations that define the result: `reference`
 * and `exact`. Only the gradients are not made at full size: the convergence reads half pixels
 * only, and leaving out the rest changes no bit.
 */
#ifndef LE_ESRRF_FRAMES_H
#define LE_ESRRF_FRAMES_H

#include "esrrf.h"

typedef struct le__esrrf_frames {
    le__esrrf e;
    bool exact;
    int64_t frame;                              /* the one being made */
    float *image, *gradient_col, *gradient_row; /* [H,W] */
    float *half_col, *half_row;                 /* [2H+1,2W+1] */
    float *weights;                             /* see le__sr_rgc_weights */
    float *stack;                               /* [frames of a time point, HM*WM] */
    float *result;                              /* [HM*WM] */
    int64_t frames;                             /* of the time point */
} le__esrrf_frames;

/* Runs the whole call. project: joins f->stack into pixels [begin, end) of f->result. correct:
 * divides f->result by the means of its phases. */
typedef void (*le__esrrf_project_fn)(const le__esrrf_frames *f, int64_t begin, int64_t end);
typedef void (*le__esrrf_correct_fn)(const le__esrrf_frames *f);
le_status le__esrrf_run_frames(le_call *call, bool exact, le__esrrf_project_fn project,
                               le__esrrf_correct_fn correct);
int64_t le__esrrf_frames_memory(const le_call *call);

#endif
