/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Options and environment variables.
 */
#include "core/options.h"

#include "benchdb.h"
#include "core/cpu.h"
#include "core/struct.h"
#include "numbers.h"
#include "paths.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const le_env_row env_table[] = {
    {"LE_DB", "timings database; ':memory:' keeps nothing", "the user's cache folder"},
    {"LE_SITE_DB", "folders of read-only databases, ':' between", "/etc/liquid_engine"},
    {"LE_CACHE_DIR", "compiled kernels", "the user's cache folder"},
    {"LE_CL_DIR", "folder with kernels that replace the embedded ones", "none"},
    {"LE_OPENCL_LIBRARY", "file name of the OpenCL loader", "libOpenCL.so.1"},
    {"LE_DEVICE", "devices allowed: cpu, opencl, opencl:N or part of a name", "all"},
    {"LE_RUN_TYPE", "run type to force: c, simd, exact, opencl, fused, staged, slabs, reference", "none"},
    {"LE_IMPLEMENTATION", "implementation to force", "none"},
    {"LE_MODE", "estimate, learn, measure or frozen", "learn"},
    {"LE_THREADS", "threads at most", "cores of the affinity mask"},
    {"LE_ISA", "instruction sets allowed: sse2, avx2, avx512 or none", "all that the CPU has"},
    {"LE_EXPLORE_SHARE", "time spent exploring / time spent answering", "1"},
    {"LE_TRIAL_LIMIT", "seconds by which trials that fail may delay a call", "2"},
    {"LE_TRIALS", "where implementations are tried: spawn, fork or none",
     "spawn for what is built in, else fork"},
    {"LE_TRIAL_PROGRAM", "the helper program le-trial, instead of the installed one", "none"},
    {"LE_MEMORY_LIMIT", "bytes of host working memory of a call; k, M, G, T", "none"},
    {"LE_DEVICE_MEMORY_LIMIT", "bytes of an OpenCL device's memory; k, M, G, T", "80 % of it"},
    {"LE_BOX_EDGE", "cells along the edge of the boxes of reproducible calls over large volumes",
     "a fourth of the volume's longest axis, 32 to 256"},
    {"LE_SEED", "seed of trials and benchmarks", "1"},
    {"LE_LOG", "error, warning, info or debug: log to stderr when no log callback is set", "none"},
    {"LE_IO_TRUST", "1: HDF5 and FITS files are sound and not first tried in a child process", "0"},
    {NULL, NULL, NULL}};

static const char *const mode_names[] = {"default", "estimate", "learn", "measure", "frozen"};
static const char *const level_names[] = {"error", "warning", "info", "debug"};

const le_env_row *le_environment(void) {
    return env_table;
}

const char *le_mode_name(le_mode mode) {
    return mode >= LE_MODE_DEFAULT && mode <= LE_MODE_FROZEN ? mode_names[mode] : "unknown";
}

bool le_mode_from_name(const char *name, le_mode *out) {
    for (le_mode m = LE_MODE_ESTIMATE; m <= LE_MODE_FROZEN; m++)
        if (!strcmp(name, mode_names[m])) {
            *out = m;
            return true;
        }
    return false;
}

enum { MOST_THREADS = 4095 };

static const char *env(const char *name) {
    const char *v = secure_getenv(name);
    return v && *v ? v : NULL;
}

static void log_to_stderr(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    fprintf(stderr, "liquid_engine: %s: %s\n", level_names[level], text);
}

void le_default_options(le_options *o) {
    *o = (le_options){.struct_size = sizeof *o};
}

static bool own(const char **text, const char *fallback) {
    const char *v = *text ? *text : fallback;
    *text = v ? strdup(v) : NULL;
    return !v || *text;
}

/* Of a folder, which stays the same one wherever the process goes; "" is none. */
static bool own_folder(const char **text, const char *fallback) {
    const char *v = *text ? *text : fallback;
    *text = v ? *v ? le__path_absolute(v) : strdup(v) : NULL;
    return !v || *text;
}

static le_status number(const char *name, double low, double *out) {
    const char *v = env(name);
    if (!v || *out != 0)
        return LE_OK;
    char *end;
    *out = le__number_parse(v, &end);
    if (*end || !(*out >= low))
        return le_fail(LE_ERR_ARGUMENT, "%s is '%.64s', expected a number of at least %g", name, v,
                       low);
    return LE_OK;
}

