/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * transfer_function: values to colour and opacity, one work-item a value. TYPE, OUT: elements.
 */
#include "volume/transfer.clh"

__kernel void transfer_function(__global const TYPE *samples, LIST float *list, int n_list,
                                __global OUT *rgba, long count) {
    long i = get_global_id(0);
    if (i >= count)
        return;
    float4 c = transfer(list, n_list, (float)samples[i]);
#if OUT_F64
    vstore4(convert_double4(c), i, rgba);
#else
    vstore4(c, i, rgba);
#endif
}
