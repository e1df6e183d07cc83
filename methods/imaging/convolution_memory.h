/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A run of convolutions by blocks: context, tiles of the workers.
 */
#ifndef LE_IMAGING_CONVOLUTION_MEMORY_H
#define LE_IMAGING_CONVOLUTION_MEMORY_H

#include "imaging/convolution_blocks.h"

/* What sums are made of. */
typedef struct le__conv_form {
    size_t size;      /* bytes of an element of a tile */
    int64_t multiple; /* columns that are computed at once */
} le__conv_form;

typedef struct le__conv_context {
    le__conv_run run;
    le__conv_blocks blocks;
    le__conv_form form;
    const void *taps; /* as the sums need them */
    char *spare;      /* each worker's: pointers to the rows of a tile, then the rows */
} le__conv_context;

static inline size_t le__conv_pointers(const le__conv_blocks *b) {
    return (size_t)le__conv_width(b->height, 8) * sizeof(void *);
}

/* Of a worker. */
static inline size_t le__conv_spare(const le__conv_blocks *b, le__conv_form form) {
    const int64_t rows = b->height * b->width * (int64_t)form.size;
    return le__conv_pointers(b) + (size_t)le__conv_width(rows, 64);
}

/* For le_implementation.memory, .items. */
int64_t le__conv_memory(const le_call *call, le__conv_form form);
size_t le__conv_items(const le_call *call, le__conv_form form);
/* All of the context but its taps. */
le_status le__conv_prepare(le_call *call, le__conv_form form, le__conv_context *x);

#endif