bool le_bytes_from_text(const char *text, int64_t *out) {
    static const char units[] = "kmgt";
    char *end;
    double v = le__number_parse(text, &end);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL; /* either case */
    for (const char *u = units; unit && u <= unit; u++)
        v *= 1024;
    const bool good = !*end || (unit && (!end[1] || (end[1] == 'i' && end[2] == 'B' && !end[3])));
    if (end == text || !good || !(v >= 0) || v > 9e18)
        return false;
    *out = (int64_t)v;
    return true;
}

static le_status bytes(const char *name, int64_t *out) {
    const char *v = env(name);
    if (!v || *out != 0 || le_bytes_from_text(v, out))
        return LE_OK;
    return le_fail(LE_ERR_ARGUMENT, "%s is '%.64s', expected bytes, or a number with k, M, G or T",
                   name, v);
}

static le_status integer(const char *name, double most, int64_t *out) {
    double v = 0;
    le_status status = *out == 0 ? number(name, 0, &v) : LE_OK;
    if (status == LE_OK && (v != floor(v) || v > most))
        return le_fail(LE_ERR_ARGUMENT, "%s is '%.64s', expected a whole number of at most %.0f",
                       name, env(name), most);
    if (status == LE_OK && *out == 0)
        *out = (int64_t)v;
    return status;
}

/* Number of the word that a variable is; *out stays as it is where that is not set. */
static le_status word(const char *name, const char *const *words, int n, const char *expected,
                      int *out) {
    const char *v = env(name);
    for (int i = 0; v && i < n; i++)
        if (!strcmp(v, words[i])) {
            *out = i;
            return LE_OK;
        }
    return v ? le_fail(LE_ERR_ARGUMENT, "%s is '%.64s', expected %s", name, v, expected) : LE_OK;
}

static le_status resolve_mode(le_options *o) {
    const int first = LE_MODE_ESTIMATE;
    int mode = LE_MODE_LEARN - first;
    if (o->mode != LE_MODE_DEFAULT)
        return LE_OK;
    le_status status =
        word("LE_MODE", mode_names + first, 4, "estimate, learn, measure or frozen", &mode);
    o->mode = (le_mode)(first + mode);
    return status;
}

le_status le__options_log_level(le_log_level *out) {
    int level = LE_LOG_INFO;
    le_status status = word("LE_LOG", level_names, 4, "error, warning, info or debug", &level);
    *out = (le_log_level)level;
    return status;
}

le_status le__options_isa(uint32_t *out) {
    static const char *const names[] = {"none", "sse2", "avx2", "avx512"};
    static const uint32_t isa[] = {0, LE_ISA_SSE2, LE_ISA_SSE2 | LE_ISA_AVX2,
                                   LE_ISA_SSE2 | LE_ISA_AVX2 | LE_ISA_AVX512};
    int most = -1;
    le_status status = word("LE_ISA", names, 4, "none, sse2, avx2 or avx512", &most);
    *out = le__cpu_isa() & (most < 0 ? ~UINT32_C(0) : isa[most]);
    return status;
}

le_status le__options_trials(le__trials *out) {
    static const char *const names[] = {"spawn", "fork", "none"};
    int which = -1;
    le_status status = word("LE_TRIALS", names, 3, "spawn, fork or none", &which);
    *out = (le__trials)(LE__TRIALS_DEFAULT + 1 + which);
    return status;
}

static const double most_edge = 0x1p53;

int64_t le__options_box_edge(void) {
    const char *v = env("LE_BOX_EDGE");
    char *end = NULL;
    const double edge = v ? le__number_parse(v, &end) : 0;
    const bool good = v && !*end && edge >= 0 && edge <= most_edge && edge == floor(edge);
    return good ? (int64_t)edge : 0;
}

bool le__options_io_trust(void) {
    const char *v = env("LE_IO_TRUST");
    return v && !strcmp(v, "1");
}

/* Of the variables above, which those that need them look up. */
static le_status check_looked_up(void) {
    static const char *const names[] = {"0", "1"};
    int64_t edge = 0;
    int trust;
    le_status status = integer("LE_BOX_EDGE", most_edge, &edge);
    return status == LE_OK ? word("LE_IO_TRUST", names, 2, "0 or 1", &trust) : status;
}

