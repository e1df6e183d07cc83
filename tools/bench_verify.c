/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation against its reference. A child process walks the cases; when it crashes or
 * hangs, the implementation under way has failed and another child goes on without it.
 */
#include "bench_verify.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_CASES = 12, LIMIT_S = 120, MAX_RESTARTS = 16 };

static const double lossy_limit =
    0.1; /* in the operation's norm: an approximation, not another answer */

typedef struct walk { /* shared with the child */
    verify_result result;
    _Atomic uint32_t position; /* of the case under way: index * dtypes + dtype */
    _Atomic int row;           /* under way; -1: none */
    _Atomic int64_t beat_ms;   /* when the run under way began */
    _Atomic int done;
} walk;

typedef struct context {
    const bench_settings *s;
    const char *operation;
    le_engine *engine;
    walk *w;
    le_dtype dtypes[BENCH_MAX_LIST];
    uint32_t n_dtypes, n_cases;
    bool beyond; /* the cases asked for are done: for what none of them has reached */
} context;

static verify_row *find_row(verify_result *r, const char *implementation, const char *device) {
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].implementation, implementation) &&
            !strcmp(r->rows[i].device, device))
            return &r->rows[i];
    if (r->n == VERIFY_MAX_ROWS)
        return NULL;
    verify_row *row = &r->rows[r->n++];
    snprintf(row->implementation, sizeof row->implementation, "%s", implementation);
    snprintf(row->device, sizeof row->device, "%s", device);
    snprintf(row->reason, sizeof row->reason, "no case was tried");
    return row;
}

static void fail(verify_row *row, uint32_t index, const char *dtype, const char *reason) {
    row->state = VERIFY_FAILED;
    snprintf(row->reason, sizeof row->reason, "case %u%s%.8s: %.220s", index, *dtype ? " " : "",
             dtype, reason);
}

