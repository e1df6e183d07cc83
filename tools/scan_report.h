/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which frames of a scan are bad, and how far it is.
 */
#ifndef LE_TOOLS_SCAN_REPORT_H
#define LE_TOOLS_SCAN_REPORT_H

#include "scan_layout.h"

typedef struct scan_report {
    scan_layout frames;
    bool skip;
    bool *bad;         /* for each frame */
    int64_t *bad_item; /* of each piece: its first bad item; -1: none */
    int64_t n_bad, done;
    int64_t per_item; /* frames of a chunk */
} scan_report;

/* Of a scan with these frames; what is known of fewer stays. {0} knows nothing. */
le_status scan_report_grow(scan_report *r, const scan_layout *frames);
void scan_report_free(scan_report *r);
/* The chunk with this number is bad: an error unless such are skipped. */
le_status scan_report_bad(scan_report *r, int64_t item);
/* All items before this one are done. */
void scan_report_done(scan_report *r, int64_t item);
/* What is wrong with the chunk of this number, in a few words; "": not known. */
typedef const char *(*scan_reason)(void *cookie, int64_t item);
/* On stderr: the bad frames and their files. */
void scan_report_print(const scan_report *r, scan_reason reason, void *cookie);
/* The item that ended the scan; -1: none did. */
int64_t scan_report_refused(const scan_report *r);

#endif
