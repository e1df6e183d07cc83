/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Bad frames by number and file.
 */
#include "scan_report.h"

#include "liquid_engine/le_io.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

le_status scan_report_grow(scan_report *r, const scan_layout *frames) {
    const size_t old = r->bad ? (size_t)scan_layout_count(&r->frames) : 0,
                 n = (size_t)scan_layout_count(frames);
    bool *bad = realloc(r->bad, (n + 1) * sizeof *bad);
    r->bad = bad ? bad : r->bad;
    int64_t *items = realloc(r->bad_item, frames->n_pieces * sizeof *items);
    r->bad_item = items ? items : r->bad_item;
    if (!bad || !items)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    if (n > old)
        memset(bad + old, 0, (n - old) * sizeof *bad);
    for (size_t k = r->frames.n_pieces; k < frames->n_pieces; k++)
        items[k] = -1;
    r->frames = *frames;
    return LE_OK;
}

void scan_report_free(scan_report *r) {
    free(r->bad);
    free(r->bad_item);
    r->bad = NULL;
    r->bad_item = NULL;
}

typedef struct marking {
    scan_report *report;
    int64_t first; /* the first frame that is met; -1: none */
} marking;

static le_status mark(void *cookie, int64_t from, int64_t to, int64_t n) {
    marking *m = cookie;
    scan_report *r = m->report;
    (void)from;
    if (m->first < 0)
        m->first = to;
    for (int64_t f = to; f < to + n; f++) {
        r->n_bad += !r->bad[f];
        r->bad[f] = true;
    }
    return LE_OK;
}

le_status scan_report_bad(scan_report *r, int64_t item) {
    marking m = {.report = r, .first = -1};
    const size_t piece = scan_layout_piece(&r->frames, item);
    scan_layout_item(&r->frames, item, mark, &m);
    if (r->bad_item[piece] < 0)
        r->bad_item[piece] = item;
    if (r->skip)
        return LE_OK;
    return le_fail(LE_ERR_DATA, "frame %lld (of %lld; %s) cannot be decoded",
                   (long long)(m.first < 0 ? 0 : m.first), (long long)scan_layout_count(&r->frames),
                   r->frames.pieces[piece].place);
}

void scan_report_done(scan_report *r, int64_t item) {
    r->done = item;
}

/* Frames of one piece: they lie together, for pieces follow one another along the first axis. */
static void frames_of(const scan_report *r, size_t piece, int64_t *begin, int64_t *end) {
    const scan_layout *l = &r->frames;
    int64_t inner = 1;
    for (int d = 1; d < l->axes; d++)
        inner *= l->shape[d];
    *begin = 0;
    for (size_t k = 0; k < piece && l->axes > 0; k++)
        *begin += l->pieces[k].about->count[0] * inner;
    *end = *begin + (l->axes > 0 ? l->pieces[piece].about->count[0] * inner : 1);
}

int64_t scan_report_refused(const scan_report *r) {
    for (size_t k = 0; r->bad_item && !r->skip && k < r->frames.n_pieces; k++)
        if (r->bad_item[k] >= 0)
            return r->bad_item[k];
    return -1;
}

void scan_report_print(const scan_report *r, scan_reason reason, void *cookie) {
    const scan_layout *l = &r->frames;
    for (size_t k = 0; k < l->n_pieces && r->n_bad; k++) {
        tool_text numbers = {0};
        int64_t begin, end, n = 0;
        frames_of(r, k, &begin, &end);
        for (int64_t f = begin; f < end; f++)
            if (r->bad[f])
                tool_add(&numbers, "%s%lld", n++ ? ", " : "", (long long)f);
        const char *why = l->pieces[k].why;
        if (n && !why)
            why = reason(cookie, r->bad_item[k]);
        if (n)
            tool_message("%lld bad frame%s left out: %s (%s%s%s)", (long long)n, n > 1 ? "s" : "",
                         numbers.text ? numbers.text : "", l->pieces[k].place, *why ? ": " : "",
                         why);
        tool_text_free(&numbers);
    }
}
