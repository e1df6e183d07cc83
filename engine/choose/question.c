/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The table of questions: open addressing, read without a lock; a full table is replaced by a
 * larger one and kept until the engine closes, since readers may still be in it. A reader that
 * overlooks a question while others are moved or dropped finds it under the lock.
 */
#include "choose/question.h"

#include "core/array.h"
#include "core/thread_local.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256, TIMED_EACH = 8 };
static const double brief_s = 1e-6; /* below, timing each run would cost as much as many runs do */

typedef struct slots {
    size_t n; /* a power of two */
    struct slots *older;
    _Atomic(le__question *) at[];
} slots;

struct le__questions {
    pthread_mutex_t mutex;
    _Atomic(slots *) current;
    size_t used, hand; /* where the search for one to drop goes on */
    le__question *spare;
};

static slots *new_slots(size_t n, slots *older) {
    slots *s = calloc(1, sizeof *s + n * sizeof s->at[0]);
    if (s) {
        s->n = n;
        s->older = older;
    }
    return s;
}

le_status le__questions_open(le__questions **out) {
    le__questions *t = calloc(1, sizeof *t);
    slots *s = t ? new_slots(FIRST_SLOTS, NULL) : NULL;
    if (!s) {
        free(t);
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    }
    pthread_mutex_init(&t->mutex, NULL);
    t->current = s;
    *out = t;
    return LE_OK;
}

void le__questions_each(le__questions *t, void (*fn)(le__question *, void *), void *context) {
    slots *s = atomic_load_explicit(&t->current, memory_order_acquire);
    for (size_t i = 0; i < s->n; i++) {
        le__question *q = atomic_load_explicit(&s->at[i], memory_order_acquire);
        if (q)
            fn(q, context);
    }
}

static void forget_choice(le__question *q, void *context) {
    (void)context;
    le__question_forget(q);
}

void le__questions_forget(le__questions *t) {
    le__questions_each(t, forget_choice, NULL);
}

static void question_free(le__question *q) {
    free(q->problem);
    free(q->left_out);
    free(q->seen);
    free(q->moved);
    pthread_mutex_destroy(&q->race);
    free(q);
}

static void free_one(le__question *q, void *context) {
    (void)context;
    question_free(q);
}

void le__questions_close(le__questions *t) {
    if (!t)
        return;
    le__questions_each(t, free_one, NULL);
    for (le__question *q = t->spare, *next; q; q = next) {
        next = q->spare;
        question_free(q);
    }
    for (slots *s = t->current, *older; s; s = older) {
        older = s->older;
        free(s);
    }
    pthread_mutex_destroy(&t->mutex);
    free(t);
}

static const char under_way[] = "its trial is under way";

bool le__question_is_aside(const le__question *q, const le__arm *arm) {
    return arm->index < q->n_arms && q->left_out[arm->index] == under_way;
}

void le__question_set_aside(le__question *q, const le__proof *p) {
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->op->arms[i]->proof == p && !q->left_out[i]) {
            q->left_out[i] = under_way;
            q->n_aside++;
        }
}

static bool end_rests(le__question *q) {
    bool any = false;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__proof *p = q->op->arms[i]->proof;
        any = any || p->lack.until > 0;
        p->lack.until = 0;
    }
    return any;
}

bool le__question_forgive_short(le__question *q, double now) {
    bool any = isinf(now) && end_rests(q);
    if (!(q->lack.until > 0) || now < q->lack.until)
        return any;
    q->lack.until = 0;
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->seen[i] & LE__SEEN_SHORT) {
            q->seen[i] &= (unsigned char)~LE__SEEN_SHORT;
            q->left_out[i] = NULL;
            any = true;
        }
    return any;
}

void le__question_bring_back(le__question *q, const le__proof *p) {
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->op->arms[i]->proof == p && q->left_out[i] == under_way) {
            q->left_out[i] = NULL;
            q->n_aside--;
        }
}

