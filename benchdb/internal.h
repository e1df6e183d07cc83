/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the files of benchdb share: the handle, a connection with its prepared statements, the names
 * known to a handle, and rows on their way into a file. Locks, always taken in this order:
 * reader_lock or memory_lock (a connection), then queue_lock, then names_lock.
 */
#ifndef LE_BENCHDB_INTERNAL_H
#define LE_BENCHDB_INTERNAL_H

#include "benchdb.h"
#include "forks.h"
#include "signals.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>

#define LE__APPLICATION_ID 0x4c45444a /* "LEDJ" */
#define LE__SCHEMA_VERSION 2
#define LE__MAX_PARTS      32
#define LE__MAX_TEXT       65536 /* longest evidence or key that is stored */

/* ------------------------------------------------------------------------- connections ---- */

typedef enum le__db_statement {
    LE__ST_BEGIN,
    LE__ST_COMMIT,
    LE__ST_ROLLBACK,
    LE__ST_ORIGIN,
    LE__ST_IDENTITY,
    LE__ST_PART,
    LE__ST_PROBLEM,
    LE__ST_PROBLEM_KEEP,
    LE__ST_CANDIDATE,
    LE__ST_ADD_SAMPLES,
    LE__ST_PUT_SAMPLES,
    LE__ST_RAW,
    LE__ST_RAW_CLEAR,
    LE__ST_ADD_VERDICT,
    LE__ST_PUT_VERDICT,
    LE__ST_HAND_VERDICT,
    LE__ST_ADD_CHOICE,
    LE__ST_DROP_CHOICE,
    LE__ST_PUT_CHOICE,
    LE__ST_ADD_ACCOUNT,
    LE__ST_PUT_ACCOUNT,
    LE__ST_COUNT
} le__db_statement;

typedef struct le__db_file_id { /* all 0: there was none */
    dev_t device;
    ino_t inode;
} le__db_file_id;

typedef struct le__db_connection {
    sqlite3 *sql; /* NULL: closed */
    sqlite3_stmt *statements[LE__ST_COUNT];
    int64_t origin; /* id of the file's UUID */
    char uuid[37];
    uint64_t generation;           /* names are written once a generation; new on rollback */
    le__db_file_id file, wal, shm; /* which they are, to notice that the file was replaced */
} le__db_connection;

/* Prepared on first use, reset and without bindings; NULL on error. */
sqlite3_stmt *le__db_statement_of(le__db_connection *c, le__db_statement which);
/* Steps a statement that returns no row that matters and resets it. SQLITE_OK or an error. */
int le__db_step(sqlite3_stmt *statement);
/* Runs SQL without parameters. */
int le__db_execute(le__db_connection *c, const char *sql);
/* First column of the first row as integer; SQLITE_OK or an error. */
int le__db_query_int(le__db_connection *c, const char *sql, int64_t *out);
/* Ends a transaction that only read, even when memory is short. */
void le__db_end(le__db_connection *c);
void le__db_connection_close(le__db_connection *c);
/* A number never given before in this process. */
uint64_t le__db_next_generation(void);

/* ------------------------------------------------------------------------------- files ---- */

typedef enum le__db_file_state {
    LE__FILE_OK = 0,
    LE__FILE_MISSING,
    LE__FILE_BUSY,
    LE__FILE_READONLY, /* open for reading */
    LE__FILE_NEWER,    /* open for reading, if that works */
    LE__FILE_FOREIGN,  /* a database of something else, or none at all */
    LE__FILE_CORRUPT,
    LE__FILE_UNUSABLE, /* cannot be opened or created */
    LE__FILE_FULL
} le__db_file_state;

typedef enum le__db_file_mode {
    LE__READ,  /* an existing file; migrates an older one */
    LE__WRITE, /* creates the file and its folder */
    LE__FROZEN /* changes nothing */
} le__db_file_mode;

/* Opens path; of one with an older schema that cannot be migrated there, a copy in memory is what
 * is open. With OK, READONLY and NEWER the connection is open (NEWER: c->sql may be NULL). */
le__db_file_state le__db_file_open(le__db_connection *c, const char *path, const char *vfs,
                                   le__db_file_mode mode, int busy_ms);
