/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writing behind the caller: a queue that callers append to, and a thread that adds samples up and
 * commits them. What cannot be written now (a lock, a full disk) is kept, added up, and tried
 * again.
 */
#include "news.h"
#include "pending.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_MAX    ((size_t)1 << 11) /* with their texts some 0.5 KB each */
#define LOCK_WAIT_MS 250
#define BUSY_LOG_S   1.0 /* shorter waits are everyday life with several processes */
#define RETRY_S      1.0
#define RETRY_MAX_S  30.0
#define HARD_TRIES   4 /* I/O errors in a row before the file is given up */

struct le__db_writer {
    le_db *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    le__db_item *queue;
    size_t n, capacity;
    bool idle, urgent, stop;
    uint64_t added, finished; /* items given, items committed or lost */
    uint64_t hard_failures;   /* attempts that failed for another reason than a lock */
    double first_item, stop_time;
    le_db_counts counts;
    /* of the thread alone */
    le__db_connection file;
    le__db_pending pending;
    double busy_since, retry_at, retry_s;
    int io_errors;
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t le__db_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, double when) {
    struct timespec t = {.tv_sec = (time_t)when};
    t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
    pthread_cond_timedwait(cond, lock, &t);
}

/* --- one attempt --- */

typedef enum outcome { WRITTEN, LOCKED, FAILED } outcome;

/* Into a file or memory; then the names of many problems that were written go, but for what waits
 * to be handed out with its names. */
static int write_pending(le__db_writer *w, le__db_connection *c) {
    int rc = le__db_pending_write(&w->pending, w->db, c);
    if (rc == SQLITE_OK && le__db_news_none(w->db)) {
        le__db_names_thin(&w->db->names, c->generation);
        le__db_news_let(w->db);
    }
    return rc;
}

static outcome write_memory(le__db_writer *w) {
    le_db *db = w->db;
    int rc = SQLITE_NOMEM;
    pthread_mutex_lock(&db->memory_lock);
    if (db->memory.sql || le__db_memory_open(&db->memory))
        rc = write_pending(w, &db->memory);
    if (rc == SQLITE_OK)
        le__db_memory_trim(&db->memory, &db->memory_limit);
    pthread_mutex_unlock(&db->memory_lock);
    return rc == SQLITE_OK ? WRITTEN : FAILED;
}

static outcome after_error(le__db_writer *w, le__db_file_state state, const char *detail,
                           bool *again) {
    le_db *db = w->db;
    *again = false;
    switch (state) {
    case LE__FILE_BUSY:
        if (w->busy_since == 0)
            w->busy_since = now_s();
        else if (now_s() - w->busy_since > BUSY_LOG_S)
            le__db_report_state(db, state, detail);
        return LOCKED;
    case LE__FILE_CORRUPT:
        *again = true;
        le__db_recover(db, &w->file);
        return FAILED;
    case LE__FILE_FULL:
        le__db_report_state(db, state, detail);
        return FAILED;
    case LE__FILE_UNUSABLE:
        if (w->file.sql && ++w->io_errors < HARD_TRIES) {
            le__db_problem(db, LE__CAUSE_IO, "%s: %s; kept in memory until it can be written",
                           db->path, detail);
            le__db_file_close(&w->file);
            return FAILED;
        }
        break;
    default:
        break;
    }
    le__db_report_state(db, state, detail);
    le__db_file_close(&w->file);
    le__db_use_memory(db);
    *again = true;
    return FAILED;
}

/* Leaving WAL needs the file for itself: the own reader may be in the way. */
static le__db_file_state open_for_writing(le__db_writer *w) {
    le_db *db = w->db;
    le__db_file_state state =
        le__db_file_open(&w->file, db->file, db->vfs, LE__WRITE, LOCK_WAIT_MS);
    if (state != LE__FILE_UNUSABLE && state != LE__FILE_READONLY)
        return state;
    pthread_mutex_lock(&db->reader_lock);
    le__db_file_close(&db->reader);
    le__db_file_close(&w->file);
    state = le__db_file_open(&w->file, db->file, db->vfs, LE__WRITE, LOCK_WAIT_MS);
    pthread_mutex_unlock(&db->reader_lock);
    return state;
}

/* Opens the file that is at the path, unless that is open. */
static le__db_file_state use_file(le__db_writer *w) {
    if (w->file.sql && !le__db_file_same(&w->file, w->db->file)) {
        le__db_file_state state = le__db_file_state_of(le__db_file_leave(&w->file));
        if (state != LE__FILE_OK)
            return state;
        le__db_file_close(&w->file);
    }
    return w->file.sql ? LE__FILE_OK : open_for_writing(w);
}