void le__question_note_moved(le__question *q, const le__arm *arm, const le_call *call) {
    static const float weight = 0.5f;
    float *moved = &q->moved[arm->index], now = (float)call->stats.transfer_seconds;
    if (!call->inputs_moved)
        *moved = *moved < 0 ? now : *moved + weight * (now - *moved);
}

/* --- the table --- */

static le__stripe *stripe_of_thread(le__question *q) {
    static _Atomic unsigned threads;
    static LE__THREAD_LOCAL unsigned number;
    if (!number)
        number = 1 + atomic_fetch_add(&threads, 1);
    return &q->stripes[number % LE__STRIPES];
}

static uint64_t hash_of(const le__question *q) {
    return atomic_load_explicit(&q->hash, memory_order_acquire);
}

static le__question *find_in(const slots *s, uint64_t hash) {
    size_t i = (size_t)hash & (s->n - 1);
    for (size_t steps = 0; steps < s->n; steps++, i = (i + 1) & (s->n - 1)) {
        le__question *q = atomic_load_explicit(&s->at[i], memory_order_acquire);
        if (!q || hash_of(q) == hash)
            return q;
    }
    return NULL;
}

/* Whoever drops it writes the hash first and looks for users then; here it is the other way round,
 * so that one of both sees the other. */
static bool take(le__question *q, uint64_t hash) {
    le__stripe *s = stripe_of_thread(q);
    atomic_fetch_add(&s->users, 1);
    if (atomic_load(&q->hash) == hash) {
        if (!atomic_load_explicit(&q->asked, memory_order_relaxed))
            atomic_store_explicit(&q->asked, true, memory_order_relaxed);
        return true;
    }
    atomic_fetch_sub_explicit(&s->users, 1, memory_order_release);
    return false;
}

void le__question_release(le__question *q) {
    atomic_fetch_sub_explicit(&stripe_of_thread(q)->users, 1, memory_order_release);
}

le__question *le__questions_find(const le__questions *t, uint64_t hash) {
    le__question *q = find_in(atomic_load_explicit(&t->current, memory_order_acquire), hash);
    return q && take(q, hash) ? q : NULL;
}

static void put_in(slots *s, le__question *q) {
    size_t i = (size_t)hash_of(q) & (s->n - 1);
    while (atomic_load_explicit(&s->at[i], memory_order_relaxed))
        i = (i + 1) & (s->n - 1);
    atomic_store_explicit(&s->at[i], q, memory_order_release);
}

static bool make_room(le__questions *t) {
    slots *s = t->current;
    if (2 * (t->used + 1) <= s->n)
        return true;
    slots *larger = new_slots(2 * s->n, s);
    if (!larger)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i])
            put_in(larger, s->at[i]);
    atomic_store_explicit(&t->current, larger, memory_order_release);
    return true;
}

/* --- dropping --- */

static bool is_in_hand(le__question *q) {
    int64_t users = 0;
    for (int i = 0; i < LE__STRIPES; i++)
        users += atomic_load(&q->stripes[i].users);
    return users > 0;
}

/* Empties a slot and moves those back that had to go further because of it (Knuth, The Art of
 * Computer Programming 3, 6.4, algorithm R). */
static void take_out(slots *s, size_t i) {
    size_t mask = s->n - 1;
    for (size_t k = (i + 1) & mask; s->at[k]; k = (k + 1) & mask) {
        size_t home = (size_t)hash_of(s->at[k]) & mask;
        if (((k - home) & mask) < ((k - i) & mask))
            continue;
        atomic_store_explicit(&s->at[i], s->at[k], memory_order_release);
        i = k;
    }
    atomic_store_explicit(&s->at[i], NULL, memory_order_release);
}

static bool try_to_drop(slots *s, size_t i) {
    le__question *q = s->at[i];
    if (!q || atomic_exchange_explicit(&q->asked, false, memory_order_relaxed) || is_in_hand(q))
        return false;
    uint64_t hash = atomic_exchange(&q->hash, 0);
    if (is_in_hand(q)) {
        atomic_store(&q->hash, hash);
        return false;
    }
    take_out(s, i);
    return true;
}

