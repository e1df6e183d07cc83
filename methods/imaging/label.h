/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation label: its arguments, and which pixels are neighbours.
 */
#ifndef LE_IMAGING_LABEL_H
#define LE_IMAGING_LABEL_H

#include "imaging/pixels.h"

enum { LABEL_MASK, LABEL_CONNECTIVITY, LABEL_LABELS, LABEL_COUNT };

#define LE__IM_CONNECTIVITY_ARG                                                                    \
    {                                                                                              \
        .name = "connectivity",                                                                    \
        .doc = "neighbours of a pixel: 4 or 8 in two dimensions, 6, 18 or 26 in "                  \
               "three, 2 in one; "                                                                 \
               "default: the fewest",                                                              \
        .type = LE_TYPE_I64, .optional = true, .cost = true, .min = 0, .max = 26                   \
    }

/* Labels that an operation gives or takes, and how many components there are. */
#define LE__IM_LABELS_ARG(the_name, the_doc, the_type, is_optional, the_shape)                     \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = the_type, .optional = is_optional,               \
        .dtypes = LE_DTYPE_BIT(LE_I32), .min_ndim = 1, .max_ndim = LE__IM_AXES, .shape = the_shape \
    }
#define LE__IM_COUNT_OUT(the_doc)                                                                  \
    {                                                                                              \
        .name = "count", .doc = the_doc, .type = LE_TYPE_OUT, .optional = true,                    \
        .dtypes = LE_DTYPE_BIT(LE_I32), .min_ndim = 1, .max_ndim = 1, .shape = "[1]"               \
    }

/* Along how many axes at once a step leads to a neighbour; 0: no such
 * connectivity. 0 as connectivity stands for the fewest neighbours. */
int le__im_reach(int64_t connectivity, int ndim);
/* The same with a message. */
le_status le__im_check_connectivity(const char *who, int64_t connectivity, int ndim);
/* Row-major order of pixels and numbers of labels fit 32 bits. */
le_status le__im_check_count(const char *who, const le_tensor *image);

#endif
