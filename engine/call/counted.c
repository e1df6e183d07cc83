/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Counted outputs.
 */
#include "call/counted.h"

#include "call/outputs.h"
#include "call/problem.h"
#include "call/shaped.h"
#include "call/storage.h"

#include <math.h>

static const double spare = 1.125;      /* data of the same kind differ a little */
static const double most_of_others = 8; /* share that is believed of a problem not seen before */

/* --- for methods --- */

le_status le_call_set_out_upto(le_call *call, int arg, le_dtype dtype, int ndim,
                               const int64_t *shape) {
    le_status status = le__shaped_will_be(call, arg, dtype, ndim);
    if (status != LE_OK)
        return status;
    le__bound_arg *b = &call->args[arg];
    const char *name = call->operation->args[arg].name;
    bool allocated = b->given && le__is_allocated(&b->tensor);
    size_t bytes;
    if (ndim < 1)
        return le_fail(LE_ERR_INTERNAL, "%s: output '%s' has no axis of rows",
                       call->operation->name, name);
    le_tensor t = le_tensor_of(NULL, b->tensor.dtype ? b->tensor.dtype : dtype, ndim, shape);
    if (!le__tensor_bytes(&t, &bytes))
        return le_fail(LE_ERR_SHAPE, "%s: output '%s' would be too large", call->operation->name,
                       name);
    if (allocated && !le__tensors_have_same_rows(&b->tensor, &t))
        return le__tensor_fail(call->operation->name, "output", name, &b->tensor, &t,
                               " with any number of rows");
    b->tensor = t;
    b->room = b->rows = t.shape[0];
    b->said = -1;
    b->counted = call->counted = true;
    return LE_OK;
}

void le_call_set_count(le_call *call, int arg, int64_t rows) {
    call->args[arg].said = rows < 0 ? -1 : rows;
}

void le_call_set_count_by(le_call *call, int arg, int64_t rows, const char *what) {
    le_call_set_count(call, arg, rows);
    call->args[arg].rows_by = what;
}

/* --- how many there may be --- */

bool le__is_counted(const le_call *call, size_t arg) {
    return call->args[arg].counted && call->args[arg].given;
}

static uint64_t key_of(const le_call *call, size_t arg, bool of_all) {
    return of_all ? arg + 1 : (le__problem_shape(call) + arg) | UINT64_C(1) << 63;
}

bool le__counted_share(const le_call *call, size_t arg, bool of_all, le__rows_share *out) {
    return le__rows_known(&call->entry->rows, key_of(call, arg, of_all), out);
}

void le__counted_recall(const le_call *call, size_t arg, bool of_all, le__rows_share share) {
    le__rows_recall(&call->entry->rows, key_of(call, arg, of_all), share);
}

/* By the problem itself, else by others of the operation, which may have been asked for quite
 * another share: not beyond what a run in vain would cost. */
static bool known(const le_call *call, size_t arg, le__rows_share *out) {
    return le__counted_share(call, arg, false, out) ||
           (le__counted_share(call, arg, true, out) && out->most <= most_of_others);
}

static int64_t rows_of(const le__bound_arg *b, double share) {
    double rows = ceil((double)(b->room > 0 ? b->room : 1) * share);
    return rows < 0x1p62 ? (int64_t)rows : INT64_MAX / 2;
}

int64_t le__counted_room(const le_call *call, size_t arg) {
    const le__bound_arg *b = &call->args[arg];
    le__rows_share share;
    int64_t rows = known(call, arg, &share) ? rows_of(b, share.most) : 0;
    return rows > b->room ? rows_of(b, share.most * spare) : b->room;
}

int64_t le__counted_expected(const le_call *call, size_t arg) {
    le__rows_share share;
    return known(call, arg, &share) ? rows_of(&call->args[arg], share.mean) : call->args[arg].room;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What a caller allocated, or an earlier execution of the call said, is room, too. */
static int64_t rows_for(const le_call *call, size_t arg) {
    const le__bound_arg *b = &call->args[arg];
    if (call->tight && b->said >= 0)
        return b->said / 2;
    bool allocated = b->user_out && le__is_allocated(b->user_out);
    int64_t rows = larger(le__counted_room(call, arg), b->said);
    return allocated ? larger(rows, b->user_out->shape[0]) : rows;
}

void le__counted_make_room(le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++) {
        le__bound_arg *b = &call->args[i];
        if (!le__is_counted(call, i))
            continue;
        b->least = larger(b->room, b->said);
        b->rows = b->tensor.shape[0] = rows_for(call, i);
        b->said = -1;
    }
    call->tight = false;
}

