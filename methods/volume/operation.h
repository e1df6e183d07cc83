/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the descriptors of the family's operations have in common.
 */
#ifndef LE_VOLUME_OPERATION_H
#define LE_VOLUME_OPERATION_H

#include "liquid_engine/le_method.h"

#define LE__MOCZ "P. Mocz, Create Your Own Volume Rendering (With Python), 2022"

#define LE__VOLUME_ARG(the_doc)                                                                    \
    {                                                                                              \
        .name = "volume", .doc = the_doc, .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL,             \
        .min_ndim = 3, .max_ndim = 3, .shape = "[nx,ny,nz]"                                        \
    }

/* The camera: a grid of so many points along each axis, turned once for each view. */
#define LE__VOLUME_SIZE_ARG                                                                        \
    {                                                                                              \
        .name = "size", .doc = "points of the camera grid along each axis; image edge",            \
        .type = LE_TYPE_I64, .cost = true, .min = 1, .max = 32768                                  \
    }

#define LE__VOLUME_ANGLES_ARG                                                                      \
    {                                                                                              \
        .name = "angles", .doc = "rotations about axis 0, in degrees; default one of 0",           \
        .type = LE_TYPE_F64S, .optional = true, .min_count = 1                                     \
    }

#define LE__VOLUME_ROTATION_ARG                                                                    \
    {                                                                                              \
        .name = "rotation", .doc = "3x3 matrices, row by row, from camera to data coordinates",    \
        .type = LE_TYPE_F64S, .optional = true, .min_count = 9                                     \
    }

/* samples: what gets the value where it lies outside of space */
#define LE__VOLUME_OUTSIDE_ARG(space, samples)                                                     \
    {                                                                                              \
        .name = "outside",                                                                         \
        .doc = "outside the " space ": 'error', or the value of " samples " there",                \
        .type = LE_TYPE_STR_OR_F64, .optional = true,                                              \
        .words = (const char *const[]){"error", NULL}, .default_str = "error"                      \
    }

#define LE__VOLUME_TRANSFER_ARG                                                                    \
    {                                                                                              \
        .name = "transfer",                                                                        \
        .doc = "mocz, a colour map MAP[:LOW:HIGH[:ALPHA]], a JSON file or JSON text",              \
        .type = LE_TYPE_STR, .optional = true, .default_str = "mocz"                               \
    }

#define LE__VOLUME_SCALE_ARG(the_doc, is_cost)                                                     \
    {                                                                                              \
        .name = "scale", .doc = the_doc, .type = LE_TYPE_STR, .optional = true, .cost = is_cost,   \
        .words = (const char *const[]){"log", "linear", NULL}, .default_str = "log"                \
    }

/* The fields of an operation whose functions and arguments are statics of the usual names. */
#define LE__VOLUME_OPERATION(the_name, the_summary, the_reference)                                 \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "volume", .summary = the_summary,            \
    .reference = the_reference, .args = args, .n_args = sizeof args / sizeof args[0],              \
    .check = check, .work = work, .make_case = make_case

#endif