/* The least recently asked one, nearly: a hand goes round and takes the first that has not been
 * asked since it came by the last time. NULL: all are in use. */
static le__question *drop_one(le__questions *t) {
    slots *s = t->current;
    for (size_t steps = 0; steps < 2 * s->n; steps++) {
        size_t i = t->hand++ & (s->n - 1);
        le__question *q = s->at[i];
        if (!try_to_drop(s, i))
            continue;
        t->used--;
        return q;
    }
    return NULL;
}

/* --- adding --- */

static le__question *make_question(void) {
    le__question *q = aligned_alloc(64, sizeof *q); /* stripes are cache lines */
    if (!q)
        return NULL;
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->race, NULL);
    return q;
}

/* Of another question, which readers may still look at: users and hash are left as they are. */
static void clear(le__question *q) {
    le__question_take(q);
    le__question_forget(q);
    atomic_store(&q->known, NULL);
    atomic_store(&q->measured, false);
    q->recalled = false;
    q->n_arms = 0;
    q->n_aside = 0;
    q->chosen = LE__CHOSEN_BY_RACE;
    q->lack = (le__pause){0};
    memset(q->at, 0, sizeof q->at);
}

le__question *le__questions_new(le__questions *t) {
    pthread_mutex_lock(&t->mutex);
    le__question *q = t->spare;
    if (q)
        t->spare = q->spare;
    pthread_mutex_unlock(&t->mutex);
    if (q)
        clear(q);
    return q ? q : make_question();
}

bool le__question_set_texts(le__question *q, const char *problem, const char *constraint,
                            const char *kind) {
    enum { STEP = 64 }; /* a later question's texts find room as well */
    size_t n[] = {strlen(problem) + 1, strlen(constraint) + 1, strlen(kind) + 1};
    size_t all = (n[0] + n[1] + n[2] + STEP - 1) / STEP * STEP;
    if (all > q->room) {
        if (!LE__ARRAY_RESIZE(q->problem, all))
            return false;
        q->room = all;
    }
    q->constraint = q->problem + n[0];
    q->kind = q->constraint + n[1];
    memcpy(q->problem, problem, n[0]);
    memcpy(q->constraint, constraint, n[1]);
    memcpy(q->kind, kind, n[2]);
    return true;
}

void le__questions_put_away(le__questions *t, le__question *q) {
    pthread_mutex_lock(&t->mutex);
    q->spare = t->spare;
    t->spare = q;
    pthread_mutex_unlock(&t->mutex);
}

static le_status add(le__questions *t, le__question *made, uint64_t hash, le__question **dropped) {
    if (t->used >= LE__QUESTIONS)
        *dropped = drop_one(t);
    if (!make_room(t))
        return le_fail(LE_ERR_MEMORY, "out of memory");
    atomic_store(&made->hash, hash);
    put_in(t->current, made);
    t->used++;
    return LE_OK;
}

le_status le__questions_add(le__questions *t, le__question *made, uint64_t hash, le__question **out,
                            le__question **dropped) {
    le_status status = LE_OK;
    *dropped = NULL;
    pthread_mutex_lock(&t->mutex);
    le__question *q = find_in(t->current, hash);
    if (!q) {
        status = add(t, made, hash, dropped);
        q = status == LE_OK ? made : NULL;
    }
    if (q)
        take(q, hash);
    pthread_mutex_unlock(&t->mutex);
    *out = q;
    return status;
}

/* --- the known choice --- */