static outcome write_file(le__db_writer *w, bool *again) {
    char detail[128];
    le__db_file_state state = use_file(w);
    if (state != LE__FILE_OK)
        return after_error(w, state, "cannot be opened for writing", again);
    int rc = write_pending(w, &w->file);
    if (rc != SQLITE_OK) {
        if ((rc & 0xff) == SQLITE_NOMEM)
            return FAILED;
        snprintf(detail, sizeof detail, "%.120s", sqlite3_errstr(rc));
        return after_error(w, le__db_file_state_on(&w->file, rc), detail, again);
    }
    return WRITTEN;
}

static outcome attempt(le__db_writer *w) {
    outcome result = WRITTEN;
    bool again = !le__db_pending_empty(&w->pending);
    le__forks_hold(LE__SQLITE);
    for (int i = 0; again && i < 4; i++) {
        again = false;
        result = atomic_load(&w->db->in_memory) ? write_memory(w) : write_file(w, &again);
    }
    le__forks_let(LE__SQLITE);
    if (result == WRITTEN) {
        w->busy_since = 0;
        w->retry_s = RETRY_S;
        w->io_errors = 0;
    }
    return result;
}

/* --- the thread --- */

static void lost(le__db_writer *w, int64_t samples) {
    le__db_consequence(w->db, LE__CAUSE_DROPPED, "%s: samples could not be stored and are lost",
                       w->db->path);
    pthread_mutex_lock(&w->lock);
    w->counts.dropped += samples;
    pthread_mutex_unlock(&w->lock);
}

/* Commits what is pending; counts it. */
static outcome commit(le__db_writer *w) {
    int64_t samples = le__db_pending_samples(&w->pending);
    bool any = !le__db_pending_empty(&w->pending);
    outcome result = attempt(w);
    bool memory = atomic_load(&w->db->in_memory);
    int64_t refused = result == WRITTEN && any ? w->pending.refused : 0;
    if (result == WRITTEN)
        le__db_pending_clear(&w->pending);
    if (refused)
        lost(w, refused);
    pthread_mutex_lock(&w->lock);
    if (result == WRITTEN) {
        w->counts.transactions += any;
        *(memory ? &w->counts.in_memory : &w->counts.committed) += samples - refused;
    }
    pthread_mutex_unlock(&w->lock);
    return result;
}

/* A commit that fails may have waited for a lock: it is not tried again for each item that finds no
 * room, while callers wait behind a full queue. */
static outcome absorb(le__db_writer *w, le__db_item *items, size_t n) {
    int64_t lost_samples = 0;
    outcome result = WRITTEN;
    for (size_t i = 0; i < n; i++) {
        if (result == WRITTEN && le__db_pending_full(&w->pending))
            result = commit(w);
        if (!le__db_pending_add(&w->pending, w->db, &items[i]))
            lost_samples += items[i].type == LE__ITEM_SAMPLE;
    }
    if (lost_samples)
        lost(w, lost_samples);
    return result;
}

/* Waits for something to do; holds the lock. */
static void wait_for_work(le__db_writer *w) {
    while (!w->stop && !w->urgent) {
        double now = now_s();
        bool pending = !le__db_pending_empty(&w->pending);
        double batch_end = w->first_item + 1e-3 * w->db->batch_ms;
        if (w->n >= QUEUE_MAX / 4 || (w->n > 0 && now >= batch_end) ||
            (pending && now >= w->retry_at))
            return;
        if (w->n == 0 && !pending) {
            w->idle = true;
            pthread_cond_wait(&w->wake, &w->lock);
            w->idle = false;
        } else {
            double until = w->n > 0 ? batch_end : w->retry_at;
            wait_until(&w->wake, &w->lock, pending ? fmin(until, w->retry_at) : until);
        }
    }
}

static void schedule_retry(le__db_writer *w, outcome result) {
    double now = now_s();
    if (result == LOCKED) {
        w->retry_at = now + 0.05;
    } else {
        w->hard_failures++;
        w->retry_at = now + w->retry_s;
        w->retry_s = fmin(2 * w->retry_s, RETRY_MAX_S);
    }
}

static bool gives_up(const le__db_writer *w, outcome result) {
    return w->stop && (result == FAILED || now_s() - w->stop_time > 1e-3 * w->db->close_timeout_ms);
}

