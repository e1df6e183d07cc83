/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The header of an NRRD file (https://teem.sourceforge.net/nrrd/format.html).
 */
#ifndef LE_IO_NRRD_H
#define LE_IO_NRRD_H

#include "io/io.h"

typedef struct le__nrrd_header {
    le__io_type type;
    int ndim;
    int64_t shape[LE_MAX_DIMS];  /* slowest first: the header's sizes reversed */
    bool gzip, big_endian;
    int64_t byte_skip;           /* -1: the data are the last bytes of the file */
    int64_t line_skip;
    char data_file[256];         /* "": attached */
    int64_t length;              /* bytes of the header with its closing empty line */
} le__nrrd_header;

/* Parses text[0, size); name is for messages. Reads nothing beyond size. */
le_status le__nrrd_parse(const char *name, const char *text, size_t size, le__nrrd_header *out);

#endif