/* Of this machine, or of what the user forced: nothing that a check case could change. */
static bool is_excuse(const char *why) {
    static const char *const starts[] = {"the CPU", "the device", "another ",
                                         "a step has no implementation for ", NULL};
    for (size_t i = 0; starts[i]; i++)
        if (!strncmp(why, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static void not_applicable(verify_row *row, const char *why) {
    if (row->state != VERIFY_NOTHING && row->state != VERIFY_SKIPPED)
        return;
    row->state = is_excuse(why) ? VERIFY_SKIPPED : VERIFY_NOTHING;
    snprintf(row->reason, sizeof row->reason, "%s", why);
}

/* --- one case --- */

static void check_once(context *c, verify_row *row, le_bench *bench, size_t candidate,
                       uint32_t index, const char *dtype, unsigned char poison) {
    size_t n;
    const char *text = le_bench_candidates(bench, &n)[candidate].text;
    le_bench_comparison r = {.struct_size = sizeof r};
    c->w->beat_ms = tool_now_ms();
    c->w->row = (int)(row - c->w->result.rows);
    snprintf(row->reason, sizeof row->reason, "%s", text); /* should it not come back */
    le_status status = le_bench_check(bench, candidate, poison, &r);
    c->w->row = -1;
    row->reason[0] = '\0';
    row->runs++;
    row->max_abs = fmax(row->max_abs, r.max_abs);
    row->rtol = fmax(row->rtol, r.rtol);
    char reason[256];
    if (status != LE_OK) {
        snprintf(reason, sizeof reason, "%.60s: %s", text, le_error_message());
        fail(row, index, dtype, reason);
    } else if (!(r.within || (row->lossy && r.max_abs <= lossy_limit))) {
        snprintf(reason, sizeof reason, "%.60s: error %.3g (rtol %.3g) exceeds the tolerance", text,
                 r.max_abs, r.rtol);
        fail(row, index, dtype, reason);
    } else if (row->state != VERIFY_FAILED) {
        row->state = VERIFY_OK;
    }
}

/* The default parameters on two poisons, so that an element left unwritten shows in one of them;
 * and of the other parameters another one each case. */
static void check_variants(context *c, verify_row *row, le_bench *bench, const size_t *variants,
                           size_t n, uint32_t index, const char *dtype) {
    check_once(c, row, bench, variants[0], index, dtype, 0xff);
    if (row->state == VERIFY_OK)
        check_once(c, row, bench, variants[0], index, dtype, 0x00);
    if (row->state == VERIFY_OK && n > 1)
        check_once(c, row, bench, variants[1 + index % (n - 1)], index, dtype, 0xff);
    row->cases++;
}

/* The candidates of one implementation on one device, from `first` on, that apply. Returns the
 * index behind them. */
static size_t gather(const le_bench_candidate *list, size_t n, size_t first, size_t *variants,
                     size_t max, size_t *count) {
    size_t k = first;
    for (*count = 0; k < n && list[k].implementation == list[first].implementation &&
                     !strcmp(list[k].device, list[first].device);
         k++)
        if (list[k].applies && *count < max)
            variants[(*count)++] = k;
    return k;
}

static void check_rows(context *c, le_bench *bench, uint32_t index, const char *dtype,
                       const char *only) {
    enum { MAX = 512 };
    size_t n, variants[MAX], count;
    const le_bench_candidate *list = le_bench_candidates(bench, &n);
    for (size_t i = 0, next; i < n; i = next) {
        next = gather(list, n, i, variants, MAX, &count);
        const char *name = list[i].implementation->name;
        verify_row *row = find_row(&c->w->result, name, list[i].device);
        if (!row || row->state == VERIFY_FAILED || (only && strcmp(only, name)) ||
            (c->beyond && row->state != VERIFY_NOTHING))
            continue;
        row->lossy = list[i].implementation->flags & LE_IMPL_LOSSY;
        row->forced = row->forced || (only && count);
        if (count)
            check_variants(c, row, bench, variants, count, index, dtype);
        else
            not_applicable(row, list[i].why);
    }
}

/* What answers only calls that ask for it by name is asked for by name. */
static void check_forced(context *c, const le_arg *args, size_t n, uint32_t index,
                         const char *dtype) {
    le_arg forced[LE_MAX_ARGS + 1];
    memcpy(forced, args, n * sizeof *forced);
    for (size_t i = 0; i < c->w->result.n; i++) {
        verify_row *row = &c->w->result.rows[i];
        le_bench *bench = NULL;
        if (row->state != VERIFY_NOTHING && (c->beyond || !row->forced || row->state != VERIFY_OK))
            continue;
        forced[n] = LE_OPT_IMPLEMENTATION((const char *)row->implementation);
        if (le_bench_open(&bench, c->engine, c->operation, forced, n + 1) == LE_OK &&
            le_bench_reference(bench) != LE_ERR_UNSUPPORTED)
            check_rows(c, bench, index, dtype, row->implementation);
        le_bench_close(&bench);
    }
}

static void check_case(context *c, uint32_t index, le_dtype dtype) {
    le_case_request request = {
        .kind = LE_CASE_CHECK, .seed = c->s->seed, .index = index, .dtype = dtype};
    const char *name = dtype ? le_dtype_name(dtype) : "";
    le_sample *sample;
    le_bench *bench = NULL;
    size_t n;
    if (le_sample_make(&sample, c->engine, c->operation, &request) != LE_OK) {
        snprintf(c->w->result.problem, sizeof c->w->result.problem, "%s", le_error_message());
        return;
    }
    c->w->result.cases++;
    const le_arg *args = le_sample_args(sample, &n);
    if (c->s->alter)
        c->s->alter(args, n);
    if (le_bench_open(&bench, c->engine, c->operation, args, n) != LE_OK) {
        c->w->result.refused++;
        snprintf(c->w->result.problem, sizeof c->w->result.problem, "%s", le_error_message());
    } else if (le_bench_reference(bench) == LE_ERR_UNSUPPORTED) {
        snprintf(c->w->result.problem, sizeof c->w->result.problem, "%s", le_error_message());
    } else {
        check_rows(c, bench, index, name, NULL);
        check_forced(c, args, n, index, name);
    }
    le_bench_close(&bench);
    le_sample_free(&sample);
}

/* Implementations that have no candidate here (no OpenCL device) get a row that says so. */
static void add_missing(context *c) {
    size_t n;
    verify_result *r = &c->w->result;
    const le_implementation *const *list = le_engine_implementations(c->engine, c->operation, &n);
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < r->n && !found; k++)
            found = !strcmp(r->rows[k].implementation, list[i]->name);
        bool opencl = list[i]->device == LE_DEVICE_OPENCL;
        verify_row *row = found ? NULL : find_row(r, list[i]->name, opencl ? "opencl" : "cpu");
        if (row && opencl) {
            row->state = VERIFY_SKIPPED;
            snprintf(row->reason, sizeof row->reason,
                     "there is no OpenCL device, or none is allowed");
        }
    }
}

static bool is_all_reached(const verify_result *r) {
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].state == VERIFY_NOTHING)
            return false;
    return true;
}

