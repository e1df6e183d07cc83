/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A scan of stored frames under way: run_scan.c runs it, scan_outputs.c puts what comes of it into
 * its places, scan_reason.c finds out what is wrong with a chunk, scan_parts.c does what is left of
 * a scan, and each rank's share of that.
 */
#ifndef LE_TOOLS_SCAN_H
#define LE_TOOLS_SCAN_H

#include "liquid_engine/le_stream.h"
#include "run.h"
#include "scan_frames.h"
#include "scan_journal.h"
#include "scan_layout.h"
#include "scan_ranks.h"
#include "scan_report.h"

#include <stdbool.h>

/* What the first axis of an output counts, as its descriptor says. */
typedef enum out_kind {
    OUT_COMMON,   /* nothing: it is the same for all batches */
    OUT_FRAMES,   /* [N,...]: rows of frames */
    OUT_ELEMENTS, /* [n*chunk[0],...]: elements of chunks */
    OUT_CHUNKS    /* [n]: of each chunk, 0 if it is bad */
} out_kind;

typedef struct scan scan;

typedef struct output {
    le_sink base; /* the first member: le_sink.put gets it */
    scan *scan;
    const le_arg_desc *desc;
    run_arg *arg;
    out_kind kind;
    scan_layout layout;
    le_target *target;       /* made with the first batch */
    le_tensor common;        /* owned */
    int64_t cells, elements; /* of a chunk; of a cell */
    const char *data;        /* of the chunk that is put */
    size_t cell_bytes;
} output;

struct scan {
    le_engine *engine;
    const run_options *options;
    run_args *a;
    int frames; /* index of the argument */
    bool skip;
    le_source *source;
    const le_source_piece *pieces;
    size_t n_pieces;
    int64_t left_out; /* items before the first that the source gives */
    int64_t all;      /* of the file; a part may be to come yet */
    le_chain *chain;
    scan_wish wish;
    le_arg given[LE_MAX_ARGS], format[LE_MAX_ARGS]; /* what the user and the file say */
    size_t n_given, n_format;
    double chunk[LE_MAX_DIMS];
    char type[8];
    bool stopped;        /* by Ctrl-C */
    bool ended;          /* no more frames are waited for */
    bool shared;         /* by the ranks of a job */
    bool parted;         /* only what is left of the items is done, each rank's share of it: */
    scan_shared common;  /* these, */
    scan_share own;      /* of which this rank has these */
    int64_t at;          /* the place in `common` of the first item that the source gives */
    char *bad;           /* by place in `common` */
    unsigned char *done; /* by item, of what killed processes have left; rank 0 */
    scan_journal journal;
    double since; /* when the batch before this one ended */
    output outputs[LE_MAX_ARGS];
    int n_outputs, teller; /* teller: the output that tells which chunks are bad */
    scan_report report;
};

/* --- run_scan.c --- */
/* What there is now of the frames, from item left_out on, and where all that comes of it belongs.
 */
le_status scan_connect(scan *s);
/* The items that the source gives. */
le_status scan_stream(scan *s, const le_arg *options, size_t n_options);

/* --- scan_outputs.c --- */
typedef le_status (*scan_put)(le_sink *sink, int64_t first, int64_t items, const le_tensor *t);
/* Those that are given, those that must be, and one that tells of bad chunks; put: their sinks'. */
le_status scan_outputs_choose(scan *s, scan_put put);
/* Whether each is of whole frames, and of no elements. */
bool scan_outputs_whole(const scan *s);
/* Where all that comes of the scan's pieces belongs; targets grow with them. */
le_status scan_outputs_lay_out(scan *s);
/* Results of a batch: of items [first, first + items) of the file. */
le_status scan_take_batch(output *o, int64_t first, int64_t items, const le_tensor *t);
/* Whether the same command finds again what is done so far. */
bool scan_outputs_stay(const scan *s);
/* The results of the same command, which was stopped after so many items, go to their places. */
le_status scan_outputs_take_up(scan *s, int64_t done);
/* Frames that were not reached are NaN; then it is written, or told. */
le_status scan_outputs_finish(scan *s, output *o);
void scan_outputs_free(scan *s);

/* --- scan_reason.c --- */
/* What is wrong with the chunk of this number of the scan `cookie` (a scan_reason); "": not known.
 * Good until the next call. */
const char *scan_reason_of(void *cookie, int64_t item);
/* The error again, with what is wrong with the frame. */
le_status scan_reason_tell(scan *s, le_status status);

/* --- scan_parts.c --- */
/* The error of the lowest rank that has one, on all that share the scan. */
le_status scan_agree(const scan *s, le_status status);
/* Takes up what killed processes have left, and shares out the rest: only this rank's part is left.
 */
le_status scan_parts_begin(scan *s, const le_arg *options, size_t n_options);
le_status scan_parts_stream(scan *s, const le_arg *options, size_t n_options);
/* Rank 0 gets what the others have. */
le_status scan_parts_gather(scan *s);

#endif