le__arm *le__question_known(le__question *q, double *granted) {
    int64_t limit = atomic_load_explicit(&q->reuse_calls, memory_order_relaxed);
    int64_t n = atomic_load_explicit(&stripe_of_thread(q)->n, memory_order_relaxed);
    *granted = 0;
    if (n >= limit)
        return NULL;
    if (n % TIMED_EACH != 0)
        *granted = atomic_load_explicit(&q->brief_s, memory_order_relaxed);
    return atomic_load_explicit(&q->known, memory_order_acquire);
}

void le__question_forget(le__question *q) {
    atomic_store_explicit(&q->reuse_calls, 0, memory_order_relaxed);
}

double le__own_seconds(double seconds, double transfer) {
    double own = seconds - transfer, least = 0.02 * seconds;
    own = own > least ? own : least;
    return own > 1e-9 ? own : 1e-9;
}

static bool hold(le__stripe *s) {
    return !atomic_exchange_explicit(&s->held, true, memory_order_acquire);
}

static void let_go(le__stripe *s) {
    atomic_store_explicit(&s->held, false, memory_order_release);
}

/* The thread's own, or where another thread is at that, the next that is free. */
static le__stripe *hold_one(le__question *q) {
    size_t i = (size_t)(stripe_of_thread(q) - q->stripes);
    while (!hold(&q->stripes[i]))
        i = (i + 1) % LE__STRIPES;
    return &q->stripes[i];
}

static void add_time(le__stripe *s, const le__run_stats *run) {
    double l = logf((float)le__own_seconds(run->seconds, run->transfer_seconds));
    s->timed++;
    s->log += l;
    s->log2 += l * l;
    s->seconds += run->seconds;
}

void le__question_count(le__question *q, const le__arm *arm, const le__run_stats *run, bool timed) {
    le__stripe *s = hold_one(q);
    bool known = atomic_load_explicit(&q->known, memory_order_relaxed) == arm;
    int64_t n = atomic_load_explicit(&s->n, memory_order_relaxed);
    if (known)
        atomic_store_explicit(&s->n, n + 1, memory_order_relaxed);
    if (known && timed)
        add_time(s, run);
    let_go(s);
    if (known && timed &&
        (run->seconds > atomic_load_explicit(&q->alarm_s, memory_order_relaxed) ||
         run->ended > atomic_load_explicit(&q->reuse_until, memory_order_relaxed)))
        le__question_forget(q);
}

/* What was counted in all stripes, which begin anew. */
static le__stripe take_stripes(le__question *q) {
    le__stripe sum = {0};
    for (int i = 0; i < LE__STRIPES; i++) {
        le__stripe *s = &q->stripes[i];
        while (!hold(s))
            sched_yield();
        sum.n += atomic_exchange_explicit(&s->n, 0, memory_order_relaxed);
        sum.timed += s->timed;
        sum.log += s->log;
        sum.log2 += s->log2;
        sum.seconds += s->seconds;
        s->timed = 0;
        s->log = s->log2 = s->seconds = 0;
        let_go(s);
    }
    return sum;
}

void le__question_keep(le__question *q, le__arm *arm, const le__policy_decision *of) {
    atomic_store(&q->reuse_until, of->reuse_until);
    atomic_store(&q->alarm_s, of->alarm_seconds);
    atomic_store(&q->brief_s, of->seconds < brief_s ? of->seconds : 0);
    if (atomic_exchange(&q->known, arm) != arm) /* who counts holds a stripe, and has seen that */
        take_stripes(q);
    atomic_store(&q->reuse_calls,
                 of->reuse_calls < INT64_MAX / 2 ? (int64_t)of->reuse_calls : INT64_MAX / 2);
}

le__bulk le__question_take(le__question *q) {
    le__stripe sum = take_stripes(q);
    if (!sum.timed)
        return (le__bulk){0};
    double runs = (double)sum.n, share = runs / (double)sum.timed;
    double mean = sum.log / (double)sum.timed;
    return (le__bulk){.n = sum.n,
                      .mean_log = mean,
                      .m2_log = fmax(0, sum.log2 - sum.log * mean) * share,
                      .seconds = sum.seconds * share};
}
