/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An output of which every slab makes a part of each element: parts are merged in double precision.
 */
#ifndef LE_MERGE_H
#define LE_MERGE_H

#include "liquid_engine/le_method.h"

typedef struct le__merged {
    double *numbers; /* owned; of complex elements two each */
    le_merge how;    /* sum, mean, max or min */
} le__merged;

/* For a tensor like `like`; named in errors as the output of the operation. */
le_status le__merged_begin(le__merged *m, le_merge how, const le_tensor *like,
                           const char *operation, const char *output);
/* As it was before the first part. */
void le__merged_clear(le__merged *m, const le_tensor *like);
/* weight: the share of all items that the part is of, for means. */
void le__merged_add(le__merged *m, const le_tensor *part, double weight);
void le__merged_put(const le__merged *m, const le_tensor *out);

#endif
