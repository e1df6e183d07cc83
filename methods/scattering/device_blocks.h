/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Decoding of stored chunks on an OpenCL device.
 */
#ifndef LE_SCATTERING_DEVICE_BLOCKS_H
#define LE_SCATTERING_DEVICE_BLOCKS_H

#include "scattering/stored.h"

extern const le_cl_source le_cl_scattering_bitshuffle;

/* Work-items that decode a block together, for le_implementation.tunables. */
enum { LE__SC_GROUPS = 3 };
extern const int64_t le__sc_groups[LE__SC_GROUPS];
#define LE__SC_DECODERS                                                                            \
    { .name = "decoders", .values = le__sc_groups, .n_values = LE__SC_GROUPS, .default_value = 64 }

typedef struct le__sc_device_block le__sc_device_block;

typedef struct le__sc_decoder {
    le__sc_stored *stored;
    int bytes_arg;
    int64_t most;   /* chunks that are decoded at once */
    int64_t stride; /* elements from a chunk to the next in the output */
    size_t group;   /* work-items of a block; 0: one */
    le_cl_kernel *lz4, *unshuffle;
    le_cl_buffer *list, *planes, *status;
    le__sc_device_block *blocks; /* room for those of `most` chunks */
    int64_t room, decoded;       /* LZ4 blocks whose status there is */
} le__sc_decoder;

/* Whether stored chunks of this compression can be decoded on a device. */
bool le__sc_decoder_takes(const le_call *call, const le__sc_stored_args *args, const char **why);
/* For run, of chunks that were opened. group: work-items that decode a block together; 0: one. */
le_status le__sc_decoder_open(le_call *call, const le__sc_stored_args *args, le__sc_stored *stored,
                              int64_t most, int64_t stride, int64_t group, le__sc_decoder *out);
/* Chunks [chunk, chunk + n), n at most `most`, to the elements of an output from its first on.
 * Chunks known to be bad become 0. Calls go through the chunks in their order. */
le_status le__sc_decode(le_call *call, le__sc_decoder *d, int64_t chunk, int64_t n, int64_t to,
                        le_cl_karg out);
/* Waits; the chunks that turned out bad are noted in stored->wrong. Returns its verdict. */
le_status le__sc_decoded(le_call *call, le__sc_decoder *d);
/* Bytes on the device beside the output, about. */
int64_t le__sc_decoder_memory(int64_t chunks, int64_t chunk_bytes);

#endif
