/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The convergence on a device: buffers, tables and launches that esrrf and
 * radial_gradient_convergence share.
 */
#ifndef LE_SR_CL_CONVERGENCE_H
#define LE_SR_CL_CONVERGENCE_H

#include "sr_cl.h"

extern const le_cl_source le_cl_superres_convergence;

/* WEIGHTING of cl/superres/convergence.cl */
typedef enum le__sr_cl_weighting {
    LE__SR_CL_UNWEIGHTED = 0,
    LE__SR_CL_ROWS, /* by rows of the intensity, in the buffer `intensity` */
    LE__SR_CL_FULL  /* by the tensor argument `image`, of the size of the result */
} le__sr_cl_weighting;

typedef struct le__sr_cl_convergence {
    /* the caller's */
    le__sr_cl_weighting weighting;
    le__sr_temporal temporal;
    bool few;          /* FEW of the same */
    le_dtype dtype;    /* of the argument image */
    int image, result; /* arguments of the call */
    /* made by open */
    le__sr_tables host;
    le__sr_cl_tables tables;
    le__sr_cl_shape shape;
    int64_t batch; /* frames of a launch, at most */
    int width;
    le_cl_kernel *kernel, *project;
    le_cl_buffer *half; /* unit gradients, zeros where the convergence reads nothing */
    le_cl_buffer *intensity;
    le_cl_buffer *sum, *sum2, *first, *previous;
} le__sr_cl_convergence;

/* Whether kernels can number the pixels of a result and the half pixels of a frame. */
bool le__sr_cl_convergence_takes(const le__sr_rgc *rgc, const char **why);
le_status le__sr_cl_convergence_open(le_call *call, const le__sr_rgc *rgc, int64_t frames,
                                     le__sr_cl_convergence *v);
/* The frames of v->shape; frame: number of the first one in its time point. */
le_status le__sr_cl_convergence_launch(le_call *call, le__sr_cl_convergence *v, int64_t frame);
/* Bytes on the device, at most. */
int64_t le__sr_cl_convergence_bytes(const le__sr_rgc *rgc, int64_t frames,
                                    le__sr_temporal temporal);

#endif
