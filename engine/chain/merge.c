/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Merged outputs.
 */
#include "chain/merge.h"

#include "call/tensor.h"

#include <math.h>
#include <stdlib.h>

le_status le__merged_begin(le__merged *m, le_merge how, const le_tensor *like,
                           const char *operation, const char *output) {
    const bool compared = how == LE_MERGE_MAX || how == LE_MERGE_MIN;
    const le_tensor numbers = le__tensor_numbers(like);
    if (how == LE_MERGE_NONE)
        return le_fail(LE_ERR_INTERNAL, "%s: output '%s' is neither cut nor merged", operation,
                       output);
    if (compared && le_dtype_kind_of(like->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: output '%s' is %s, which has no largest element",
                       operation, output, le_dtype_name(like->dtype));
    *m = (le__merged){malloc(((size_t)numbers.shape[0] + 1) * sizeof(double)), how};
    if (!m->numbers)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", operation);
    le__merged_clear(m, like);
    return LE_OK;
}

void le__merged_clear(le__merged *m, const le_tensor *like) {
    const double none = m->how == LE_MERGE_MAX ? -INFINITY : m->how == LE_MERGE_MIN ? INFINITY : 0;
    const le_tensor numbers = le__tensor_numbers(like);
    for (int64_t i = 0; i < numbers.shape[0]; i++)
        m->numbers[i] = none;
}

void le__merged_add(le__merged *m, const le_tensor *part, double weight) {
    const le_tensor numbers = le__tensor_numbers(part);
    for (int64_t i = 0; i < numbers.shape[0]; i++) {
        const double v = le_tensor_get(&numbers, i);
        if (m->how == LE_MERGE_SUM || m->how == LE_MERGE_MEAN)
            m->numbers[i] += m->how == LE_MERGE_MEAN ? weight * v : v;
        else if (isnan(v) || (m->how == LE_MERGE_MAX ? v > m->numbers[i] : v < m->numbers[i]))
            m->numbers[i] = v;
    }
}

void le__merged_put(const le__merged *m, const le_tensor *out) {
    le_tensor numbers = le__tensor_numbers(out);
    for (int64_t i = 0; i < numbers.shape[0]; i++)
        le_tensor_set(&numbers, i, m->numbers[i]);
}
