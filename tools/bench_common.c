/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-bench's ways of measuring share: engine, lists, progress.
 */
#include "bench.h"

#include "operation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    if (level <= LE_LOG_WARNING)
        tool_message("%s", text);
}

le_engine *bench_engine(const bench_settings *s, const char *db, le_mode mode) {
    le_options options;
    le_engine *engine;
    le_default_options(&options);
    options.db_path = db ? db : s->db;
    options.devices = s->devices;
    options.mode = mode;
    options.seed = s->seed;
    options.log = say;
    if ((s->open ? s->open : le_open)(&engine, &options) != LE_OK) {
        tool_message("%s", le_error_message());
        return NULL;
    }
    if (s->prepare)
        s->prepare(engine);
    return engine;
}

static void hush(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    (void)level;
    (void)text;
}

/* In a process of its own, which ends with `unopened` where no engine can be opened. */
static size_t devices_of(const char *devices, int unopened, le_bench_device *out, size_t max) {
    le_options options;
    le_engine *engine;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = devices;
    options.mode = LE_MODE_FROZEN;
    options.log = hush;
    if (le_open(&engine, &options) != LE_OK)
        _exit(unopened);
    const size_t n = le_bench_devices(engine, out, max);
    le_close(&engine);
    return n;
}

/* What is wrong but the device is told when the engine of the way itself is opened. */
static void look_for_device(const char *devices, const char *option, const char *given) {
    enum { MAX = 12 };
    le_bench_device list[MAX];
    if (devices_of(devices, TOOL_OK, list, MAX) > 0)
        _exit(TOOL_OK);
    const size_t n = devices_of("all", TOOL_FAILED, list, MAX);
    tool_text there = {0};
    for (size_t i = 0; i < n && i < MAX; i++)
        tool_add(&there, "%s%s", i ? ", " : "", list[i].id);
    if (n > MAX)
        tool_add(&there, " and %zu more", n - MAX);
    tool_message("%s '%.64s', but there is no %s device; there %s %s", option, given,
                 strcmp(given, "opencl") ? "such" : "OpenCL", n == 1 ? "is" : "are",
                 there.text ? there.text : "none");
    _exit(TOOL_FAILED);
}

bool bench_has_device(const bench_settings *s) {
    const char *variable = getenv("LE_DEVICE"), *given = s->devices ? s->devices : variable;
    if (!given || !*given)
        return true;
    int state = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        look_for_device(s->devices, s->devices ? "--devices has" : "LE_DEVICE is", given);
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    return !(WIFEXITED(state) && WEXITSTATUS(state) == TOOL_FAILED);
}

void bench_failed(const char *operation) {
    const char *error = le_error_message();
    const bool named = !strncmp(error, operation, strlen(operation));
    if (!bench_interrupted())
        tool_message("%s%s%s", named ? "" : operation, named ? "" : ": ", error);
}

void bench_say_error(void) {
    if (!bench_interrupted())
        tool_message("%s", le_error_message());
}

const le_operation **bench_operations(const bench_settings *s, le_engine *engine) {
    size_t n_all, n = 0;
    const le_operation *const *all = le_engine_operations(engine, &n_all);
    while (s->operations[n])
        n++;
    const le_operation **list = calloc((n ? n : n_all) + 1, sizeof *list);
    if (!list) {
        tool_message("out of memory");
        return NULL;
    }
    for (size_t i = 0; i < (n ? n : n_all); i++) {
        list[i] = n ? tool_operation(engine, s->operations[i]) : all[i];
        if (!list[i]) {
            free(list);
            return NULL;
        }
    }
    return list;
}

int bench_sizes(const char *text, int64_t *out) {
    const char *given = text;
    int n = 0;
    out[0] = 0;
    if (!text)
        return 1;
    for (char *end; n < BENCH_MAX_LIST; text = end + 1) {
        errno = 0;
        long long v = strtoll(text, &end, 10);
        if (end == text || v < 1 || errno || (*end && *end != ',')) {
            tool_message("--sizes has '%s', expected positive numbers with ',' between", given);
            return -1;
        }
        out[n++] = v;
        if (!*end)
            break;
    }
    return n;
}

static int all_dtypes(const le_operation *op, le_dtype *out) {
    int n = 0;
    for (size_t i = 0; i < op->n_args; i++) {
        if (op->args[i].type != LE_TYPE_IN)
            continue;
        for (le_dtype d = LE_U8; d <= LE_DTYPE_LAST; d++)
            if (op->args[i].dtypes & LE_DTYPE_BIT(d))
                out[n++] = d;
        break;
    }
    if (n == 0)
        out[n++] = (le_dtype)0;
    return n;
}

int bench_dtypes(const char *text, const le_operation *op, le_dtype *out) {
    int n = 0;
    out[0] = (le_dtype)0;
    if (!text)
        return 1;
    if (!strcmp(text, "all"))
        return all_dtypes(op, out);
    while (n < BENCH_MAX_LIST) {
        char name[8] = "";
        size_t length = strcspn(text, ",");
        if (length < sizeof name)
            memcpy(name, text, length);
        if (!le_dtype_from_name(name, &out[n++])) {
            tool_message(
                "--dtype has '%s', expected all, or some of u8, i8, u16, i16, u32, i32, u64, i64, "
                "f32, f64, c64, c128 with ',' between",
                text);
            return -1;
        }
        if (!text[length])
            break;
        text += length + 1;
    }
    return n;
}

bool bench_one_problem(const bench_settings *s, int64_t *size, le_dtype *dtype) {
    int64_t sizes[BENCH_MAX_LIST];
    le_dtype dtypes[BENCH_MAX_LIST];
    const char *all = s->dtypes && !strcmp(s->dtypes, "all") ? s->dtypes : NULL;
    const int n_sizes = bench_sizes(s->sizes, sizes);
    const int n_dtypes = n_sizes < 0 || all ? 1 : bench_dtypes(s->dtypes, NULL, dtypes);
    if (n_sizes < 0 || n_dtypes < 0)
        return false;
    if (n_sizes > 1)
        tool_message("--sizes has '%s', expected one number: one problem is measured", s->sizes);
    else if (all || n_dtypes > 1)
        tool_message("--dtype has '%s', expected one dtype: one problem is measured", s->dtypes);
    *size = sizes[0];
    *dtype = all ? (le_dtype)0 : dtypes[0];
    return n_sizes == 1 && n_dtypes == 1 && !all;
}

/* --- progress --- */

void bench_progress_begin(bench_progress *p, size_t all, bool quiet) {
    *p = (bench_progress){.start = tool_clock(), .all = all, .on = !quiet && isatty(STDERR_FILENO)};
}

double bench_limit(const bench_settings *s) {
    enum { DEFAULT_S = 120 };
    return s->limit_s > 0 ? s->limit_s : DEFAULT_S;
}

void bench_progress_show(bench_progress *p, size_t done, const char *what, double budget_s,
                         double limit_s) {
    char left[LE__TEXT];
    double gone = tool_clock() - p->start, more = (double)(p->all - done);
    double rest = done ? gone / (double)done * more : limit_s * more;
    if (!p->on)
        return;
    if (budget_s > 0 && rest > budget_s - gone)
        rest = budget_s - gone;
    fprintf(stderr, "\r\033[K[%zu/%zu] %.50s", done + 1, p->all, what);
    if (rest > 0)
        fprintf(stderr, ", %s %s left", done ? "about" : "at most", le__age_text(rest, left));
    fflush(stderr);
}

void bench_progress_end(bench_progress *p) {
    if (p->on)
        fputs("\r\033[K", stderr);
}
