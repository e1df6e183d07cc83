/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The timings database: samples, verdicts and choices of one machine or many, in one SQLite file
 * that any number of processes share. It knows no operation and no device API: names are texts.
 *
 *     le_db *db = le_db_open(&(le_db_options){.log = log, .build = parts, .n_build = 3});
 *     int64_t device = le_db_device(db, device_parts, 4);
 *     le_db_knowledge *known = NULL;
 *     le_db_load(db, "interpolate", 0, &known);               // plain arrays; then no more reading
 *     int64_t problem = le_db_problem(db, "interpolate", "f32[64,64,64]", work, bytes);
 *     int64_t candidate = le_db_candidate(db, &(le_db_candidate_key){...});
 *     le_db_add_samples(db, problem, candidate, &sample, 1);  // under 2 us: a thread writes it
 * later le_db_close(&db);                                       // writes what is pending
 *
 * An aid, never a dependency: whatever is wrong with the file (missing, read-only, locked, corrupt,
 * newer, not ours, disk full), the handle works from memory and says so once a cause through the
 * log callback. A corrupt SQLite file is renamed to NAME.corrupt-DATE-PID and a new one is begun; a
 * file with a newer schema is only read; a file that is not ours is left alone.
 *
 * Threads: every function may be called by any number of threads at once, except le_db_open and
 * le_db_close of the same handle. After fork() a child must not use a handle opened by its parent.
 * NULL: every function accepts a NULL handle and then does nothing (ids are still computed).
 * Identities: a machine, a device or a build is a set of parts (name, value). Rows remember the
 * whole set; loading tells part by part what differs from here and now, so that staleness can be
 * graded. Ids are hashes of their content: the same in every process, file and export; 0 is none.
 * Origins: every file has a UUID; a row of samples or accounts belongs to the file it was measured
 * for. Import and merge keep rows of other origins apart and replace a row of an origin by a newer
 * state of the same row, so importing twice counts once; reading adds the origins up.
 */
#ifndef LE_BENCHDB_H
#define LE_BENCHDB_H

#include "stats.h"

#include <stdio.h>

typedef struct le_db le_db;

typedef enum le_db_status {
    LE_DB_OK = 0,
    LE_DB_BUSY = -1, /* another process holds the file; try again later */
    LE_DB_NO_MEMORY = -2,
    LE_DB_IO = -3,       /* could not be read or written */
    LE_DB_BAD_FILE = -4, /* refused as a whole; the report says where */
    LE_DB_FROZEN = -5,   /* the handle writes nothing */
    LE_DB_OWN_FILE = -6, /* what would be written over is the database itself */
    LE_DB_SITE_FILE = -7 /* or one of the site */
} le_db_status;

/* Levels: 0 error, 1 warning, 2 information, 3 debug (as le_log_level). Called from any thread;
 * must not call back into the same handle. text is one line. */
typedef void (*le_db_log_fn)(void *cookie, int level, const char *text);

/* ---------------------------------------------------------------------------- identities ----- */

typedef struct le_db_part {
    const char *name;
    const char *value;
} le_db_part;

/* What can differ between a stored row and here and now. The part's name is in brackets; other
 * names fall under _OTHER of their kind. */
typedef enum le_db_differs {
    LE_DIFF_CPU_MODEL = 1u << 0, /* machine: [cpu_model] */
    LE_DIFF_ISA = 1u << 1,       /* [isa] */
    LE_DIFF_CORES = 1u << 2,     /* [cores] */
    LE_DIFF_MEMORY = 1u << 3,    /* [memory] */
    LE_DIFF_OS = 1u << 4,        /* [os] */
    LE_DIFF_HOST = 1u << 5,      /* [host] */
    LE_DIFF_MACHINE_OTHER = 1u << 7,
    LE_DIFF_COMPILER = 1u << 8, /* build: [compiler] */
    LE_DIFF_VERSION = 1u << 9,  /* [version] */
    LE_DIFF_FLAGS = 1u << 10,   /* [flags] */
    LE_DIFF_BUILD_OTHER = 1u << 15,
    LE_DIFF_DEVICE_NAME = 1u << 16,   /* device: [name] */
    LE_DIFF_DEVICE_VENDOR = 1u << 17, /* [vendor] */
    LE_DIFF_DRIVER = 1u << 18,        /* [driver] */
    LE_DIFF_PLATFORM = 1u << 19,      /* [platform] */
    LE_DIFF_UNITS = 1u << 20,         /* [units] compute units */
    LE_DIFF_DEVICE_OTHER = 1u << 23,
    LE_DIFF_NO_DEVICE = 1u << 24, /* no registered device has this name */
    LE_DIFF_SOURCE = 1u << 30     /* for the engine: source hash; benchdb never sets it */
} le_db_differs;

