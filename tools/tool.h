/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the command-line tools share: how numbers are written for people, colour, messages.
 */
#ifndef LE_TOOL_H
#define LE_TOOL_H

#include "outfile.h"
#include "engine/report/texts.h"
#include "liquid_engine/le_method.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 }; /* exit codes */

/* Whether a stream gets colour: a terminal, NO_COLOR not set, TERM not dumb. */
bool tool_colour(FILE *stream);

typedef enum tool_style {
    TOOL_PLAIN,
    TOOL_BOLD,
    TOOL_DIM,
    TOOL_GREEN,
    TOOL_RED,
    TOOL_YELLOW
} tool_style;
/* Escape sequence that begins a style on this stream, "" without colour; TOOL_PLAIN ends it. */
const char *tool_begin(FILE *stream, tool_style style);

/* "NAME: text" on stderr, where NAME is the program's. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void tool_message(const char *format, ...);

/* Milliseconds of Unix time. */
int64_t tool_now_ms(void);
/* Monotonic seconds. */
double tool_clock(void);

/* A text that grows; {0} is empty. After a failed allocation it stays as it is and `failed` is set.
 */
typedef struct tool_text {
    char *text;
    size_t n, capacity;
    bool failed;
} tool_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tool_add(tool_text *t, const char *format, ...);
void tool_text_free(tool_text *t);

struct cJSON;
/* Writes the tree and a newline, and frees the tree; false when out of memory. */
bool tool_print_json(struct cJSON *root, FILE *out);

/* First of all: a file that cannot grow is an error, not the end of the program, and a program
 * whose standard output was not written in full fails in the end, with a message. */
void tool_start(void);

/* Opens a file for writing that tool_file_close puts at `path` when all was written well and it is
 * to be kept, else drops; folders on the way are created, what could not be written it tells. path,
 * which must live so long, "-": standard output. */
typedef struct tool_file {
    FILE *stream;
    const char *path;
    le__outfile file;
} tool_file;
bool tool_file_open(tool_file *f, const char *path);
bool tool_file_close(tool_file *f, bool keep);
/* Makes the folders on the way to a file; 0 or an errno. */
int tool_make_folders(const char *path);
/* Whether standard output has taken all that was printed; if not, that is told, once. */
bool tool_stdout_is_written(void);
/* Why a file is not to be written over: "the timings database itself" (db: as le_options.db_path),
 * or that it is one of the site; NULL: it is neither. */
const char *tool_database_role(const char *db, const char *path);
/* False after a message when it is. path NULL: there is none to be written. */
bool tool_spares_databases(const char *db, const char *path);
/* A whole file; false after a message. */
bool tool_write(const char *path, const char *text);
/* The same without one: what could not be written is le_error_message's. */
le_status tool_save(const char *path, const char *text);
/* Whether a file can be begun, which is then dropped; as tool_save tells it. */
le_status tool_try(const char *path);

#endif
