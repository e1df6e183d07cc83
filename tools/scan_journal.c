/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A file is a head, which says what it is of, and records that are whole or not there: a process
 * may be killed while it writes one, and a machine may lose what has not reached its disk.
 */
#include "scan_journal.h"

#include "outfile.h"
#include "scan_command.h"
#include "tool.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYNC_MS = 60000 };

typedef struct head {
    char magic[8];
    uint64_t command, place;
} head;

typedef struct record {
    uint64_t check; /* of all that follows, data too */
    int64_t first, items, bytes;
    int64_t output, dtype, ndim;
    int64_t shape[LE_MAX_DIMS];
} record;

static const char magic[8] = "lescan2";

static uint64_t check_of(const record *r, const void *data) {
    const size_t left = sizeof r->check;
    return scan_mixed(scan_mixed(0xcbf29ce484222325u, (const char *)r + left, sizeof *r - left),
                      data, (size_t)r->bytes);
}

le_status scan_journal_open(scan_journal *j, const run_options *o, const run_args *a,
                            const scan_layout *frames, int64_t items) {
    char name[PATH_MAX];
    *j = (scan_journal){.fd = -1};
    if (!scan_command_name(a, ".journal.", name, sizeof name))
        return LE_OK;
    j->stem = strdup(name);
    j->place = scan_command_place(a);
    return j->stem && scan_command_hash(o, a, frames, items, &j->command)
               ? LE_OK
               : le_fail(LE_ERR_MEMORY, "out of memory");
}

/* ------------------------------------------------------------------------------------- files -- */

typedef bool (*file_fn)(void *cookie, const char *name, int64_t number);

/* Whether the name is the stem's last part and a number. */
static bool is_of(const char *name, const char *stem, int64_t *number) {
    const size_t n = strlen(stem);
    char *end = NULL;
    if (strncmp(name, stem, n) != 0 || name[n] < '0' || name[n] > '9')
        return false;
    *number = strtoll(name + n, &end, 10);
    return *end == '\0' && *number < INT_MAX;
}

static void each_file(const scan_journal *j, file_fn fn, void *cookie) {
    char folder[PATH_MAX], name[2 * PATH_MAX];
    const char *slash = strrchr(j->stem, '/'), *last = slash ? slash + 1 : j->stem;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - j->stem + 1) : 1,
             slash ? j->stem : ".");
    DIR *d = opendir(folder);
    bool more = d != NULL;
    for (struct dirent *e; more && (e = readdir(d)) != NULL;) {
        int64_t number;
        if (!is_of(e->d_name, last, &number))
            continue;
        snprintf(name, sizeof name, "%s%" PRId64, j->stem, number);
        more = fn(cookie, name, number);
    }
    if (d)
        closedir(d);
}

/* Whether it is a journal of a scan into the same place. */
static bool read_head(FILE *f, const scan_journal *j, head *h) {
    return f && fread(h, sizeof *h, 1, f) == 1 && !memcmp(h->magic, magic, sizeof magic) &&
           h->place == j->place;
}

static bool remove_one(void *cookie, const char *name, int64_t number) {
    head h;
    FILE *f = fopen(name, "rb");
    (void)number;
    if (read_head(f, cookie, &h))
        unlink(name);
    if (f)
        fclose(f);
    return true;
}

void scan_journal_remove(scan_journal *j) {
    if (j->stem)
        each_file(j, remove_one, j);
}

/* ----------------------------------------------------------------------------------- reading -- */

typedef struct reading {
    scan_journal *journal;
    int n_outputs;
    int64_t items;
    scan_journal_take take;
    void *cookie;
    le_status status;
} reading;