static le_status resolve_numbers(le_options *o) {
    int64_t threads = o->threads, seed = (int64_t)o->seed;
    le_status status = integer("LE_THREADS", MOST_THREADS, &threads);
    if (status == LE_OK)
        status = integer("LE_SEED", 0x1p53, &seed);
    if (status == LE_OK)
        status = bytes("LE_MEMORY_LIMIT", &o->memory_limit_bytes);
    if (status == LE_OK)
        status = bytes("LE_DEVICE_MEMORY_LIMIT", &o->device_memory_limit_bytes);
    if (status == LE_OK)
        status = number("LE_EXPLORE_SHARE", 0, &o->explore_share);
    if (status == LE_OK)
        status = number("LE_TRIAL_LIMIT", 0, &o->trial_limit_s);
    if (status == LE_OK)
        status = check_looked_up();
    int cores = le__cpu_cores();
    o->threads = threads > 0 ? (int32_t)threads : cores;
    o->seed = seed ? (uint64_t)seed : 1;
    if (o->explore_share == 0 && !env("LE_EXPLORE_SHARE"))
        o->explore_share = 1;
    if (o->trial_limit_s == 0)
        o->trial_limit_s = 2;
    return status;
}

static le_status check_given(const le_options *o) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"threads", o->threads},
                   {"explore_share", o->explore_share},
                   {"trial_limit_s", o->trial_limit_s},
                   {"memory_limit_bytes", (double)o->memory_limit_bytes},
                   {"device_memory_limit_bytes", (double)o->device_memory_limit_bytes}};
    if ((int)o->mode < LE_MODE_DEFAULT || o->mode > LE_MODE_FROZEN)
        return le_fail(LE_ERR_ARGUMENT, "le_open: there is no mode %d", (int)o->mode);
    if (o->threads > MOST_THREADS)
        return le_fail(LE_ERR_ARGUMENT, "le_open: threads is %d, expected at most %d",
                       (int)o->threads, MOST_THREADS);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0))
            return le_fail(LE_ERR_ARGUMENT, "le_open: %s is %g, expected 0 or more",
                           numbers[i].name, numbers[i].value);
    return LE_OK;
}

static void resolve_log(le_options *o) {
    if (!o->log && env("LE_LOG"))
        o->log = log_to_stderr;
}

le_status le__options_resolve(le_options *out, const le_options *given) {
    le_options o;
    le_default_options(&o);
    if (given) {
        le_status taken = le__struct_take(&o, sizeof o, given, offsetof(le_options, reserved),
                                          "le_open: options (call le_default_options first)");
        if (taken == LE_OK)
            taken = check_given(&o);
        if (taken != LE_OK)
            return taken;
    }
    bool ok = own(&o.db_path, NULL);
    ok = own(&o.host, NULL) && ok;
    ok = own(&o.site_db_path, le_db_default_site_path(NULL)) && ok;
    ok = own_folder(&o.cache_dir, env("LE_CACHE_DIR")) && ok;
    ok = own_folder(&o.cl_dir, env("LE_CL_DIR")) && ok;
    ok = own(&o.devices, env("LE_DEVICE")) && ok;
    const bool forced = o.run_type || o.implementation; /* one variable cannot spoil the other */
    ok = own(&o.run_type, forced ? NULL : env("LE_RUN_TYPE")) && ok;
    ok = own(&o.implementation, forced ? NULL : env("LE_IMPLEMENTATION")) && ok;
    le_status status = ok ? LE_OK : le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    if (status == LE_OK)
        status = resolve_mode(&o);
    if (status == LE_OK)
        status = resolve_numbers(&o);
    resolve_log(&o);
    *out = o;
    if (status != LE_OK)
        le__options_free(out);
    return status;
}

void le__options_free(le_options *o) {
    const char **texts[] = {&o->db_path, &o->host,    &o->site_db_path, &o->cache_dir,
                            &o->cl_dir,  &o->devices, &o->run_type,     &o->implementation};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free((void *)(uintptr_t)*texts[i]);
        *texts[i] = NULL;
    }
}

int le__options_fork(const le_options *o) {
    if (o->fork_prepare)
        o->fork_prepare(o->fork_cookie);
    pid_t pid = fork();
    void (*after)(void *) = pid == 0 ? o->fork_child : o->fork_parent;
    if (after)
        after(o->fork_cookie);
    return pid;
}