typedef enum le_db_kind { LE_DB_MACHINE = 1, LE_DB_BUILD, LE_DB_DEVICE } le_db_kind;

typedef struct le_db_identity {
    int64_t id;
    le_db_kind kind;
    uint32_t differs;        /* le_db_differs bits of this kind */
    const le_db_part *parts; /* sorted by name */
    size_t n_parts;
} le_db_identity;

/* Id of a set of parts; the order does not matter. */
int64_t le_db_identity_id(le_db_kind kind, const le_db_part *parts, size_t n);
/* Parts of this machine: cpu_model, isa, cores, memory (GiB, rounded), os, host (a hash of the host
 * name, never the name). Values live in buffer. Returns how many, at most max. */
size_t le_db_machine_parts(le_db_part *parts, size_t max, char *buffer, size_t size);

/* -------------------------------------------------------------------------------- handle ----- */

/* Zero or NULL: the default. Everything is copied. */
typedef struct le_db_options {
    const char *path;      /* file, or ":memory:"; default: le_db_default_path */
    const char *site_path; /* read-only databases: files and folders of *.sqlite3, ':' between */
    bool frozen;           /* never writes, never creates the file; adding does nothing */
    const le_db_part *machine; /* beside or instead of (same name) those of le_db_machine_parts */
    size_t n_machine;
    const le_db_part *build; /* compiler, version, flags ... */
    size_t n_build;
    le_db_log_fn log;
    void *log_cookie;
    int read_timeout_ms;  /* longest wait for a lock in open and load; 200 */
    int batch_ms;         /* longest time a sample waits before it is written; 200 */
    int close_timeout_ms; /* longest wait for a lock in close; 2000 */
    const char *vfs;      /* SQLite VFS, for tests */
} le_db_options;

/* The file to use: option, then LE_DB, then $XDG_CACHE_HOME/liquid_engine/timings.sqlite3 (an empty
 * or relative folder is ignored), then $HOME/.cache/liquid_engine/timings.sqlite3, else ":memory:".
 * Writes it to buffer and returns its length; ":memory:" too when it does not fit. The environment
 * is not trusted in set-uid programs. Relative paths, of site databases too, are meant from the
 * folder that the process is in when it opens a handle. */
size_t le_db_default_path(const char *option, char *buffer, size_t size);

/* The site databases to use: option ("": none), then LE_SITE_DB, else /etc/liquid_engine. The
 * environment's text, which is not trusted in set-uid programs either, is not copied. */
const char *le_db_default_site_path(const char *option);

/* What a file is to the timings, and must not be written over for: LE_DB_OWN_FILE: the database
 * file `database`, or what SQLite keeps beside it, by whatever name. LE_DB_SITE_FILE: the same of
 * one of `sites`, which are as le_db_options.site_path says. LE_DB_OK: nothing. */
le_db_status le_db_file_role(const char *database, const char *sites, const char *path);
/* The same for messages: "the timings database itself"; NULL: nothing. */
const char *le_db_role_text(le_db_status role);

/* Never fails but for lack of memory (NULL). Takes milliseconds; waits for a lock at most
 * read_timeout_ms. The file is created by the first write. */
le_db *le_db_open(const le_db_options *options);
/* Writes what is pending, waits for a lock at most close_timeout_ms, releases, sets *db to NULL. */
void le_db_close(le_db **db);
/* Writes what was added before this call; returns whether all of it is committed to the file within
 * timeout_s. Always false for a handle that works from memory. */
bool le_db_flush(le_db *db, double timeout_s);

/* Path in use, as it was named: ":memory:" when working from memory. Valid until close. */
const char *le_db_path(const le_db *db);
/* UUID of the file, "" if none yet. Copied to buffer[37]. */
void le_db_uuid(le_db *db, char *buffer);

/* Counters since open. */
typedef struct le_db_counts {
    int64_t added;     /* samples given to le_db_add_samples */
    int64_t committed; /* samples committed to the file */
    int64_t in_memory; /* samples kept in memory because there is no file to write to */
    int64_t dropped;   /* samples given up: too many pending, or close ran out of time */
    int64_t transactions;
    int64_t problems; /* causes that were logged */
} le_db_counts;
void le_db_get_counts(le_db *db, le_db_counts *out);