bool le__counted_settle_for_less(le_call *call, size_t arg) {
    le__bound_arg *b = &call->args[arg];
    if (!le__is_counted(call, arg) || b->rows <= b->least)
        return false;
    b->rows = b->tensor.shape[0] = b->least;
    return true;
}

bool le__counted_grew(const le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (le__is_counted(call, i) && call->args[i].rows > call->args[i].room)
            return true;
    return false;
}

/* --- how many there are --- */

static le_status check_said(const le_call *call, bool *fits) {
    *fits = true;
    for (size_t i = 0; i < call->operation->n_args; i++) {
        const le__bound_arg *b = &call->args[i];
        if (le__is_counted(call, i) && b->said < 0)
            return le_fail(LE_ERR_WRONG_RESULT, "did not say how many rows its output '%s' has",
                           call->operation->args[i].name);
        *fits = *fits && (!le__is_counted(call, i) || b->said <= b->rows);
    }
    return LE_OK;
}

static void learn(const le_call *call, size_t arg) {
    const le__bound_arg *b = &call->args[arg];
    double share = (double)b->said / (double)(b->room > 0 ? b->room : 1);
    for (int of_all = 0; of_all < 2; of_all++)
        le__rows_learn(&call->entry->rows, key_of(call, arg, of_all), share);
}

static void cut(le__bound_arg *b) {
    size_t bytes;
    b->tensor.shape[0] = b->said;
    if (b->tensor.storage && b->tensor.offset == 0 && le__tensor_bytes(&b->tensor, &bytes))
        le__storage_cut(b->tensor.storage, bytes);
}

le_status le__counted_settle(le_call *call, bool *fits) {
    le_status status = check_said(call, fits);
    for (size_t i = 0; status == LE_OK && *fits && i < call->operation->n_args; i++)
        if (le__is_counted(call, i)) {
            learn(call, i);
            cut(&call->args[i]);
        }
    return status;
}

le_status le__counted_fail_again(const le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (le__is_counted(call, i) && call->args[i].said > call->args[i].rows)
            return le_fail(LE_ERR_WRONG_RESULT,
                           "says that its output '%s' has %lld rows when there is room for %lld",
                           call->operation->args[i].name, (long long)call->args[i].said,
                           (long long)call->args[i].rows);
    return le_fail(LE_ERR_INTERNAL, "%s: all rows have room", call->operation->name);
}

void le__counted_forget(le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (le__is_counted(call, i))
            call->args[i].said = -1;
}

/* --- to whom --- */

static bool is_plain(const le__bound_arg *b) { /* memory of the call's own, without edges */
    return b->own && b->tensor.offset == 0 && !b->tensor.storage->map;
}

le_status le__counted_take(le_call *call, size_t arg, le_tensor *made) {
    le__bound_arg *b = &call->args[arg];
    int64_t rows = made->shape[0];
    if (!le__tensors_have_same_rows(made, &b->tensor))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: other rows of output '%s' were made",
                       call->operation->name, call->operation->args[arg].name);
    le_call_set_count(call, (int)arg, rows);
    if (rows > b->rows && is_plain(b)) {
        le__storage_release(b->tensor.storage);
        b->tensor = *made;
        made->storage = NULL;
        b->rows = rows;
        return LE_OK;
    }
    if (rows > b->rows) /* the engine makes room */
        return LE_OK;
    le_tensor to = b->tensor;
    const le__output output = {call->operation->args[arg].name, made, &to, true, true};
    le_status status = le__outputs_hand_over(call->operation->name, &output, 1, NULL);
    b->tensor.data = to.data;
    b->tensor.shape[0] = rows;
    return status;
}
