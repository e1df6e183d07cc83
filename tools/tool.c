/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers for people, colour, messages and files of the command-line tools.
 */
#include "tool.h"

#include "benchdb.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool tool_colour(FILE *stream) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

const char *tool_begin(FILE *stream, tool_style style) {
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m",
                                        "\033[32m", "\033[31m", "\033[33m"};
    return tool_colour(stream) ? codes[style] : "";
}

void tool_message(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    flockfile(stderr);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(ap);
}

int64_t tool_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

double tool_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- growing text --- */

static bool reserve(tool_text *t, size_t more) {
    if (t->failed || t->n + more < t->capacity)
        return !t->failed;
    size_t capacity = 2 * (t->n + more) + 64;
    char *text = realloc(t->text, capacity);
    t->failed = !text;
    if (text) {
        t->text = text;
        t->capacity = capacity;
    }
    return text != NULL;
}

void tool_add(tool_text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0 || !reserve(t, (size_t)n + 1))
        return;
    va_start(ap, format);
    vsnprintf(t->text + t->n, t->capacity - t->n, format, ap);
    va_end(ap);
    t->n += (size_t)n;
}

void tool_text_free(tool_text *t) {
    free(t->text);
    *t = (tool_text){0};
}

/* --- files --- */

bool tool_print_json(cJSON *root, FILE *out) {
    char *text = le__json_show(root);
    cJSON_Delete(root);
    if (text)
        fprintf(out, "%s\n", text);
    free(text);
    return text != NULL;
}

/* Whether a stream has taken all that was printed; else *error is why, 0 where that is not known.
 * The reason of a write that failed long ago is lost: another byte, behind what is broken already,
 * fails for the same one. */
static bool is_written(FILE *stream, int *error) {
    errno = 0;
    const bool good = fflush(stream) == 0 && !ferror(stream);
    if (!good && !errno && write(fileno(stream), "\n", 1) == 1)
        errno = 0;
    *error = good ? 0 : errno;
    return good;
}

/* error: 0 where it is known only that something is missing. */
static le_status unwritten(const char *what, int error) {
    return le_fail(LE_ERR_IO, "%s cannot be written%s%s", what, error ? ": " : " in full",
                   error ? strerror(error) : "");
}

/* Once: what standard output has not taken shows in many places. */
bool tool_stdout_is_written(void) {
    static bool told;
    int error;
    if (is_written(stdout, &error))
        return true;
    if (!told) {
        unwritten("standard output", error);
        tool_message("%s", le_error_message());
    }
    told = true;
    return false;
}

static void check_stdout(void) {
    if (!tool_stdout_is_written())
        _exit(TOOL_FAILED);
}

void tool_start(void) {
    signal(SIGXFSZ, SIG_IGN);
    atexit(check_stdout); /* argp ends the process itself */
}

int tool_make_folders(const char *path) {
    char *copy = strdup(path);
    int error = copy ? le__outfile_folders(copy, 0777) : ENOMEM;
    free(copy);
    return error;
}

static le_status open_file(tool_file *f, const char *path) {
    *f = (tool_file){.path = path, .file.fd = -1};
    if (!strcmp(path, "-")) {
        f->stream = stdout;
        return LE_OK;
    }
    int error = tool_make_folders(path);
    if (!error)
        error = le__outfile_open(&f->file, path, false);
    int fd = error ? -1 : dup(f->file.fd);
    f->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (f->stream)
        return LE_OK;
    error = error ? error : errno;
    le__outfile_abandon(&f->file);
    return unwritten(path, error);
}

/* Of standard output it is told elsewhere. */
static le_status close_file(tool_file *f, bool keep) {
    if (f->stream == stdout)
        return LE_OK;
    int error;
    bool ok = is_written(f->stream, &error);
    fclose(f->stream);
    if (ok && keep) {
        error = le__outfile_commit(&f->file);
        ok = !error;
    } else {
        le__outfile_abandon(&f->file);
    }
    return ok ? LE_OK : unwritten(f->path, error);
}

static bool told(le_status status) {
    if (status != LE_OK)
        tool_message("%s", le_error_message());
    return status == LE_OK;
}

bool tool_file_open(tool_file *f, const char *path) {
    return told(open_file(f, path));
}

bool tool_file_close(tool_file *f, bool keep) {
    if (f->stream == stdout)
        return tool_stdout_is_written() && keep;
    return told(close_file(f, keep)) && keep;
}

le_status tool_try(const char *path) {
    tool_file f;
    le_status status = open_file(&f, path);
    return status == LE_OK ? close_file(&f, false) : status;
}

le_status tool_save(const char *path, const char *text) {
    tool_file f;
    le_status status = open_file(&f, path);
    if (status != LE_OK)
        return status;
    fputs(text, f.stream);
    return close_file(&f, true);
}

const char *tool_database_role(const char *db, const char *path) {
    char database[4096];
    le_db_default_path(db, database, sizeof database);
    return le_db_role_text(le_db_file_role(database, le_db_default_site_path(NULL), path));
}

bool tool_spares_databases(const char *db, const char *path) {
    const char *role = path ? tool_database_role(db, path) : NULL;
    if (role)
        tool_message("%s is %s, expected another file to write to", path, role);
    return !role;
}

bool tool_write(const char *path, const char *text) {
    return told(tool_save(path, text)) && (strcmp(path, "-") != 0 || tool_stdout_is_written());
}
