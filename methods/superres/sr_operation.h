/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the descriptors of the family's operations have in common. Every one's image is argument 0.
 */
#ifndef LE_SR_OPERATION_H
#define LE_SR_OPERATION_H

#include "common/cases.h"
#include "superres.h"

#define LE__SR_STACK_IN(the_name, the_doc, the_dtypes, the_shape)                                  \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_IN, .dtypes = the_dtypes, .min_ndim = 2, \
        .max_ndim = 3, .shape = the_shape                                                          \
    }

#define LE__SR_FRAMES_IN                                                                           \
    LE__SR_STACK_IN("image", "frames, read as float32", LE_DTYPES_ALL, "[T,H,W] or [H,W]")

#define LE__SR_STACK_OUT(the_name, the_doc, the_shape)                                             \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_OUT, .dtypes = LE_DTYPE_BIT(LE_F32),     \
        .min_ndim = 2, .max_ndim = 3, .shape = the_shape                                           \
    }

#define LE__SR_NUMBER(the_type, the_name, the_doc, the_min, the_max, the_default, is_cost)         \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = the_type, .optional = true, .cost = is_cost,     \
        .min = the_min, .max = the_max, .has_default = true, .default_f64 = the_default            \
    }

#define LE__SR_WORD(the_name, the_doc, the_words, the_default)                                     \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_STR, .optional = true, .cost = true,     \
        .words = the_words, .default_str = the_default                                             \
    }

#define LE__SR_REAL(the_name, the_doc, the_min, the_max, the_default, is_cost)                     \
    LE__SR_NUMBER(LE_TYPE_F64, the_name, the_doc, the_min, the_max, the_default, is_cost)
#define LE__SR_SHIFT_ARG(the_name, the_doc) LE__SR_REAL(the_name, the_doc, -65536, 65536, 0, false)
#define LE__SR_MAGNIFICATION_ARG(the_doc)                                                          \
    LE__SR_NUMBER(LE_TYPE_I64, "magnification", the_doc, 1, LE__SR_MAX_MAGNIFICATION, 5, true)
#define LE__SR_RADIUS_ARG(the_doc) LE__SR_REAL("radius", the_doc, 0.1, 10, 1.5, true)
#define LE__SR_SENSITIVITY_ARG                                                                     \
    LE__SR_REAL("sensitivity", "power of the convergence; up to 1 has no effect", 0, 100, 1, true)
#define LE__SR_SWITCH_ARG(the_name, the_doc)                                                       \
    LE__SR_NUMBER(LE_TYPE_I64, the_name, the_doc, 0, 1, 1, true)
#define LE__SR_TIMEPOINT_ARG                                                                       \
    LE__SR_NUMBER(LE_TYPE_I64, "frames_per_timepoint",                                             \
                  "frames that a temporal projection joins, 0: all; the last may have fewer", 0,   \
                  1e9, 0, true)
#define LE__SR_INTERPOLATOR_ARG                                                                    \
    LE__SR_WORD("interpolator",                                                                    \
                "catmull_rom is not renormalised at the border; lanczos has 5 taps",               \
                le__sr_interpolators, "catmull_rom")

/* The fields of an operation whose functions and arguments are statics of the usual names. */
#define LE__SR_OPERATION(the_name, the_summary, the_reference)                                     \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "superres", .summary = the_summary,          \
    .reference = the_reference, .args = args, .n_args = sizeof args / sizeof args[0],              \
    .check = check, .work = work, .norm = LE_NORM_MAX, .atol = 1e-5, .make_case = make_case,       \
    .slabs = slabs

/* For le_operation.part: one frame of several. */
le_status le__sr_part_frame(const le_call *call, uint64_t random, le_case *out, int64_t *first);
/* For le_operation.check: both axes of the frames are multiples of the magnification. */
le_status le__sr_check_multiple(const le_tensor *image, const char *who, int64_t magnification);
/* The image of a case, filled: shape [T,H,W], T 0 for [H,W]; a trial takes dtype and dimensions
 * from the call that it is like. Every so many checks it has one of the edge contents. */
void le__sr_case_image(le_case *c, const le_case_request *r, const int64_t shape[3], int64_t every);

#endif