/* What an SQLite error means for the file as a whole. */
le__db_file_state le__db_file_state_of(int rc);
/* The same of the last error of a connection, which may have been a moment's. */
le__db_file_state le__db_file_state_on(le__db_connection *c, int rc);
/* Whether path is the database file `database`, or what SQLite keeps beside it, by whatever name.
 */
bool le__db_is_file_of(const char *database, const char *path);
/* Whether path is still the file that c has open. */
bool le__db_file_same(const le__db_connection *c, const char *path);
/* To be called before another file is opened at the path of the one that c has open: one that was
 * moved or deleted without its write-ahead log gets what is in that, and the log is removed, for
 * the next file at the path would take it for its own. SQLITE_OK, or why that has to wait. */
int le__db_file_leave(le__db_connection *c);
/* Leaves the file, as far as that can be done at once, and closes the connection. */
void le__db_file_close(le__db_connection *c);
/* False when what is open does not even begin as a database does. */
bool le__db_file_may_be_damaged(le__db_connection *c);
/* Renames a corrupt file and its companions unless another process did; false if it is still there.
 * aside gets the new name, "" when there was nothing left to do. */
bool le__db_file_set_aside(const le__db_connection *c, const char *path, char *aside, size_t size);
/* A database in memory with the current schema. */
bool le__db_memory_open(le__db_connection *c);
/* After a transaction, by whoever writes: the older half of its problems goes when it takes more
 * than *limit bytes (0: the first limit). */
void le__db_memory_trim(le__db_connection *c, int64_t *limit);
/* Brings the schema to LE__SCHEMA_VERSION in one transaction; SQLITE_OK or an error. */
int le__db_migrate(le__db_connection *c);
/* The same with given steps: steps[v] is SQL that leads from version v to v + 1, v > 0. */
int le__db_migrate_to(le__db_connection *c, const char *const *steps, int64_t target);
/* Reads the UUID. */
int le__db_read_origin(le__db_connection *c);
/* Around whatever a caller's thread does with SQLite: signals of files blocked, forks waiting. */
void le__db_enter(le__signals *s);
void le__db_leave(const le__signals *s);
/* SQL functions and settings of every connection. */
int le__db_connection_setup(le__db_connection *c, int busy_ms);
extern const char le__db_schema_sql[];

/* ------------------------------------------------------------------------------- names ---- */

typedef struct le__db_name {
    int64_t id; /* 0: empty slot of the table */
    enum { LE__NAME_IDENTITY = 1, LE__NAME_PROBLEM, LE__NAME_CANDIDATE } type;
    le_db_kind kind;   /* of an identity */
    le_db_part *parts; /* of an identity */
    size_t n_parts;
    char *texts[5]; /* problem: operation, key; candidate: operation .. source hash */
    double work, bytes;
    int64_t device;      /* of a candidate */
    uint64_t generation; /* connection generation it was written in; owned by the writer */
    bool written;        /* something of it since the last search for names to drop; the writer's */
} le__db_name;

typedef struct le__db_names {
    pthread_mutex_t lock;
    le__db_name **slots; /* open addressing; names never move, identities and candidates stay */
    size_t capacity, count;
    size_t problems; /* of these */
} le__db_names;

int64_t le__db_problem_id(const char *operation, const char *key);
int64_t le__db_candidate_id(const le_db_candidate_key *key);
int64_t le__db_text_id(const char *text);
le__db_name *le__db_names_find(le__db_names *names, int64_t id);
void le__db_names_free(le__db_names *names);
/* By the writer alone: where there are more problems than are kept, drops those that are in the
 * file of this generation and of which nothing was written since the last time. */
void le__db_names_thin(le__db_names *names, uint64_t generation);
/* Adds an identity. */
extern const char *const le__db_kind_names[5]; /* of le_db_kind; NULL ends them */
bool le__db_names_identity(le__db_names *names, le_db_kind kind, const le_db_part *parts, size_t n,
                           int64_t *id);