static void *run(void *argument) {
    le__db_writer *w = argument;
    bool end = false;
    pthread_mutex_lock(&w->lock);
    while (!end) {
        wait_for_work(w);
        le__db_item *items = w->queue;
        size_t n = w->n;
        uint64_t target = w->added;
        w->queue = NULL;
        w->n = w->capacity = 0;
        w->urgent = false;
        pthread_mutex_unlock(&w->lock);
        outcome result = absorb(w, items, n);
        free(items);
        if (result == WRITTEN)
            result = commit(w);
        pthread_mutex_lock(&w->lock);
        if (result == WRITTEN)
            w->finished = target;
        else
            schedule_retry(w, result);
        end = w->stop && ((result == WRITTEN && w->n == 0) || gives_up(w, result));
        pthread_cond_broadcast(&w->done);
        if (!end && result == LOCKED) /* not at once again, even if somebody waits */
            wait_until(&w->wake, &w->lock, now_s() + 0.005);
    }
    pthread_mutex_unlock(&w->lock);
    if (!le__db_pending_empty(&w->pending))
        lost(w, le__db_pending_samples(&w->pending));
    le__forks_hold(LE__SQLITE);
    le__db_file_close(&w->file);
    le__forks_let(LE__SQLITE);
    return NULL;
}

static bool start_thread(le__db_writer *w) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&w->thread, NULL, run, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0;
}

le__db_writer *le__db_writer_start(le_db *db) {
    pthread_condattr_t monotonic;
    le__db_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->db = db;
    w->retry_s = RETRY_S;
    w->pending.random_state = (uint64_t)le__db_now_ms() * 1000003u + (uint64_t)getpid();
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_cond_init(&w->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (start_thread(w))
        return w;
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->done);
    free(w);
    return NULL;
}

void le__db_writer_stop(le__db_writer *w) {
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    w->stop_time = now_s();
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    le__db_pending_free(&w->pending);
    free(w->queue);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->done);
    free(w);
}

bool le_db_flush(le_db *db, double timeout_s) {
    le__db_writer *w = db ? db->writer : NULL;
    if (!w)
        return false;
    double end = now_s() + fmin(fmax(timeout_s, 0), 1e6);
    pthread_mutex_lock(&w->lock);
    uint64_t target = w->added, failures = w->hard_failures;
    int64_t dropped = w->counts.dropped;
    while (w->finished < target && w->hard_failures == failures && now_s() < end) {
        w->urgent = true;
        pthread_cond_signal(&w->wake);
        wait_until(&w->done, &w->lock, end);
    }
    bool durable = w->finished >= target && w->counts.dropped == dropped;
    pthread_mutex_unlock(&w->lock);
    return durable && !atomic_load(&db->in_memory);
}

void le_db_get_counts(le_db *db, le_db_counts *out) {
    *out = (le_db_counts){0};
    if (!db)
        return;
    if (db->writer) {
        pthread_mutex_lock(&db->writer->lock);
        *out = db->writer->counts;
        pthread_mutex_unlock(&db->writer->lock);
    }
    for (unsigned bits = atomic_load(&db->logged); bits; bits &= bits - 1)
        out->problems++;
}

/* --- adding --- */

/* Room for one more; holds the lock. A caller that outruns the thread waits for it, at most a
 * second. */
static bool reserve(le__db_writer *w) {
    if (w->n >= QUEUE_MAX) {
        double end = now_s() + 1;
        while (w->n >= QUEUE_MAX && now_s() < end) {
            w->urgent = true;
            pthread_cond_signal(&w->wake);
            wait_until(&w->done, &w->lock, end);
        }
        if (w->n >= QUEUE_MAX)
            return false;
    }
    if (w->n < w->capacity)
        return true;
    size_t capacity = w->capacity ? 2 * w->capacity : 64;
    le__db_item *queue = realloc(w->queue, capacity * sizeof *queue);
    if (!queue)
        return false;
    w->queue = queue;
    w->capacity = capacity;
    return true;
}

/* Holds the lock. A signal costs a system call, so only a sleeping thread gets one. */
static bool append(le__db_writer *w, const le__db_item *item) {
    if (!reserve(w))
        return false;
    w->queue[w->n++] = *item;
    if (w->n == 1)
        w->first_item = now_s();
    w->added++;
    if (w->idle || w->n == QUEUE_MAX / 4) {
        w->idle = false;
        pthread_cond_signal(&w->wake);
    }
    return true;
}

