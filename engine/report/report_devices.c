/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL devices in the report. One device is "opencl" in a candidate's text; where the candidates
 * shown ran on several, each has a part of its name there instead, and a number if that is not
 * enough.
 */
#include "report.h"

#include <ctype.h>
#include <string.h>

enum { SHORT = 20 };

typedef struct devices {
    report_device of[REPORT_DEVICES];
    size_t n;
} devices;

static size_t index_of(devices *d, int64_t id) {
    for (size_t i = 0; i < d->n; i++)
        if (d->of[i].id == id)
            return i;
    if (d->n == REPORT_DEVICES)
        return REPORT_DEVICES - 1;
    d->of[d->n].id = id;
    return d->n++;
}

static devices find_devices(const report *r) {
    devices d = {.n = 0};
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_known; k++)
            if (r->problems[i].candidates[k].known->device)
                index_of(&d, r->problems[i].candidates[k].known->device);
    return d;
}

const char *le__report_device_part(const report *r, int64_t id, const char *name) {
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
        shorten(le__report_device_part(r, d->of[i].id, "name"), d->of[i].name);
        size_t n = strlen(d->of[i].name);
        for (size_t k = 0; k < i; k++)
            twins +=
                !strncmp(d->of[k].name, d->of[i].name, n) && strchr("#", d->of[k].name[n]) != NULL;
        if (twins || !n)
            snprintf(d->of[i].name + n, sizeof d->of[i].name - n, "#%zu", twins + 1);
    }
}

void le__report_name_devices(report *r) {
    devices d = find_devices(r);
    if (d.n < 2)
        return;
    name_all(r, &d);
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_known; k++) {
            report_candidate *c = &r->problems[i].candidates[k];
            if (c->known->device)
                le__report_candidate_text(c, d.of[index_of(&d, c->known->device)].name);
        }
}

size_t le__report_devices(const report *r, report_device out[REPORT_DEVICES]) {
    devices d = find_devices(r);
    name_all(r, &d);
    memcpy(out, d.of, d.n * sizeof *out);
    return d.n;
}