/* Parts sorted by name, the later of two of the same name; returns how many. */
size_t le__db_sort_parts(le_db_part *parts, size_t n);
/* "" where there is none of this name. */
const char *le__db_part_of(const le_db_part *parts, size_t n, const char *name);
/* Bits of what differs between two sorted sets of the same kind. */
uint32_t le__db_compare_parts(le_db_kind kind, const le_db_part *a, size_t n_a, const le_db_part *b,
                              size_t n_b);

/* --------------------------------------------------------------------------- rows -------- */

/* Samples of one (problem, candidate) on their way into a file. */
typedef struct le__db_sample_row {
    int64_t origin, machine, build, problem, candidate;
    le_moments clean, contended, cold;
    le_db_stopped stopped, stopped_cold; /* not in seen */
    double min_s, max_s;                 /* NaN: none */
    double cpu_s;
    int64_t cpu_n;
    double setup_s;
    int64_t peak_bytes, first_ms, last_ms, seen;
    le_sketch sketch;
    le_db_sample raw[LE_DB_RAW];
    int n_raw;
} le__db_sample_row;

/* Samples in a row, stopped ones too. */
int64_t le__db_row_samples(const le__db_sample_row *row);
void le__db_stopped_merge(le_db_stopped *into, const le_db_stopped *from);
void le__db_row_add(le__db_sample_row *row, const le_db_sample *sample, uint64_t *random_state);
static inline uint32_t le__db_sample_times(const le_db_sample *s) {
    return s->times ? s->times : 1;
}

#define LE__SKETCH_BYTES (6 * LE_SKETCH_BINS)
size_t le__db_sketch_encode(const le_sketch *s, unsigned char *out);
bool le__db_sketch_decode(le_sketch *s, const void *blob, size_t size);
void le__db_errors_encode(const double *errors, unsigned char *out); /* 8 * LE_DB_ERRORS bytes */
void le__db_errors_decode(const unsigned char *blob, double *errors);

/* Writing rows; SQLITE_OK or an error. add: accumulates; put: replaces if newer, *stored tells. */
int le__db_write_name(le__db_connection *c, const le__db_name *name, bool replace);
int le__db_add_samples(le__db_connection *c, const le__db_sample_row *row, uint64_t *random_state);
int le__db_put_samples(le__db_connection *c, const le__db_sample_row *row, bool *stored);
int le__db_add_verdict(le__db_connection *c, const le_db_verdict *v);
int le__db_put_verdict(le__db_connection *c, const le_db_verdict *v, bool *stored);
/* Of two the worse one stands. */
int le__db_hand_verdict(le__db_connection *c, const le_db_verdict *v);
int le__db_add_choice(le__db_connection *c, const le_db_choice *v);
int le__db_put_choice(le__db_connection *c, const le_db_choice *v, bool *stored);
int le__db_add_account(le__db_connection *c, const le_db_account *a);
int le__db_put_account(le__db_connection *c, int64_t origin, const le_db_account *a, bool *stored);
int le__db_put_origin(le__db_connection *c, int64_t id, const char *uuid);

/* Reading rows. Columns of SELECT LE__SAMPLE_COLUMNS, starting at column `first`. */
#define LE__SAMPLE_COLUMNS                                                                         \
    "s.origin, s.machine, s.build, s.problem, s.candidate, s.clean_n, s.clean_mean, s.clean_m2, "  \
    "s.contended_n, s.contended_mean, s.contended_m2, s.cold_n, s.cold_mean, s.cold_m2, s.min_s, " \
    "s.max_s, s.cpu_s, s.cpu_n, s.setup_s, s.peak_bytes, s.first_ms, s.last_ms, s.seen, "          \
    "s.sketch, "                                                                                   \
    "s.stopped_n, s.stopped_s, s.stopped_cold_n, s.stopped_cold_s"
/* false: the values make no sense. */
bool le__db_read_samples(sqlite3_stmt *st, int first, le__db_sample_row *out);
#define LE__RAW_COLUMNS                                                                            \
    "r.seconds, r.setup_s, r.kernel_s, r.transfer_s, r.cpu_s, r.peak_bytes, r.date_ms, r.load, "   \
    "r.steal, r.throttled, r.pressure, r.flags"