void le_db_add_samples(le_db *db, int64_t problem, int64_t candidate, const le_db_sample *samples,
                       size_t n) {
    le__db_writer *w = db ? db->writer : NULL;
    if (!w || problem == 0 || candidate == 0)
        return;
    int64_t now = 0;
    for (size_t i = 0; i < n && now == 0; i++)
        now = samples[i].date_ms == 0 ? le__db_now_ms() : 0;
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < n; i++) {
        if (!(samples[i].seconds > 0 && isfinite(samples[i].seconds)))
            continue;
        le__db_item item = {LE__ITEM_SAMPLE, problem, candidate, {.sample = samples[i]}};
        if (samples[i].date_ms == 0)
            item.value.sample.date_ms = now;
        w->counts.added += le__db_sample_times(&samples[i]);
        if (!append(w, &item))
            w->counts.dropped += le__db_sample_times(&samples[i]);
    }
    pthread_mutex_unlock(&w->lock);
    le__db_news_samples(db, problem, candidate, samples, n, now);
}

static void append_row(le__db_writer *w, le__db_item_type type, int64_t problem, int64_t candidate,
                       void *row) {
    if (!row)
        return;
    pthread_mutex_lock(&w->lock);
    bool ok = append(w, &(le__db_item){type, problem, candidate, {.row = row}});
    pthread_mutex_unlock(&w->lock);
    if (!ok)
        free(row);
}

/* A copy of a struct in one block with its texts, as lines; texts[i] points at fields of *head. */
static void *copy_with_texts(const void *head, size_t size, const size_t *fields, size_t n) {
    size_t total = size;
    for (size_t i = 0; i < n; i++) {
        const char *text = *(const char *const *)((const char *)head + fields[i]);
        total += text ? strnlen(text, LE__MAX_TEXT) + 1 : 1;
    }
    char *block = malloc(total);
    if (!block)
        return NULL;
    char *at = block + size;
    memcpy(block, head, size);
    for (size_t i = 0; i < n; i++) {
        const char *text = *(const char *const *)((const char *)head + fields[i]);
        size_t len = text ? strnlen(text, LE__MAX_TEXT) : 0;
        if (len)
            memcpy(at, text, len);
        at[len] = 0;
        le__utf8_make_line(at);
        memcpy(block + fields[i], &at, sizeof at);
        at += len + 1;
    }
    return block;
}

void le_db_add_verdict(le_db *db, const le_db_verdict *verdict) {
    static const size_t texts[] = {offsetof(le_db_verdict, size_class),
                                   offsetof(le_db_verdict, reason)};
    if (!db || !db->writer || verdict->candidate == 0)
        return;
    le_db_verdict v = *verdict;
    v.machine = db->machine;
    v.build = db->build;
    v.date_ms = v.date_ms ? v.date_ms : le__db_now_ms();
    v.attempts = v.attempts > 0 ? v.attempts : 1;
    append_row(db->writer, LE__ITEM_VERDICT, 0, v.candidate,
               copy_with_texts(&v, sizeof v, texts, 2));
    le__db_news_verdict(db, &v);
}

void le_db_add_choice(le_db *db, const le_db_choice *choice) {
    static const size_t texts[] = {offsetof(le_db_choice, constraint),
                                   offsetof(le_db_choice, objective),
                                   offsetof(le_db_choice, evidence)};
    if (!db || !db->writer || choice->problem == 0)
        return;
    le_db_choice v = *choice;
    v.machine = db->machine;
    v.build = db->build;
    v.date_ms = v.date_ms ? v.date_ms : le__db_now_ms();
    v.objective = v.objective && v.objective[0] ? v.objective : "time";
    if (v.evidence && strlen(v.evidence) >= LE__MAX_TEXT) /* cut JSON is no JSON */
        v.evidence = "";
    append_row(db->writer, LE__ITEM_CHOICE, v.problem, v.candidate,
               copy_with_texts(&v, sizeof v, texts, 3));
}

void le_db_add_account(le_db *db, const le_db_account *account) {
    static const size_t texts[] = {offsetof(le_db_account, operation)};
    if (!db || !db->writer || !account->operation)
        return;
    le_db_account a = *account;
    a.machine = db->machine;
    a.build = db->build;
    a.date_ms = a.date_ms ? a.date_ms : le__db_now_ms();
    append_row(db->writer, LE__ITEM_ACCOUNT, 0, 0, copy_with_texts(&a, sizeof a, texts, 1));
}
