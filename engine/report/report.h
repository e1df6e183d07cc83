/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The database's rows put together by operation, problem and candidate, and the writers of what
 * other programs and browsers read.
 */
#ifndef LE_REPORT_H
#define LE_REPORT_H

#include "benchdb.h"
#include "texts.h"

#include "liquid_engine/le.h"

#include <stdbool.h>
#include <stdio.h>

/* One candidate on one problem. Times in seconds; NaN where nothing is known. */
typedef struct report_candidate {
    const le_db_known_candidate *known;
    char text[256];     /* "avx2@cpu[threads=2,schedule=dynamic]", "opencl@NVIDIA H200" */
    const char *device; /* name of the device, "CPU pool" */
    bool reference;     /* run type "reference" */
    bool hidden;        /* on another device than was asked for: may be a choice all the same */
    bool stale;         /* measured on another machine, build or driver than the newest rows */
    int64_t samples, contended, cold;
    double time;      /* geometric mean of the clean samples (else of the contended ones) */
    double low, high; /* 90 % interval of that mean */
    double median, p99, least, most;
    double cold_time;
    double stopped_s;      /* the longest time that a stopped run had; 0: none was stopped */
    double setup_s, cpu_s; /* cpu_s: of one run */
    int64_t peak_bytes;
    int64_t last_ms; /* of the last sample; 0: none */
    le_db_state state;
    double errors[LE_DB_ERRORS]; /* as le_db_verdict; worst over what was compared */
    const char *reason;          /* of the verdict, "" */
} report_candidate;

typedef struct report_problem report_problem;

/* What answers a problem under one constraint. */
typedef struct report_choice {
    const report_problem *problem;
    const char *constraint, *objective, *evidence;
    bool stored; /* false: the fastest measured, no choice is stored */
    int64_t date_ms;
    const report_candidate *candidate;
    const report_candidate *runner_up; /* next in time that may answer; NULL: none */
    double runner_up_ratio;            /* its time / the choice's; NaN */
    double reference_ratio;            /* the reference's time / the choice's; NaN */
} report_choice;

struct report_problem {
    const le_db_known_problem *known;
    report_candidate *candidates; /* fastest first, those without a time last */
    size_t n_candidates;          /* that are shown */
    size_t n_known;               /* with the hidden ones behind them */
    report_choice *choices;
    size_t n_choices;
};

/* What an operation has cost, of all builds. */
typedef struct report_account {
    const char *operation;
    int64_t calls;
    double answered_s, explored_s, regret_s; /* as le_db_account */
} report_account;

typedef struct report {
    const le_db_knowledge *knowledge;
    const char *path;         /* of the database */
    struct le_engine *engine; /* says what a call would get now; NULL: is not asked */
    struct le_engine *again;  /* knows what le-bench could run; NULL: is not asked */
    struct colours *colours;  /* of charts; NULL: there are none */
    bool all_machines;
    const le_db_identity *machine; /* this one; NULL: all machines, or not known */
    int64_t now_ms;
    report_problem *problems; /* by operation, then work */
    size_t n_problems;
    report_account *accounts;
    size_t n_accounts;
} report;

typedef struct report_filter {
    char *const *operations; /* NULL-ended; NULL or empty: all */
    char *const *words;      /* NULL-ended: each must be in the problem's text */
    bool all_machines;       /* put together; else only rows of this host */
    const char *device;      /* part of a candidate's text or device name */
    int64_t now_ms;          /* 0: now */
} report_filter;

/* Builds the report; *out is released with report_free. false: out of memory. The knowledge must
 * outlive it. */
bool le__report_make(report *out, const le_db_knowledge *k, const char *path,
                     const report_filter *filter);
void le__report_free(report *r);

/* Numbers of "atol=1e-4 rtol=0 ..."; 0 where absent. false: no tolerance in it. */
bool le__report_tolerance(const char *constraint, double *atol, double *rtol);
/* Whether a candidate may answer under a constraint, as far as errors and verdicts tell. */
bool le__report_may_answer(const report_candidate *c, const char *constraint);
/* What ratios of a problem's times refer to: the first choice's time, else the least. */
double le__report_base_time(const report_problem *p);
double le__report_age_s(const report *r, int64_t date_ms);
/* Whether the choice was made while others used the machine. */
bool le__report_under_load(const report_choice *c);
/* "stale", "quarantined: reason", ... in a few words; "" for a candidate in good health. */
const char *le__report_remark(const report_candidate *c, char *buffer, size_t size);
/* Runs that the time comes from: clean ones, else those under load, else first ones. */
long long le__report_count(const report_candidate *c);
/* "12 samples", "3 samples and 9 under load"; returns buffer. */
const char *le__report_samples(const report_candidate *c, char *buffer, size_t size);
/* The command that times this candidate on this problem again, for free(). NULL: le-bench could not
 * make the call, or has no such candidate here; nobody is asked (again.h); out of memory. */
char *le__report_reproduce(const report *r, const report_problem *p, const report_candidate *c);

/* Writes c->text with this short name of its device. */
void le__report_candidate_text(report_candidate *c, const char *device);

/* OpenCL devices that candidates ran on, with the short names that they have in candidates' texts
 * where there are several. */
enum { REPORT_DEVICES = 32 };
typedef struct report_device {
    int64_t id;
    char name[28];
} report_device;
size_t le__report_devices(const report *r, report_device out[REPORT_DEVICES]);
/* "name", "driver" ... of a device, "" where it is not known. */
const char *le__report_device_part(const report *r, int64_t id, const char *part);
/* Tells them apart in the texts of candidates. */
void le__report_name_devices(report *r);

/* What a call of this problem's text would get now; NULL, with the reason in `why`, when the text
 * does not describe one. To be freed with le_explanation_free. */
le_explanation *le__report_explain(le_engine *engine, const char *operation, const char *text,
                                   char *why, size_t size);
/* The same of a problem of the report; NULL as well when the text describes another call (some
 * problems depend on data), or there is no engine to ask. */
le_explanation *le__report_explanation(const report *r, const char *operation, const char *problem);

/* Writers; false: out of memory. */
bool le__report_json(const report *r, FILE *out);
bool le__report_html(const report *r, FILE *out);

#endif