/* ---------------------------------------------------------------------------------- names ----- */

/* Announces a device of this machine; the stored candidates of the same or a similar device are
 * then graded against it. */
int64_t le_db_device(le_db *db, const le_db_part *parts, size_t n);

/* Announces a problem; key must be unique within the operation. A microsecond or two the first
 * time; later calls with the same content only compute the id: keep it. Some thousands are
 * remembered: of those of which nothing was written for long the file alone knows what they are. */
int64_t le_db_problem(le_db *db, const char *operation, const char *key, double work, double bytes);
/* Whether the problem of this id is remembered. One that is not is to be announced again before
 * more is added of it: the file may have been deleted, and another one knows nothing. */
bool le_db_has_problem(le_db *db, int64_t id);

typedef struct le_db_candidate_key {
    const char *operation;
    const char *implementation;
    const char *run_type;
    int64_t device;          /* le_db_device; 0: the CPU pool of the machine */
    const char *params;      /* "threads=2,schedule=dynamic" in a fixed order; "" or NULL: none */
    const char *source_hash; /* of the implementation and its kernels; "" or NULL: none */
} le_db_candidate_key;
int64_t le_db_candidate(le_db *db, const le_db_candidate_key *key);

/* Transfers are samples too: operation LE_DB_TRANSFER, problem key "to_device/1048576", candidate
 * with implementation "copy" on the device. */
#define LE_DB_TRANSFER "@transfer"
/* Plans of chains are choices: operation LE_DB_CHAIN, problem the chain with its shapes, candidate
 * with implementation "plan" whose params say where the steps run; the evidence has the plan in
 * full. */
#define LE_DB_CHAIN "@chain"
/* What is known of the rows of counted outputs: operation LE_DB_ROWS, problem key the operation,
 * with a problem of it behind or without, constraint the output's name, candidate with
 * implementation "share". Evidence: {"most":SHARE,"mean":SHARE} of the room asked for. */
#define LE_DB_ROWS "@rows"

/* --------------------------------------------------------------------------------- adding ----- */

typedef enum le_db_sample_flag {
    LE_SAMPLE_COLD = 1u << 0, /* first run in its process: kept apart */
    LE_SAMPLE_CONTENDED =
        1u << 1, /* taken on a loaded, throttled or squeezed machine: kept apart */
    LE_SAMPLE_KNOWN_LOAD = 1u << 2, /* load, steal, throttled and pressure were read */
    LE_SAMPLE_TRIAL = 1u << 3,      /* in the trial of an unproven candidate */
    LE_SAMPLE_BENCH = 1u << 4,      /* by a benchmark, not by a user's call */
    LE_SAMPLE_STOPPED = 1u << 5     /* stopped after `seconds`: counted apart, kept nowhere else */
} le_db_sample_flag;

typedef struct le_db_sample {
    double seconds; /* of the whole call with transfers, without set-up; > 0, else ignored */
    double setup_s; /* build and allocation; NaN or 0: unknown (these five) */
    double kernel_s;
    double transfer_s;
    double cpu_s;       /* CPU time of all threads */
    int64_t peak_bytes; /* of working memory */
    int64_t date_ms;    /* Unix time; 0: now */
    float load;         /* runnable threads of others per core */
    float steal;        /* share of time taken by the hypervisor */
    float throttled;    /* share of the nominal clock missing, or cgroup throttling */
    float pressure;     /* memory pressure, share of time stalled */
    uint32_t flags;
    uint32_t times; /* runs that took as long; 0: one */
} le_db_sample;

void le_db_add_samples(le_db *db, int64_t problem, int64_t candidate, const le_db_sample *samples,
                       size_t n);

typedef enum le_db_state {
    LE_DB_UNPROVEN = 0,
    LE_DB_PROVEN,     /* right, with the error profile */
    LE_DB_FAILED,     /* wrong result, build failure, not supported: not tried again */
    LE_DB_QUARANTINED /* crashed, hung or wrote out of bounds */
} le_db_state;

extern const char *const le_db_state_names[5]; /* "unproven", ... "quarantined", NULL */

/* errors[0]: largest absolute error. errors[1+k]: relative error left at an absolute tolerance of
 * 10^-k, k = 0..16: max over elements of (|a-b| - 10^-k)/|b|, at least 0. NaN: unknown. */