/* Some implementations apply to a few shapes only (slabs: to what can be cut), which a small number
 * of cases need not have: for them, and for nothing else, more cases are tried, up to the usual
 * number. */
static void walk_cases(context *c, uint32_t from) {
    const le_operation *op = le_engine_operation(c->engine, c->operation);
    int n = bench_dtypes(c->s->dtypes ? c->s->dtypes : "all", op, c->dtypes);
    c->n_dtypes = n > 0 ? (uint32_t)n : 1;
    c->n_cases = c->s->cases > 0 ? (uint32_t)c->s->cases : DEFAULT_CASES;
    uint32_t most = c->n_cases > DEFAULT_CASES ? c->n_cases : DEFAULT_CASES;
    for (uint32_t p = from; p < most * c->n_dtypes && !bench_interrupted(); p++) {
        c->beyond = p >= c->n_cases * c->n_dtypes;
        if (c->beyond && is_all_reached(&c->w->result))
            break;
        c->w->position = p;
        check_case(c, p / c->n_dtypes, c->dtypes[p % c->n_dtypes]);
    }
    add_missing(c);
}

/* --- children --- */

static void child(context *c, uint32_t from) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    c->engine = bench_engine(c->s, ":memory:", LE_MODE_ESTIMATE);
    if (c->engine) {
        walk_cases(c, from);
        le_close(&c->engine);
        c->w->done = 1;
    }
    _exit(c->engine ? 1 : 0);
}

