/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Outputs, from where they were made to the memory of whoever asked for them.
 */
#include "call/outputs.h"

#include "call/storage.h"

#include <string.h>

bool le__is_allocated(const le_tensor *t) {
    return t->data || t->storage;
}

le_status le__output_fetch(le_tensor *made, le_tensor *to, bool host, int64_t *moved) {
    le_status status = LE_OK;
    if (host && moved && made->storage && le__storage_is_on_device(made->storage))
        *moved += (int64_t)made->storage->bytes;
    if (host)
        status = le_tensor_to_host(made);
    if (status != LE_OK || !to->storage)
        return status;
    if (made->storage == to->storage) {
        to->data = made->data;
        return LE_OK;
    }
    void *memory;
    status = le__storage_host(to->storage, true, false, &memory);
    if (status == LE_OK)
        to->data = (char *)memory + to->offset * (int64_t)le_dtype_size(to->dtype);
    return status;
}

le_status le__output_fits(const char *who, const char *name, const le_tensor *made,
                          const le_tensor *to) {
    if (!le__is_allocated(to) || made->shape[0] <= to->shape[0])
        return LE_OK;
    return le_fail(LE_ERR_SHAPE, "%s: output '%s' needs %lld rows, %lld given", who, name,
                   (long long)made->shape[0], (long long)to->shape[0]);
}

void le__output_trim(le_tensor *made) {
    enum { WORTH_IT = 1 << 16 };
    le_storage *s;
    size_t bytes;
    if (!made->storage || !made->data || !le__tensor_bytes(made, &bytes) ||
        made->storage->bytes - bytes < WORTH_IT + bytes ||
        le__storage_new(&s, bytes, true, false) != LE_OK)
        return;
    memcpy(s->host, made->data, bytes);
    le__storage_release(made->storage);
    made->storage = s;
    made->data = s->host;
    made->offset = 0;
}

void le__output_hand_over(le_tensor *made, le_tensor *to) {
    if (!le__is_allocated(to)) {
        *to = *made;
        made->storage = NULL;
    } else if (to->data != made->data) {
        to->shape[0] = made->shape[0];
        le__tensor_unpack(to, made->data);
    }
}
