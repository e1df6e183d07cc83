/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL devices in the report. One device is "opencl" in a candidate's text; where the candidates
 * shown ran on several, each has a part of its name there instead, and a number if that is not
 * enough.
 */
#include "report.h"

#include "wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, SHORT = 20 };

typedef struct devices {
    int64_t ids[MOST];
    char names[MOST][SHORT + 8];
    size_t n;
} devices;

static size_t index_of(devices *d, int64_t id) {
    for (size_t i = 0; i < d->n; i++)
        if (d->ids[i] == id)
            return i;
    if (d->n == MOST)
        return MOST - 1;
    d->ids[d->n] = id;
    return d->n++;
}

static devices find_devices(const report *r) {
    devices d = {.n = 0};
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_candidates; k++)
            if (r->problems[i].candidates[k].known->device)
                index_of(&d, r->problems[i].candidates[k].known->device);
    return d;
}

static const char *part(const report *r, int64_t id, const char *name) {
    const le_db_identity *device = le_db_find_identity(r->knowledge, id);
    return device ? le_db_identity_part(device, name) : "";
}

/* Of "NVIDIA H200", all; of a long name its beginning. What has a meaning in a candidate's text is
 * left out. */
static void shorten(const char *name, char *out) {
    size_t n = 0;
    for (; *name && n < SHORT; name++)
        if (isprint((unsigned char)*name) && !strchr("@[]", *name))
            out[n++] = *name;
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

static void name_all(const report *r, devices *d) {
    for (size_t i = 0; i < d->n; i++) {
        size_t twins = 0;
        shorten(part(r, d->ids[i], "name"), d->names[i]);
        size_t n = strlen(d->names[i]);
        for (size_t k = 0; k < i; k++)
            twins += !strncmp(d->names[k], d->names[i], n) && strchr("#", d->names[k][n]) != NULL;
        if (twins || !n)
            snprintf(d->names[i] + n, sizeof d->names[i] - n, "#%zu", twins + 1);
    }
}

void report_name_devices(report *r) {
    devices d = find_devices(r);
    if (d.n < 2)
        return;
    name_all(r, &d);
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_candidates; k++) {
            report_candidate *c = &r->problems[i].candidates[k];
            if (c->known->device)
                report_candidate_text(c, d.names[index_of(&d, c->known->device)]);
        }
}

void report_devices(const report *r, FILE *out) {
    devices d = find_devices(r);
    if (d.n == 0)
        return;
    name_all(r, &d);
    fputc('\n', out);
    for (size_t i = 0; i < d.n; i++) {
        tool_text line = {0};
        const char *driver = part(r, d.ids[i], "driver");
        int column = fprintf(out, "@%s  ", d.n == 1 ? "opencl" : d.names[i]);
        tool_add(&line, "%s%s%s", part(r, d.ids[i], "name"), *driver ? ", driver " : "", driver);
        wrap_print(out, column, 4, line.failed ? "" : line.text);
        tool_text_free(&line);
    }
}
