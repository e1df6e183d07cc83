/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations over files that are read frame by frame.
 */
#include "core/tick.h"
#include "engine.h"
#include "chain/slabs.h"
#include "files/source.h"
#include "call/storage.h"

#include <string.h>

static int find_input(const le_operation *op, const char *name) {
    int i = le__arg_find(op, name, 0);
    return i >= 0 && op->args[i].type == LE_TYPE_IN ? i : -1;
}

/* Slabs of whole stored blocks, of about 64 MiB unless the call has a limit. */
static int64_t limit_of(const le_call *call, const le_tensor *stream) {
    int64_t limit = call->want.memory_limit ? call->want.memory_limit
                                            : call->engine->options.memory_limit_bytes;
    int64_t bytes = le__tensor_size(stream);
    int64_t frame = bytes / (stream->shape[0] > 0 ? stream->shape[0] : 1);
    int64_t usual = INT64_C(64) << 20, whole = 0;
    for (size_t a = 0; a < call->operation->n_args; a++)
        if (call->operation->args[a].type == LE_TYPE_OUT && call->args[a].given)
            whole += le__tensor_size(&call->args[a].tensor);
    if (limit)
        return limit;
    return (usual > 2 * frame ? usual : 2 * frame) + whole;
}

static le_status run(le_call *call, int input, le_io_stream *stream) {
    le_source frames = le__io_frames(stream);
    le_tensor about = call->args[input].tensor;
    le_status status = le__call_prepare_tensors(call, true, LE__OUTPUTS_FRESH);
    if (status == LE_OK)
        status = le__slabs_run(call, call->want.device, limit_of(call, &about), input, &frames);
    if (status == LE_OK)
        status = le__call_commit(call);
    return status;
}

le_status le_stream_call(le_engine *engine, const char *operation, const char *input,
                         le_io_stream *stream, const le_arg *args, size_t n_args) {
    le_arg all[LE_MAX_ARGS + 16];
    le__operation_entry *e;
    le_status status = le__engine_operation(&engine, operation, &e);
    if (status != LE_OK)
        return status;
    int index = find_input(e->operation, input);
    if (index < 0 || n_args >= sizeof all / sizeof *all)
        return le_fail(LE_ERR_ARGUMENT, "%s: there is no input '%s'", operation,
                       input ? input : "(null)");
    const le_io_stream_info *about = le_io_stream_about(stream);
    le_tensor shape = le_tensor_of(NULL, about->dtype, about->ndim, about->shape);
    status = le__storage_new(&shape.storage, 0, true, false); /* claims to have data */
    if (status != LE_OK)
        return status;
    if (n_args)
        memcpy(all, args, n_args * sizeof *args);
    all[n_args] = LE_IN(input, &shape);
    le_call call;
    status = le__call_bind(&call, engine, e, all, n_args + 1);
    if (status == LE_OK) {
        le__ticker ticker;
        le__ticker_begin(&ticker, args, n_args);
        status = run(&call, index, stream);
        le__ticker_end(&ticker);
        le__call_unbind(&call);
    }
    le__storage_release(shape.storage);
    return status;
}
