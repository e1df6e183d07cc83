/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Work over more data than memory holds: sources give it batch by batch, sinks take results, and
 * operations over files are read frame by frame.
 *
 *     le_source *scan;                           // a thousand compressed detector frames
 *     le_io_source(NULL, "scan.h5:/entry/data/data", LE_SOURCE_STORED, &scan);
 *     le_sink *profiles;
 *     le_io_sink(NULL, "profiles.h5:/profiles", &profiles);
 *     le_status status = le_chain_stream(chain, LE_SOURCE("bytes", scan, 0),
 *                                        LE_SOURCE("offsets", scan, 1), LE_IN("table", &table),
 *                                        LE_SINK("profiles", profiles));
 *     le_io_sink_close(&profiles, status == LE_OK);
 *     le_source_close(&scan);
 *
 * or, where one operation works along the frames of one input and merges what it finds:
 *
 *     le_io_stream *movie;
 *     le_tensor mean = {0};
 *     le_io_stream_open(NULL, "movie.tif", NULL, &movie);
 *     le_stream_run(NULL, "project", "volume", movie, LE_OUT("image", &mean), LE_I64("axis", 0));
 *     le_io_stream_close(&movie);
 *
 * The operation must say that it can be cut along the first axis of that input
 * (le_operation.slabs); LE_ERR_UNSUPPORTED otherwise. Outputs along that axis are as long as they
 * are; a mean, sum, maximum or minimum over it is accumulated in double precision; rows of counted
 * outputs are appended.
 * LE_OPT_MEMORY_LIMIT bounds the tensors of one slab, 64 MiB of frames otherwise.
 */
#ifndef LIQUID_ENGINE_LE_STREAM_H
#define LIQUID_ENGINE_LE_STREAM_H

#include "liquid_engine/le_chain.h"
#include "liquid_engine/le_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------ sources and sinks -- */

enum { LE_SOURCE_PARTS = 4 };

/* Gives items in order, a batch at a time. A batch is `parts` tensors, all of whose first axes grow
 * with its items. Made by le_io_source, or by whoever has data: fill in the members. */
typedef struct le_source {
    int64_t items; /* in all */
    int64_t block; /* items that are stored, and best taken, together; at least 1 */
    int64_t together; /* items that a batch has from the second on where the memory of a stream allows
                         it, blocks whole, until more are found to be faster; 0: block */
    int32_t parts; /* 1 to LE_SOURCE_PARTS */
    /* The next `items` items (at least 1, never more than are left) into parts[0] to parts[parts -
     * 1]. Each tensor is {0} or what an earlier call put there, whose memory may be used again; who
     * asked frees it (le_tensor_free). Calls come one at a time, but from several threads. Errors:
     * le_fail. */
    le_status (*next)(struct le_source *source, int64_t items, le_tensor *parts);
    void (*close)(struct le_source *source); /* releases all, the source too; NULL: nothing to do */
    void *data;                              /* for these two */
} le_source;

/* Takes the results of batches in the order of their items. */
typedef struct le_sink {
    /* The result of `items` items from number `first` on; it is the caller's again afterwards. Of a
     * counted output the rows of this batch, as many as there are; where its operation is cut into
     * items as the batch is, their places (le_slabs) count from the first item of all.
     * Calls come one at a time, but from several threads. Errors (le_fail) end the stream. */
    le_status (*put)(struct le_sink *sink, int64_t first, int64_t items, const le_tensor *result);
    void *data;
} le_sink;

/* Calls close and sets *source to NULL; NULL is allowed. */
LE_API void le_source_close(le_source **source);

/* Kinds of le_arg that only le_chain_stream takes. */
enum { LE_KIND_SOURCE = 40, LE_KIND_SINK };

#ifndef __cplusplus
/* Part `part` of the batches of a source, for an input; the result of batches, from an output. */
#define LE_SOURCE(n, s, part)                                                                      \
    ((le_arg){.name = (n), .kind = LE_KIND_SOURCE, .value.source = (s), .count = (size_t)(part)})
#define LE_SINK(n, k) ((le_arg){.name = (n), .kind = LE_KIND_SINK, .value.sink = (k)})
#endif

