/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A file is a head, which says what it is of, and records that are whole or not there: a process
 * may be killed while it writes one, and a machine may lose what has not reached its disk.
 */
#include "scan_journal.h"

#include "scan_state.h"
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
    uint64_t command;
} head;

typedef struct record {
    uint64_t check; /* of all that follows, data too */
    int64_t first, items, bytes;
    int64_t output, dtype, ndim;
    int64_t shape[LE_MAX_DIMS];
} record;

static const char magic[8] = "lescan1";

/* FNV-1a (Fowler, Noll, Vo), a word at a time. */
static uint64_t mixed(uint64_t h, const void *data, size_t n) {
    const char *at = data;
    for (; n >= sizeof h; at += sizeof h, n -= sizeof h) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 32;
    }
    for (; n > 0; at++, n--)
        h = (h ^ (unsigned char)*at) * 0x100000001b3u;
    return h;
}

static uint64_t check_of(const record *r, const void *data) {
    const size_t left = sizeof r->check;
    return mixed(mixed(0xcbf29ce484222325u, (const char *)r + left, sizeof *r - left), data,
                 (size_t)r->bytes);
}

/* ----------------------------------------------------------------------------- what it is of -- */

/* The size and date of the file that a place is in. */
static void add_file(tool_text *t, const char *place) {
    struct stat about;
    const char *colon = strstr(place, ":/");
    const size_t n = colon ? (size_t)(colon - place) : strcspn(place, ":[");
    char file[PATH_MAX];
    if (snprintf(file, sizeof file, "%.*s", (int)n, place) < (int)sizeof file &&
        stat(file, &about) == 0)
        tool_add(t, " %" PRId64 " %" PRId64 ".%09" PRId64, (int64_t)about.st_size,
                 (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec);
}

static void add_options(tool_text *t, const run_options *o) {
    const char *const words[] = {o->implementation, o->run_type, o->device};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        tool_add(t, " %s", words[i] ? words[i] : "-");
    tool_add(t, " %d %a %a %s", o->reproducible, o->has_rtol ? o->rtol : -1,
             o->has_atol ? o->atol : -1, le_version());
}

static void add_inputs(tool_text *t, const run_args *a, const scan_layout *frames) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->args[i].given && a->args[i].text && a->operation->args[i].type != LE_TYPE_OUT)
            add_file(t, a->args[i].text);
    for (size_t k = 0; k < frames->n_pieces; k++)
        add_file(t, frames->pieces[k].place);
}

le_status scan_journal_open(scan_journal *j, const run_options *o, const run_args *a,
                            const scan_layout *frames, int64_t items) {
    char name[PATH_MAX];
    tool_text about = {0};
    *j = (scan_journal){.fd = -1};
    if (!scan_state_name(a, ".journal.", name, sizeof name))
        return LE_OK;
    scan_state_describe(a, items, &about);
    add_options(&about, o);
    add_inputs(&about, a, frames);
    j->stem = strdup(name);
    if (!about.failed)
        j->command = mixed(0, about.text, about.n);
    const bool good = j->stem && !about.failed;
    tool_text_free(&about);
    return good ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory");
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
    return *end == '\0';
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

static bool remove_one(void *cookie, const char *name, int64_t number) {
    (void)cookie, (void)number;
    unlink(name);
    return true;
}

void scan_journal_remove(const scan_journal *j) {
    if (j->stem)
        each_file(j, remove_one, NULL);
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
    const bool good = f && fstat(fileno(f), &about) == 0 && fread(&h, sizeof h, 1, f) == 1 &&
                      !memcmp(h.magic, magic, sizeof magic) && h.command == r->journal->command;
    if (good && number >= r->journal->files)
        r->journal->files = number + 1;
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
    if (j->files == 0)
        scan_journal_remove(j);
    return r.status;
}

/* ----------------------------------------------------------------------------------- writing -- */

static bool write_all(int fd, const void *data, size_t n) {
    for (const char *at = data; n > 0;) {
        const ssize_t some = write(fd, at, n);
        if (some <= 0)
            return false;
        at += some;
        n -= (size_t)some;
    }
    return true;
}

static void give_up(scan_journal *j) {
    close(j->fd);
    j->fd = -1;
}

void scan_journal_begin(scan_journal *j, int64_t number) {
    char name[PATH_MAX + 24];
    head h = {.command = j->command};
    if (!j->stem)
        return;
    memcpy(h.magic, magic, sizeof magic);
    snprintf(name, sizeof name, "%s%" PRId64, j->stem, number);
    j->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    j->next_ms = tool_now_ms() + SYNC_MS;
    if (j->fd >= 0 && !write_all(j->fd, &h, sizeof h))
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
    if (!write_all(j->fd, &r, sizeof r) || !write_all(j->fd, t->data, (size_t)r.bytes)) {
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