bool le__db_read_raw(sqlite3_stmt *st, int first, le_db_sample *out);
/* Whether a row's numbers are possible; what is wrong, or NULL. */
const char *le__db_check_samples(const le__db_sample_row *row);
const char *le__db_check_raw(const le_db_sample *s);

/* ----------------------------------------------------------------------------- handle ---- */

typedef enum le__db_cause {
    LE__CAUSE_READONLY,
    LE__CAUSE_BUSY,
    LE__CAUSE_CORRUPT,
    LE__CAUSE_NEWER,
    LE__CAUSE_FOREIGN,
    LE__CAUSE_UNUSABLE,
    LE__CAUSE_FULL,
    LE__CAUSE_IO,
    LE__CAUSE_SITE,
    LE__CAUSE_DROPPED,
    LE__CAUSE_MEMORY,
    LE__CAUSE_THREAD
} le__db_cause;

typedef struct le__db_writer le__db_writer;

struct le_db {
    char *path; /* ":memory:" or the file, as it was named */
    char *file; /* the same wherever the process goes */
    char *site_path;
    char *vfs;
    bool frozen;
    le_db_log_fn log;
    void *log_cookie;
    int read_timeout_ms, batch_ms, close_timeout_ms;
    atomic_uint logged;    /* bits of le__db_cause */
    atomic_bool in_memory; /* there is no file to write to */
    int64_t machine, build;
    le__db_names names;
    int64_t devices[64]; /* registered, under names.lock */
    size_t n_devices;
    pthread_mutex_t reader_lock;
    le__db_connection reader;
    pthread_mutex_t memory_lock;
    le__db_connection memory; /* where rows go when there is no file to write to */
    int64_t memory_limit;
    pthread_mutex_t site_lock;
    le__db_connection *sites;
    size_t n_sites;
    bool sites_open;
    le__db_writer *writer; /* NULL: frozen, or no thread */
    pthread_mutex_t news_lock;
    struct le__db_news *news; /* NULL: nobody asks for them */
};

#if defined(__GNUC__)
#define LE__PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define LE__PRINTF(f, a)
#endif
/* Logs a problem the first time its cause occurs; of site databases, which are opened once, each.
 */
void le__db_problem(le_db *db, le__db_cause cause, const char *format, ...) LE__PRINTF(3, 4);
/* The same for what follows from a problem: information only, when one has been reported. */
void le__db_consequence(le_db *db, le__db_cause cause, const char *format, ...) LE__PRINTF(3, 4);
/* The same for a state of the file; does nothing for OK and MISSING. */
void le__db_report_state(le_db *db, le__db_file_state state, const char *detail);
/* From now on rows go to memory. */
void le__db_use_memory(le_db *db);
/* Makes the reader open if there is a file that can be read, and wait so long for locks; holds
 * reader_lock. */
le__db_file_state le__db_reader(le_db *db, int wait_ms);
/* What became of reading, with what le__db_reader or the reading itself found: LE_DB_OK where the
 * file was read, there is none yet, or rows are in memory in its place. Without locks. */
le_db_status le__db_read_status(le_db *db, le__db_file_state state);
/* A corrupt file: closes c, sets the file aside, logs. */
void le__db_recover(le_db *db, le__db_connection *c);

/* NULL when the thread cannot be started. */
le__db_writer *le__db_writer_start(le_db *db);
/* Stops the thread after writing what is pending. */
void le__db_writer_stop(le__db_writer *w);
/* A connection that can be written now, for import; NULL with *status. memory_lock is held when it
 * is db->memory. Release with le__db_end_write. */
le__db_connection *le__db_begin_write(le_db *db, le__db_connection *local, le_db_status *status);
void le__db_end_write(le_db *db, le__db_connection *c);

/* Calls use for every site database that can be opened. */
void le__db_sites_load(le_db *db, void (*use)(void *cookie, le__db_connection *c), void *cookie);

int64_t le__db_now_ms(void);
/* By which an export is told from other JSON. */
#define LE__EXPORT_FORMAT "liquid_engine timings"
le_db_status le__db_export(le__db_connection *c, FILE *out);

#endif
