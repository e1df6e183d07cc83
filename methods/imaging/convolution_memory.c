/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory of a run of convolutions.
 */
#include "imaging/convolution_memory.h"

int64_t le__conv_memory(const le_call *call, le__conv_form form) {
    const le__convolution *c = le__convolution_of(call);
    const le__conv_blocks b = le__conv_blocks_of(c, form.multiple);
    return (int64_t)le__conv_spare(&b, form) * le_call_threads(call) +
           (int64_t)form.size * c->tap_rows * c->tap_cols;
}

size_t le__conv_items(const le_call *call, le__conv_form form) {
    const le__conv_blocks b = le__conv_blocks_of(le__convolution_of(call), form.multiple);
    return (size_t)(b.down * b.across);
}

le_status le__conv_prepare(le_call *call, le__conv_form form, le__conv_context *x) {
    x->run = le__conv_run_of(call);
    x->blocks = le__conv_blocks_of(x->run.c, form.multiple);
    x->form = form;
    x->spare =
        le_call_scratch(call, le__conv_spare(&x->blocks, form) * (size_t)le_call_threads(call));
    return x->spare ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for tiles of a convolution");
}
