/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The header of an NRRD file (https://teem.sourceforge.net/nrrd/format.html).
 */
#ifndef LE_IO_NRRD_H
#define LE_IO_NRRD_H

#include "files/io.h"

typedef struct le__nrrd_header {
    le_dtype type;
    int ndim;
    int64_t shape[LE_MAX_DIMS]; /* slowest first: the header's sizes reversed, without the axis of
                                   the parts of complex numbers */
    bool gzip, big_endian;
    int64_t byte_skip; /* -1: the data are the last bytes of the file */
    int64_t line_skip;
    char data_file[256]; /* "": attached */
    int64_t length;      /* bytes of the header with its closing empty line */
} le__nrrd_header;

/* Parses text[0, size); name is for messages. Reads nothing beyond size. */
le_status le__nrrd_parse(const char *name, const char *text, size_t size, le__nrrd_header *out);

/* The other file with the data of a detached header: as the header names it, or as it would be
 * written, which counts where there is no header yet. malloc'ed; NULL when there is none. */
char *le__nrrd_data_name(const char *file, bool for_writing);

/* Whether a file may be written: as a detached header it names another file, and then reads that
 * name back. */
bool le__nrrd_may_name(const char *file);
extern const char le__nrrd_names[]; /* which ones may */

#endif
