/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Volumes for tests: random contents, and views of them with all kinds of strides.
 */
#ifndef LE_TEST_VOLUME_VIEWS_H
#define LE_TEST_VOLUME_VIEWS_H

#include <string.h>

#include "check/runs_here.h"
#include "liquid_engine/le_method.h"
#include "one_engine.h"

enum { VOLUME_VIEWS = 8 };

/* A view of a part of a larger tensor. */
static le_tensor view_of(const le_tensor *parent, int layout) {
    le_tensor t = *parent;
    t.storage = NULL;
    int64_t size = (int64_t)le_dtype_size(t.dtype);
    for (int a = 0; a < 3 && layout >= 1; a++)
        t.shape[a] -= a;
    if (layout == 2) { /* every second sample of the last axis */
        t.shape[2] = (t.shape[2] + 1) / 2;
        t.strides[2] = 2;
    } else if (layout == 3) { /* the outer axes swapped */
        t.shape[0] = parent->shape[1];
        t.shape[1] = parent->shape[0];
        t.strides[0] = parent->strides[1];
        t.strides[1] = parent->strides[0];
    } else if (layout == 4) { /* backwards */
        t.data = (char *)t.data + (t.shape[0] - 1) * t.strides[0] * size;
        t.strides[0] = -t.strides[0];
    } else if (layout == 5) { /* the last axis backwards */
        t.data = (char *)t.data + (t.shape[2] - 1) * size;
        t.strides[2] = -1;
    } else if (layout == 6) { /* the first axis last */
        t.shape[0] = parent->shape[2];
        t.shape[2] = parent->shape[0];
        t.strides[0] = parent->strides[2];
        t.strides[2] = parent->strides[0];
    } else if (layout == 7) { /* one sample of each line again and again */
        t.strides[2] = 0;
    }
    return t;
}

/* calls check with the name of every CPU implementation that this machine has */
static void for_each(const char *operation, void (*check)(const char *, const void *),
                     const void *with) {
    size_t count;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i]->device == LE_DEVICE_CPU && runs_here(engine, all[i]))
            check(all[i]->name, with);
}

#endif
