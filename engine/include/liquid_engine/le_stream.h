/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations over files that are read frame by frame, so that memory does not grow with their length.
 *
 *     le_io_stream *movie;
 *     le_tensor mean = {0};
 *     le_io_stream_open(NULL, "movie.tif", NULL, &movie);
 *     le_stream_run(NULL, "project", "volume", movie, LE_OUT("image", &mean), LE_I64("axis", 0));
 *     le_io_stream_close(&movie);
 *
 * The operation must say that it can be cut along the first axis of that input (le_operation.slabs);
 * LE_ERR_UNSUPPORTED otherwise. Outputs along that axis are as long as they are; a mean, sum, maximum
 * or minimum over it is accumulated in double precision. LE_OPT_MEMORY_LIMIT bounds the tensors of one
 * slab, 64 MiB of frames otherwise.
 */
#ifndef LIQUID_ENGINE_LE_STREAM_H
#define LIQUID_ENGINE_LE_STREAM_H

#include "liquid_engine/le_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs an operation; `input` names the tensor argument that the stream gives, from its present position
 * which must be the first frame. Use the macro le_stream_run. Outputs are unchanged on error. */
LE_API le_status le_stream_call(le_engine *engine, const char *operation, const char *input,
                                le_io_stream *stream, const le_arg *args, size_t n_args);

#ifndef __cplusplus
#define le_stream_run(engine, operation, input, stream, ...)                                       \
    le_stream_call((engine), (operation), (input), (stream), LE_ARGS_(__VA_ARGS__),                \
                   sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#endif

#ifdef __cplusplus
}
#endif
#endif