typedef enum le_source_kind {
    /* One part: frames along the first axis of an HDF5 dataset or TIFF stack, as le_io_read gives
       them. */
    LE_SOURCE_FRAMES = 1,
    /* Chunks of an HDF5 dataset as they are stored, in row-major order of their places: part 0 u8
     * [bytes], one after the other; part 1 i64 [n + 1], where each begins in part 0, and the end;
     * part 2 u32 [n], the filters that a chunk did not pass (bit i: filter i). A chunk that was
     * never written has no bytes and counts as full of `fill`. Chunks at an edge are stored whole.
     * An index in the place or a slice takes the chunks that it touches. They are read without HDF5
     * and its lock. A group means its datasets of two axes or more in the order of their names,
     * joined along the first axis: same type, chunks and filters; virtual ones of its file and soft
     * links to others of them are left out; le_io_source_pieces tells what it has. */
    LE_SOURCE_STORED,
    /* The same, but what cannot be read is no error: such a chunk has LE_STORED_UNREADABLE for its
     * mask. A dataset of a group that cannot be opened counts as so many chunks as the first of its
     * datasets that can. */
    LE_SOURCE_STORED_SKIP
} le_source_kind;

enum { LE_STORED_FILTERS = 8, LE_STORED_VALUES = 16 };

typedef struct le_stored_info {
    le_dtype dtype;
    bool big_endian; /* of the elements in a decoded chunk */
    int32_t ndim;
    int64_t shape[LE_MAX_DIMS]; /* of the dataset */
    int64_t chunk[LE_MAX_DIMS]; /* elements of a chunk; chunk[0]: frames in a block */
    int64_t first[LE_MAX_DIMS]; /* place of item 0 in the grid of chunks */
    int64_t grid[LE_MAX_DIMS];  /* chunks taken along each axis; their product is source->items */
    int64_t chunk_bytes;        /* of a decoded chunk */
    int32_t n_filters;
    struct {
        uint32_t id;       /* as HDF5 has it: 1 deflate, 2 shuffle, 32008 bitshuffle, ... */
        uint32_t n_values; /* at most LE_STORED_VALUES */
        uint32_t values[LE_STORED_VALUES];
    } filters[LE_STORED_FILTERS]; /* in the order of writing */
    unsigned char fill[16];       /* one element, in the machine's byte order */
    /* What the place selects along each axis: elements start, start + step, ... (count of them). An
     * index drops its axis. */
    int64_t start[LE_MAX_DIMS], step[LE_MAX_DIMS], count[LE_MAX_DIMS];
    bool dropped[LE_MAX_DIMS];
} le_stored_info;

/* Place in the grid of chunks of number k of those taken along an axis: a step that is longer than a
 * chunk jumps over others. */
static inline int64_t le_stored_place(const le_stored_info *about, int axis, int64_t k) {
    return about->step[axis] > about->chunk[axis]
               ? (about->start[axis] + k * about->step[axis]) / about->chunk[axis]
               : about->first[axis] + k;
}

/* A dataset that a source of stored chunks takes items from. */
typedef struct le_source_piece {
    const char *place;         /* FILE.h5:/DATASET, without slices */
    int64_t first, items;      /* its items among those of the source */
    const char *why;           /* it cannot be opened; NULL: it can */
    const le_stored_info *about; /* why given: that of another one */
} le_source_piece;

/* Opens a place for reading by batches. On error *out is NULL. The engine's threads read; it must
 * outlive the source. Errors as of le_io_read; LE_ERR_UNSUPPORTED: a format without frames, or
 * STORED of a dataset that is not chunked. Links to other
 * files are followed as le_io_read does. */
LE_API le_status le_io_source(le_engine *engine, const char *place, le_source_kind kind,
                              le_source **out);
/* What a source of stored chunks gives, that of its first dataset; NULL for others. Valid as long as
 * the source. */
LE_API const le_stored_info *le_io_source_stored(const le_source *source);
/* Its datasets in order, *pieces valid as long as the source; 0 for other sources. */
LE_API size_t le_io_source_pieces(const le_source *source, const le_source_piece **pieces);
/* Leaves out the next items: source->items is less by as many, the numbers of its pieces' items are
 * as before. Only for sources of stored chunks (LE_ERR_UNSUPPORTED). */
LE_API le_status le_io_source_leave(le_source *source, int64_t items);
/* How many of the next items have been written: up to the first that never was, as in a file that is
 * still growing (HDF5's SWMR), or whose file is not there yet. All that are left, of other sources. */
LE_API int64_t le_io_source_ready(le_source *source);

/* A sink that puts results one after the other along their first axis, for any place that
 * le_io_write takes. Batches may differ in their first extent only (LE_ERR_SHAPE). Until it is closed
 * they lie in a file without a name beside the place, where as much room is needed as the result
 * takes, and again when the place is written; memory does not grow with them. On error *out is NULL.
 * The engine must outlive the sink. */