/* Waits for the child; false when it was killed: a run took too long, or nobody waits any more. */
static bool wait_for(pid_t pid, walk *w, int *state) {
    for (;;) {
        pid_t got = waitpid(pid, state, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return true;
        const bool late = w->row >= 0 && tool_now_ms() - w->beat_ms > LIMIT_S * 1000;
        if (late || bench_interrupted()) {
            kill(pid, SIGKILL);
            waitpid(pid, state, 0);
            return false;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

static void blame(walk *w, bool ended, int state) {
    char reason[200];
    if (w->row < 0)
        return;
    verify_row *row = &w->result.rows[w->row];
    char text[100];
    snprintf(text, sizeof text, "%.99s", row->reason);
    if (ended && WIFSIGNALED(state))
        snprintf(reason, sizeof reason, "%s: crashed with signal %d (%s)", text, WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else if (ended)
        snprintf(reason, sizeof reason, "%s: ended the process", text);
    else
        snprintf(reason, sizeof reason, "%s: did not end within %d s", text, LIMIT_S);
    fail(row, w->position, "", reason);
    w->row = -1;
}

static void verify_in_children(context *c) {
    uint32_t from = 0;
    for (int restart = 0; restart < MAX_RESTARTS && !c->w->done && !bench_interrupted();
         restart++) {
        int state = 0;
        c->w->row = -1;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            child(c, from);
        if (pid < 0) {
            snprintf(c->w->result.problem, sizeof c->w->result.problem, "fork: %s",
                     strerror(errno));
            return;
        }
        bool ended = wait_for(pid, c->w, &state);
        if (bench_interrupted())
            return;
        if (!c->w->done && c->w->row < 0) {
            snprintf(c->w->result.problem, sizeof c->w->result.problem,
                     "the reference or the operation itself ended the process (status %d)", state);
            return;
        }
        blame(c->w, ended, state);
        from = c->w->position;
    }
}

void verify_operation(const bench_settings *s, const char *operation, verify_result *out) {
    walk *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    context c = {.s = s, .operation = operation, .w = w};
    *out = (verify_result){0};
    if (w == MAP_FAILED) {
        snprintf(out->problem, sizeof out->problem, "out of memory");
        return;
    }
    w->row = -1;
    if (s->in_process) {
        c.engine = bench_engine(s, ":memory:", LE_MODE_ESTIMATE);
        if (c.engine)
            walk_cases(&c, 0);
        le_close(&c.engine);
    } else {
        verify_in_children(&c);
    }
    *out = w->result;
    munmap(w, sizeof *w);
}

/* --- the table --- */

static const char *const state_names[] = {"FAILED", "ok", "FAILED", "skipped"};

static void print_row(const char *operation, const verify_row *r, FILE *out) {
    char error[LE__TEXT], rtol[LE__TEXT];
    bool ran = r->cases > 0;
    tool_style style = r->state == VERIFY_OK        ? TOOL_GREEN
                       : r->state == VERIFY_SKIPPED ? TOOL_YELLOW
                                                    : TOOL_RED;
    fprintf(out, "%-20s %-24s %-10s %5u %5u %9s %9s  %s%s%s%s%s%s\n", operation, r->implementation,
            r->device, r->cases, r->runs, le__error_text(ran ? r->max_abs : NAN, error),
            le__error_text(ran ? r->rtol : NAN, rtol), tool_begin(out, style),
            state_names[r->state], tool_begin(out, TOOL_PLAIN), r->lossy ? " (lossy)" : "",
            *r->reason ? ": " : "", r->reason);
}

static bool skipped_alike(const verify_row *a, const verify_row *b) {
    return a->state == VERIFY_SKIPPED && b->state == VERIFY_SKIPPED &&
           !strcmp(a->device, b->device) && !strcmp(a->reason, b->reason);
}

/* Rows that are skipped for one reason are one line: "6 implementations ... c, avx2, avx512". */
static void print_skipped(const char *operation, const verify_result *r, size_t first, FILE *out) {
    const verify_row *row = &r->rows[first];
    char count[24];
    size_t n = 0;
    for (size_t i = first; i < r->n; i++)
        n += skipped_alike(row, &r->rows[i]);
    if (n == 1) {
        print_row(operation, row, out);
        return;
    }
    snprintf(count, sizeof count, "%zu implementations", n);
    fprintf(out, "%-20s %-24s %-10s %5d %5d %9s %9s  %s%s%s: %s:", operation, count, row->device, 0,
            0, "-", "-", tool_begin(out, TOOL_YELLOW), state_names[row->state],
            tool_begin(out, TOOL_PLAIN), row->reason);
    for (size_t i = first, k = 0; i < r->n; i++)
        if (skipped_alike(row, &r->rows[i]))
            fprintf(out, "%s %s", k++ ? "," : "", r->rows[i].implementation);
    fputc('\n', out);
}

static bool is_told(const verify_result *r, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (skipped_alike(&r->rows[k], &r->rows[i]))
            return true;
    return false;
}

static bool print_operation(const char *operation, const verify_result *r, FILE *out) {
    bool ok = true;
    for (size_t i = 0; i < r->n; i++) {
        if (r->rows[i].state != VERIFY_SKIPPED)
            print_row(operation, &r->rows[i], out);
        else if (!is_told(r, i))
            print_skipped(operation, r, i, out);
        ok = ok && (r->rows[i].state == VERIFY_OK || r->rows[i].state == VERIFY_SKIPPED);
    }
    if (r->n == 0 || r->cases == r->refused) {
        fprintf(out, "%-20s %sFAILED%s: no case could be checked: %s\n", operation,
                tool_begin(out, TOOL_RED), tool_begin(out, TOOL_PLAIN), r->problem);
        ok = false;
    }
    fflush(out);
    return ok;
}

int bench_verify(const bench_settings *s, FILE *out) {
    /* it has no threads: children are forked beside it */
    le_engine *engine = bench_engine(s, ":memory:", LE_MODE_FROZEN);
    const le_operation **ops = engine ? bench_operations(s, engine) : NULL;
    verify_result *r = malloc(sizeof *r);
    int status = ops && r ? TOOL_OK : engine && r ? TOOL_USAGE : TOOL_FAILED;
    le_dtype dtypes[BENCH_MAX_LIST];
    if (status == TOOL_OK && *ops && bench_dtypes(s->dtypes, *ops, dtypes) < 0)
        status = TOOL_USAGE;
    if (status == TOOL_OK)
        fprintf(out, "seed %llu\n%s%-20s %-24s %-10s %5s %5s %9s %9s  %s%s\n",
                (unsigned long long)s->seed, tool_begin(out, TOOL_BOLD), "operation",
                "implementation", "device", "cases", "runs", "max error", "rtol", "result",
                tool_begin(out, TOOL_PLAIN));
    fflush(out);
    bench_progress p;
    size_t n = 0;
    while (status == TOOL_OK && ops[n])
        n++;
    bench_progress_begin(&p, n, s->quiet);
    for (size_t i = 0; i < n && !bench_interrupted(); i++) {
        bench_progress_show(&p, i, ops[i]->name, 0, 0);
        verify_operation(s, ops[i]->name, r);
        bench_progress_end(&p);
        if (bench_interrupted()) /* what was not reached would count as failed */
            break;
        if (!print_operation(ops[i]->name, r, out))
            status = TOOL_FAILED;
    }
    free(r);
    free(ops);
    le_close(&engine);
    return status;
}