static bool is_possible(const reading *r, const record *about) {
    bool good = about->output >= 0 && about->output < r->n_outputs && about->first >= 0 &&
                about->items > 0 && about->first <= r->items - about->items && about->ndim > 0 &&
                about->ndim <= LE_MAX_DIMS && about->dtype > 0 && about->dtype <= LE_DTYPE_LAST;
    int64_t bytes = good ? (int64_t)le_dtype_size((le_dtype)about->dtype) : 0;
    for (int d = 0; good && d < about->ndim; d++)
        good = about->shape[d] > 0 && !__builtin_mul_overflow(bytes, about->shape[d], &bytes);
    return good && bytes == about->bytes;
}

/* false: there is no further one. */
static bool read_record(reading *r, FILE *f, int64_t left) {
    record about;
    if (fread(&about, sizeof about, 1, f) != 1 || !is_possible(r, &about) ||
        about.bytes > left - (int64_t)sizeof about)
        return false;
    void *data = malloc((size_t)about.bytes);
    if (!data) {
        r->status = le_fail(LE_ERR_MEMORY, "out of memory");
        return false;
    }
    bool good =
        fread(data, (size_t)about.bytes, 1, f) == 1 && check_of(&about, data) == about.check;
    if (good) {
        const le_tensor t = le_tensor_of(data, (le_dtype)about.dtype, (int)about.ndim, about.shape);
        r->status = r->take(r->cookie, (int)about.output, about.first, about.items, &t);
        good = r->status == LE_OK;
    }
    free(data);
    return good;
}

static bool read_file(void *cookie, const char *name, int64_t number) {
    reading *r = cookie;
    struct stat about;
    head h;
    FILE *f = fopen(name, "rb");
    const bool good = read_head(f, r->journal, &h) && fstat(fileno(f), &about) == 0 &&
                      h.command == r->journal->command;
    if (number >= r->journal->next)
        r->journal->next = number + 1;
    r->journal->any = r->journal->any || good;
    while (good && read_record(r, f, (int64_t)about.st_size - ftell(f)))
        ;
    if (f)
        fclose(f);
    return r->status == LE_OK;
}

le_status scan_journal_read(scan_journal *j, int n_outputs, int64_t items, scan_journal_take take,
                            void *cookie) {
    reading r = {j, n_outputs, items, take, cookie, LE_OK};
    if (!j->stem)
        return LE_OK;
    each_file(j, read_file, &r);
    if (!j->any)
        scan_journal_remove(j);
    return r.status;
}

/* ----------------------------------------------------------------------------------- writing -- */

static void give_up(scan_journal *j) {
    close(j->fd);
    j->fd = -1;
}

void scan_journal_begin(scan_journal *j, int64_t number) {
    char name[PATH_MAX + 24];
    head h = {.command = j->command, .place = j->place};
    if (!j->stem)
        return;
    memcpy(h.magic, magic, sizeof magic);
    snprintf(name, sizeof name, "%s%" PRId64, j->stem, number);
    j->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    j->next_ms = tool_now_ms() + SYNC_MS;
    if (j->fd >= 0 && le__outfile_write(j->fd, &h, sizeof h) != 0)
        give_up(j);
}

void scan_journal_put(scan_journal *j, int output, int64_t first, int64_t items,
                      const le_tensor *t) {
    record r = {.first = first, .items = items, .output = output};
    if (j->fd < 0 || !le_tensor_is_contiguous(t))
        return;
    r.dtype = t->dtype;
    r.ndim = t->ndim;
    memcpy(r.shape, t->shape, (size_t)t->ndim * sizeof *r.shape);
    r.bytes = le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
    r.check = check_of(&r, t->data);
    if (r.bytes == 0)
        return;
    if (le__outfile_write(j->fd, &r, sizeof r) != 0 ||
        le__outfile_write(j->fd, t->data, (size_t)r.bytes) != 0) {
        give_up(j);
    } else if (tool_now_ms() >= j->next_ms) {
        fdatasync(j->fd);
        j->next_ms = tool_now_ms() + SYNC_MS;
    }
}

void scan_journal_close(scan_journal *j) {
    if (j->fd >= 0)
        close(j->fd);
    free(j->stem);
    *j = (scan_journal){.fd = -1};
}