#define LE_DB_ERRORS 18
/* Bytes for the text of a size class, with its end: what is imported is no longer. */
#define LE_DB_SIZE_CLASS 300

typedef struct le_db_verdict {
    int64_t candidate;
    const char *size_class; /* text of the caller's, "20" */
    le_db_state state;
    double errors[LE_DB_ERRORS];
    const char *reason; /* is stored as one line of UTF-8; "" or NULL: none */
    int64_t date_ms;    /* 0: now */
    int64_t attempts;   /* adding: trials since the last verdict, at least 1; they add up */
    /* filled in by loading */
    int64_t machine, build;
    uint32_t candidate_index; /* in le_db_knowledge.candidates */
    uint32_t differs;
} le_db_verdict;

/* Replaces the stored verdict of (this machine, candidate, size class). */
void le_db_add_verdict(le_db *db, const le_db_verdict *verdict);

/* In the evidence of a choice that was measured while others used the machine. */
#define LE_DB_UNDER_LOAD "\"under_load\":true"

typedef struct le_db_choice {
    int64_t problem;
    int64_t candidate;      /* adding: 0 withdraws the choice */
    const char *constraint; /* "atol=1e-4,rtol=0"; "" or NULL: none */
    const char *objective;  /* "time"; "" or NULL: time */
    const char *evidence;   /* JSON object; "" or NULL: none */
    int64_t date_ms;        /* 0: now */
    /* filled in by loading */
    int64_t machine, build;
    uint32_t problem_index, candidate_index;
    uint32_t differs;
    bool site;
} le_db_choice;

/* Replaces the stored choice of (this machine, problem, constraint, objective). */
void le_db_add_choice(le_db *db, const le_db_choice *choice);

typedef struct le_db_account {
    const char *operation;
    double answered_s; /* spent answering with the best known candidate */
    double explored_s; /* spent on anything else */
    double regret_s;   /* estimated loss to wrong choices */
    int64_t calls;
    /* filled in by loading; never from a site database */
    int64_t date_ms;
    int64_t machine, build;
    uint32_t differs;
} le_db_account;

/* Adds to the account of (this machine, operation). */
void le_db_add_account(le_db *db, const le_db_account *account);

/* -------------------------------------------------------------------------------- loading ----- */

typedef struct le_db_known_problem {
    int64_t id;
    const char *operation, *key;
    double work, bytes;
} le_db_known_problem;

typedef struct le_db_known_candidate {
    int64_t id;
    const char *operation, *implementation, *run_type;
    const char *params, *source_hash; /* "" for none */
    int64_t device;                   /* identity as stored; 0: the CPU pool */
    int64_t device_here; /* the registered device it stands for; 0 if none or CPU pool */
    uint32_t differs;    /* device bits: what differs between these two */
} le_db_known_candidate;

/* Runs that were stopped because they had lost: each would have taken longer than it had. */
typedef struct le_db_stopped {
    int64_t n;
    double most_s; /* the longest time that one had */
} le_db_stopped;

/* All samples of one candidate on one problem that were measured under the same machine and build
 * identity, all origins added up. */
typedef struct le_db_known_samples {
    uint32_t problem_index, candidate_index;
    int64_t machine, build;
    uint32_t differs; /* machine, build and device bits; 0: valid as it stands */
    bool site;        /* from a site database: a prior */
    le_moments clean; /* of log seconds: neither contended nor cold */
    le_moments contended;
    le_moments cold;
    le_db_stopped stopped, stopped_cold;
    double min_s, max_s; /* of the clean ones; NaN if none */
    double cpu_s;        /* total over cpu_n samples */
    int64_t cpu_n;
    double setup_s;     /* largest seen; 0: unknown */
    int64_t peak_bytes; /* largest seen; 0: unknown */
    int64_t first_ms, last_ms;
    le_sketch sketch;        /* of the clean ones */
    const le_db_sample *raw; /* with LE_DB_LOAD_RAW; at most LE_DB_RAW an origin */
    size_t n_raw;
} le_db_known_samples;

#define LE_DB_RAW 32

/* Everything known, as plain arrays. Texts and arrays live until le_db_knowledge_free. */
typedef struct le_db_knowledge {
    int64_t machine; /* here and now */
    const le_db_identity *identities;
    size_t n_identities;
    const le_db_known_problem *problems;
    size_t n_problems;
    const le_db_known_candidate *candidates;
    size_t n_candidates;
    const le_db_known_samples *samples;
    size_t n_samples;
    const le_db_verdict *verdicts;
    size_t n_verdicts;
    const le_db_choice *choices;
    size_t n_choices;
    const le_db_account *accounts;
    size_t n_accounts;
    void *memory;
} le_db_knowledge;

