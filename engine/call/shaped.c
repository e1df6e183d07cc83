/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shapes of outputs.
 */
#include "call/shaped.h"

le_status le__shaped_will_be(le_call *call, int arg, le_dtype dtype, int ndim) {
    const le_operation *op = call->operation;
    if (arg < 0 || (size_t)arg >= op->n_args || op->args[arg].type != LE_TYPE_OUT)
        return le_fail(LE_ERR_INTERNAL, "%s: its check gives a shape to argument %d, no output",
                       op->name, arg);
    if (ndim < 0 || ndim > LE_MAX_DIMS)
        return le_fail(LE_ERR_INTERNAL, "%s: its check gives output '%s' %d axes, 0 to %d can be",
                       op->name, op->args[arg].name, ndim, LE_MAX_DIMS);
    if (!call->args[arg].tensor.dtype &&
        (!le_dtype_size(dtype) || !(op->args[arg].dtypes & LE_DTYPE_BIT(dtype))))
        return le_fail(LE_ERR_INTERNAL,
                       "%s: its check gives output '%s' dtype %d (%s), none of its own", op->name,
                       op->args[arg].name, (int)dtype, le_dtype_name(dtype));
    call->args[arg].shaped = true;
    return LE_OK;
}

/* An output without a shape would be a single number, whatever the caller's memory holds. */
le_status le__shaped_all(const le_call *call) {
    const le_operation *op = call->operation;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == LE_TYPE_OUT && call->args[i].given && !call->args[i].shaped)
            return le_fail(LE_ERR_INTERNAL, "%s: its check gives output '%s' no shape", op->name,
                           op->args[i].name);
    return LE_OK;
}
