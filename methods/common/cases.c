/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Dtypes of sample calls.
 */
#include "common/cases.h"

static const le_dtype dtypes[] = {LE_F32, LE_U8, LE_U16, LE_I16, LE_F64, LE_I32, LE_U32};

le_dtype le__case_dtype(const le_case_request *request, int arg) {
    if (request->dtype)
        return request->dtype;
    if (request->like)
        return le_call_in(request->like, arg)->dtype;
    if (request->kind != LE_CASE_CHECK)
        return LE_F32;
    return dtypes[(size_t)request->index % (sizeof dtypes / sizeof dtypes[0])];
}

le_status le__case_end(le_case *c, const le_case_request *request, const char *output, int arg,
                       le_dtype usual) {
    le_case_out(c, output, request->like ? le_call_out(request->like, arg)->dtype : usual);
    return le_case_status(c);
}
