/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is done of a scan when its processes are killed: each appends the results of its batches to
 * a file of its own beside the first result, FILE.journal.N.
 */
#ifndef LE_TOOLS_SCAN_JOURNAL_H
#define LE_TOOLS_SCAN_JOURNAL_H

#include "run.h"
#include "scan_layout.h"

typedef struct scan_journal {
    char *stem;       /* FILE.journal.; NULL: there is no file to be beside of */
    uint64_t command; /* that it is of: the call, its options, its inputs as they are now */
    uint64_t place;   /* of the first result */
    bool any;         /* something of the command was there */
    int64_t next;     /* the number that the next file gets */
    int fd;           /* of this process; -1: none */
    int64_t next_ms;  /* when it is on disk again */
} scan_journal;

/* The results of a batch: elements of output number `output` for so many items. */
typedef le_status (*scan_journal_take)(void *cookie, int output, int64_t first, int64_t items,
                                       const le_tensor *t);

/* Nothing is read yet. LE_ERR_MEMORY. */
le_status scan_journal_open(scan_journal *j, const run_options *o, const run_args *a,
                            const scan_layout *frames, int64_t items);
/* Gives all batches that processes of the same command have left. What is of another command, or a
 * file's torn end, is as if it were not there; nothing at all: those of scans into the same place
 * are removed. */
le_status scan_journal_read(scan_journal *j, int n_outputs, int64_t items, scan_journal_take take,
                            void *cookie);
/* From now on batches are kept, in the file of this number; where none can be written they are not.
 */
void scan_journal_begin(scan_journal *j, int64_t number);
void scan_journal_put(scan_journal *j, int output, int64_t first, int64_t items,
                      const le_tensor *t);
/* Of all processes, and of other scans into the same place. */
void scan_journal_remove(scan_journal *j);
void scan_journal_close(scan_journal *j);

#endif
