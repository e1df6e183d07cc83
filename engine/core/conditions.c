/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Conditions from /proc/stat, the process's own CPU clock, the cgroup's cpu.stat and memory
 * pressure.
 */
#include "core/conditions.h"
#include "numbers.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double window_s = 0.1;

typedef struct reading {
    double at, busy, total, steal; /* CPU seconds of the whole machine */
    double own;                    /* CPU seconds of this process */
    double throttled;              /* seconds */
} reading;

struct le__monitor {
    pthread_mutex_t mutex;
    int stat, quota, memory; /* file descriptors; -1: not there */
    reading last;
    le__conditions now;
};

static int open_file(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_text(int fd, char *text, size_t size) {
    ssize_t n = fd < 0 ? -1 : pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static double own_cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool take(const le__monitor *m, double now, reading *r) {
    char text[4096];
    unsigned long long v[8] = {0};
    *r = (reading){.at = now, .own = own_cpu()};
    if (!read_text(m->stat, text, sizeof text) ||
        sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
               &v[4], &v[5], &v[6], &v[7]) < 4)
        return false;
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    r->busy = tick * (double)(v[0] + v[1] + v[2] + v[5] + v[6]);
    r->steal = tick * (double)v[7];
    r->total = r->busy + r->steal + tick * (double)(v[3] + v[4]);
    if (read_text(m->quota, text, sizeof text)) {
        const char *at = strstr(text, "throttled_usec ");
        r->throttled = at ? 1e-6 * le__number_parse(at + 15, NULL) : 0;
    }
    return true;
}

static float share(double part, double whole) {
    double s = whole > 0 ? part / whole : 0;
    return (float)(s < 0 ? 0 : s > 1 ? 1 : s);
}

static void update(le__monitor *m, double now) {
    reading r;
    char text[256];
    if (!take(m, now, &r))
        return;
    double total = r.total - m->last.total;
    double others = (r.busy - m->last.busy) - (r.own - m->last.own);
    m->now =
        (le__conditions){.known = true,
                         .load = share(others, total),
                         .steal = share(r.steal - m->last.steal, total),
                         .throttled = share(r.throttled - m->last.throttled, r.at - m->last.at)};
    if (read_text(m->memory, text, sizeof text)) {
        const char *at = strstr(text, "avg10=");
        m->now.pressure = at ? (float)(0.01 * le__number_parse(at + 6, NULL)) : 0;
    }
    m->last = r;
}

le_status le__monitor_open(le__monitor **out) {
    le__monitor *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    m->stat = open_file("/proc/stat");
    if (m->stat < 0) {
        free(m);
        return LE_OK;
    }
    m->quota = open_file("/sys/fs/cgroup/cpu.stat");
    m->memory = open_file("/proc/pressure/memory");
    pthread_mutex_init(&m->mutex, NULL);
    *out = m;
    return LE_OK;
}

void le__monitor_close(le__monitor *m) {
    if (!m)
        return;
    int fds[] = {m->stat, m->quota, m->memory};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

le__conditions le__monitor_read(le__monitor *m, double now) {
    if (!m)
        return (le__conditions){0};
    pthread_mutex_lock(&m->mutex);
    if (m->last.at == 0)
        take(m, now, &m->last);
    else if (now - m->last.at >= window_s)
        update(m, now);
    le__conditions c = m->now;
    pthread_mutex_unlock(&m->mutex);
    return c;
}

double le__conditions_weight(const le__conditions *c) {
    if (!c->known)
        return 1;
    double taken = (double)c->load + (double)c->steal + (double)c->throttled + (double)c->pressure;
    return taken < 0.1 ? 1 : taken < 0.25 ? 0.5 : taken < 0.5 ? 0.2 : 0.1;
}