typedef enum le_db_load_flag {
    LE_DB_LOAD_RAW = 1u << 0,     /* with raw samples */
    LE_DB_LOAD_NO_SITE = 1u << 1, /* without the site databases */
    LE_DB_LOAD_HERE = 1u << 2,    /* only rows of this machine's host ([host] does not differ) */
    LE_DB_LOAD_RECENT = 1u << 3,  /* samples and choices of the LE_DB_RECENT newest problems only */
    LE_DB_LOAD_AT_ONCE = 1u << 4  /* does not wait for another process that has locked the file */
} le_db_load_flag;

#define LE_DB_RECENT 4096

/* Loads what is known of one operation, or of all (operation NULL: for reports), of all machines in
 * the file and the site databases. What was added and not yet written is not in it: flush first.
 * *out is set unless LE_DB_NO_MEMORY is returned; it may be empty (LE_DB_BUSY: the file was
 * locked; LE_DB_BAD_FILE: it cannot be read, and there is nothing in memory in its place). */
le_db_status le_db_load(le_db *db, const char *operation, unsigned flags, le_db_knowledge **out);
/* Samples and choices of one problem, with the candidates that they name. Takes a fraction of a
 * millisecond. flags: as of le_db_load. */
le_db_status le_db_load_problem(le_db *db, const char *operation, int64_t problem, unsigned flags,
                                le_db_knowledge **out);
void le_db_knowledge_free(le_db_knowledge **knowledge);

const le_db_identity *le_db_find_identity(const le_db_knowledge *k, int64_t id);
/* Value of a part, "" if absent. */
const char *le_db_identity_part(const le_db_identity *identity, const char *name);

/* ---------------------------------------------------------------------------- JSON, merge ----- */

/* Writes all that the file knows (not the site databases), schema 1, one row a line, ids as decimal
 * text. Flush first. LE_DB_BAD_FILE: the file cannot be read, and there is nothing in memory in its
 * place. */
le_db_status le_db_export(le_db *db, FILE *out);
/* The same to a file: written beside it and renamed. Never to the database's own, nor to one of the
 * site: LE_DB_OWN_FILE, LE_DB_SITE_FILE. */
le_db_status le_db_export_file(le_db *db, const char *path);

/* line: in the file, 0 if not from a text file. text: one line that names section and row. */
typedef void (*le_db_report_fn)(void *cookie, int line, const char *text);
/* Whether the caller knows this operation or (implementation not NULL) implementation. */
typedef bool (*le_db_name_fn)(void *cookie, const char *operation, const char *implementation);

typedef struct le_db_import_options {
    /* Bad rows; where nothing is added, the last one is the reason, if there is any to tell. NULL:
     * silent. */
    le_db_report_fn report;
    le_db_name_fn known; /* rows with unknown names are reported and skipped; NULL: all known */
    void *cookie;
    bool add; /* what was handed out: samples are added to those of this file, of two verdicts the
                 worse one stands */
} le_db_import_options;

typedef struct le_db_import_result {
    int64_t rows;   /* in the file */
    int64_t stored; /* new or newer than what was there */
    int64_t same;   /* known already */
    int64_t bad;    /* reported and skipped */
} le_db_import_result;

/* Adds the rows of an export. Works row by row in one transaction: a bad row is reported and
 * skipped; a file that is no export is refused as a whole and nothing changes. result may be NULL.
 */
le_db_status le_db_import(le_db *db, const char *path, const le_db_import_options *options,
                          le_db_import_result *result);
/* The same from memory. */
le_db_status le_db_import_text(le_db *db, const char *text, size_t size,
                               const le_db_import_options *options, le_db_import_result *result);
/* What processes that work together tell each other. */
typedef enum le_db_news { LE_DB_NEWS_SAMPLES = 1, LE_DB_NEWS_VERDICTS } le_db_news;
/* Writes what was added since the last call as an export, nothing where there is none: rows of
 * samples (32 at most, without single ones), or verdicts. They are collected from the first call
 * on. For le_db_import_text with `add`. */
le_db_status le_db_hand_out(le_db *db, le_db_news what, FILE *out);

/* Adds the rows of another database file, which is only read. */
le_db_status le_db_merge(le_db *db, const char *other_path, const le_db_import_options *options,
                         le_db_import_result *result);

#endif
