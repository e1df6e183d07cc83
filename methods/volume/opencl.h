/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the OpenCL implementations of the family share: options of kernels, work-groups, and
 * the camera and transfer function on the device. Kernels are in cl/volume/.
 */
#ifndef LE_VOLUME_OPENCL_H
#define LE_VOLUME_OPENCL_H

#include "common/opencl.h"
#include "volume/camera.h"
#include "volume/transfer.h"

/* Gets a kernel for elements of two dtypes: "-DTYPE=in -DOUT=out " and more of the caller's
 * options, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 7, 8)))
#endif
le_status le__volume_cl_kernel(le_call *call, const le_cl_source *source, const char *name,
                               le_dtype in, le_dtype out, le_cl_kernel **kernel, const char *more,
                               ...);

/* For implementations with the volume in an image (LE_IMPL_F64_ANYWHERE): whether the device can
 * write output argument `out`. */
bool le__volume_cl_image_takes(const le_call *call, int out, const char **why);

/* Work-items of a group in kernels of one dimension. */
#define LE__VOLUME_CL_GROUP 128

/* A tunable: columns * 1000 + rows of a work-group. It is never left to the driver: some compile a
 * kernel again for every size they choose. */
extern const le_tunable le__volume_cl_group;

/* The work-group of tunable number 0, in local (depth 1), which is returned. */
const size_t *le__volume_cl_local(const le_call *call, size_t local[3]);

/* A position or step as cl/volume/index.clh has it: in fixed point. */
int64_t le__volume_cl_fixed(double voxels);

/* The views as cl/volume/index.clh has them. */
le_status le__volume_cl_views(le_call *call, const le__camera *camera, le_cl_buffer **out);

/* The transfer function as cl/volume/transfer.clh has it. Parts of Gaussians are left out that
 * together change a ray of `samples` samples by less than a twentieth of the call's absolute
 * tolerance; samples 0: a single value is meant, and what is left out is below a hundredth. */
le_status le__volume_cl_transfer(le_call *call, const le__transfer *t, int64_t samples,
                                 le_cl_buffer **out);

/* Whether the list goes into constant memory: all items read the same Gaussian, but not the same
 * knot. */
bool le__volume_cl_constant(const le__transfer *t);

#endif