LE_API le_status le_io_sink(le_engine *engine, const char *place, le_sink **out);
/* complete: writes the place as le_io_write does; the file appears when it is whole, and on an error
 * everything is as before. LE_ERR_SHAPE: no batch has come. Else nothing is written. Releases the
 * sink in any case and sets *sink to NULL, which is allowed. */
LE_API le_status le_io_sink_close(le_sink **sink, bool complete);

/* A result that is put together from pieces, in any order: memory does not grow with it. */
typedef struct le_target le_target;

/* For any place that le_io_write takes; NULL: only to be looked at. Elements that are never put are 0.
 * On error *out is NULL. The engine must outlive the target. */
LE_API le_status le_io_target(le_engine *engine, const char *place, le_dtype dtype, int ndim,
                              const int64_t *shape, le_target **out);
/* Elements [first, first + n) in row-major order. Several threads may put at once. */
LE_API le_status le_target_put(le_target *target, int64_t first, int64_t n, const void *elements);
/* Gives the first axis this extent, which is no smaller; what le_target_tensor gave is gone. */
LE_API le_status le_target_grow(le_target *target, int64_t extent);
/* All elements, to read until the target is closed. */
LE_API le_status le_target_tensor(le_target *target, le_tensor *out);
/* complete: writes the place, as le_io_sink_close does. Sets *target to NULL, which is allowed. */
LE_API le_status le_io_target_close(le_target **target, bool complete);

/* The same for several processes, each of which puts its pieces: HDF5 places only (LE_ERR_UNSUPPORTED).
 * One of them reserves: le_io_target_reserve makes FILE.part, with everything that FILE has and a
 * dataset of the dtype and shape of *shape (whose data is not looked at), its elements unspecified
 * until they are put. They lie together in the machine's byte order, row-major, from byte *offset of
 * FILE.part on. Further datasets of the file that the same process reserves are added to it. again:
 * what an earlier process has reserved and not published, with what was put there; LE_ERR_IO:
 * nobody has. A FILE.part that another process has reserved, or that is anything else, is left as
 * it is (LE_ERR_IO). Then each process joins, puts and closes its target, which can neither grow
 * nor be looked at; closing it with complete false or true is the same. At last the one that has
 * reserved publishes (others: LE_ERR_ARGUMENT), every dataset: with the last one of a file
 * FILE.part becomes FILE, or, where FILE has changed since or is a link, its datasets are written
 * into what is there; if good is false for one of them it is removed. Or it leaves FILE.part as it
 * is, for a process that reserves it again. */
LE_API le_status le_io_target_reserve(const char *place, const le_tensor *shape, bool again,
                                      int64_t *offset);
LE_API le_status le_io_target_join(const char *place, const le_tensor *shape, int64_t offset,
                                   le_target **out);
LE_API le_status le_io_target_publish(const char *place, bool good);
LE_API void le_io_target_leave(const char *place);

/* Runs a chain over all items of its sources, batch by batch: two batches are under way, one is
 * read while the other is computed; sinks get results in order. The shapes that the chain's inputs
 * were declared with are those of an example; each batch has its own. How many items a batch has is
 * learnt from how long they take, in multiples of the sources' blocks, so that two batches take at
 * most 64 MiB (or LE_OPT_MEMORY_LIMIT), but always one block. With LE_OPT_REPRODUCIBLE each but the
 * last has LE_STREAM_REPRODUCIBLE_ITEMS, or the next multiple of the blocks, whatever they take: an
 * implementation may round the results of items together.
 *
 * Every input is given by LE_SOURCE or, the same for all batches, by LE_IN; at least one output by
 * LE_SINK. All sources have the same number of items; two parts of a source are two arguments.
 * Options are those of le_chain_run. On an error sinks have had the batches before it, and sources
 * stand anywhere. Use the macro le_chain_stream. The chain may not be changed or freed meanwhile.
 */
enum { LE_STREAM_REPRODUCIBLE_ITEMS = 8 };
LE_API le_status le_chain_stream_args(const le_chain *chain, const le_arg *args, size_t n_args);

#ifndef __cplusplus
#define le_chain_stream(chain, ...)                                                                \
    le_chain_stream_args((chain), LE_ARGS_(__VA_ARGS__),                                           \
                         sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#endif

/* ------------------------------------------------------------------------------- operations -- */

/* Runs an operation; `input` names the tensor argument that the stream gives, from its present
 * position which must be the first frame. Use the macro le_stream_run. Outputs are unchanged on
 * error. */
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
