/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks to their places: chunks may reach beyond the edge of the dataset, and selections take some
 * of their cells.
 */
#include "scan_layout.h"

scan_layout scan_layout_of(const le_source_piece *pieces, size_t n_pieces, int axes) {
    scan_layout l = {.pieces = pieces, .n_pieces = n_pieces, .axes = axes};
    for (int d = 0; d < axes; d++)
        l.shape[d] = pieces[0].about->count[d];
    for (size_t k = 1; k < n_pieces && axes > 0; k++)
        l.shape[0] += pieces[k].about->count[0];
    return l;
}

int64_t scan_layout_count(const scan_layout *l) {
    int64_t n = 1;
    for (int d = 0; d < l->axes; d++)
        n *= l->shape[d];
    return n;
}

int64_t scan_layout_cells(const scan_layout *l) {
    int64_t n = 1;
    for (int d = 0; d < l->axes; d++)
        n *= l->pieces[0].about->chunk[d];
    return n;
}

int scan_layout_shape(const scan_layout *l, const int64_t *more, int n_more, int64_t *shape) {
    int ndim = 0;
    for (int d = 0; d < l->axes; d++)
        if (!l->pieces[0].about->dropped[d])
            shape[ndim++] = l->shape[d];
    for (int d = 0; d < n_more && ndim < LE_MAX_DIMS; d++)
        shape[ndim++] = more[d];
    return ndim;
}

size_t scan_layout_piece(const scan_layout *l, int64_t item) {
    size_t k = 0;
    while (k + 1 < l->n_pieces && item >= l->pieces[k + 1].first)
        k++;
    return k;
}

/* A chunk's selected cells along one axis: `to` in the result, every step-th from `from` on. */
typedef struct span {
    int64_t from, step, to, count;
} span;

static span span_of(const le_stored_info *about, int d, int64_t chunk) {
    const int64_t start = about->start[d], step = about->step[d];
    const int64_t low = chunk * about->chunk[d], high = low + about->chunk[d];
    const int64_t begin = low <= start ? 0 : (low - start - 1) / step + 1;
    int64_t end = high <= start ? 0 : (high - start - 1) / step + 1;
    if (end > about->count[d])
        end = about->count[d];
    return (span){start + begin * step - low, step, begin, end > begin ? end - begin : 0};
}

int64_t scan_layout_before(const scan_layout *l, int64_t item) {
    const le_source_piece *last = &l->pieces[l->n_pieces - 1];
    if (item >= last->first + last->items)
        return scan_layout_count(l);
    if (l->axes == 0)
        return 0;
    const size_t piece = scan_layout_piece(l, item);
    const le_stored_info *about = l->pieces[piece].about;
    int64_t inside = 1, inner = 1, rows = 0;
    for (int d = 1; d < about->ndim; d++)
        inside *= about->grid[d];
    for (int d = 1; d < l->axes; d++)
        inner *= l->shape[d];
    for (size_t k = 0; k < piece; k++)
        rows += l->pieces[k].about->count[0];
    if (inside == 0)
        return rows * inner;
    const int64_t at = item - l->pieces[piece].first;
    const span s = span_of(about, 0, le_stored_place(about, 0, at / inside));
    rows += s.to < about->count[0] ? s.to : about->count[0];
    return rows * inner + s.count * inner * (at % inside) / inside;
}

typedef struct walk {
    const scan_layout *layout;
    const le_stored_info *about;
    span spans[LE_MAX_DIMS];
    int whole; /* axes from this one on are taken as they lie */
    scan_run run;
    void *cookie;
} walk;

static le_status walk_axis(const walk *w, int d, int64_t from, int64_t to) {
    const scan_layout *l = w->layout;
    int64_t in_chunk = 1, in_result = 1;
    le_status status = LE_OK;
    if (d == l->axes)
        return w->run(w->cookie, from, to, 1);
    for (int k = d + 1; k < l->axes; k++) {
        in_chunk *= w->about->chunk[k];
        in_result *= l->shape[k];
    }
    const span *s = &w->spans[d];
    if (d + 1 >= w->whole && s->step == 1)
        return w->run(w->cookie, from + s->from * in_chunk, to + s->to * in_result,
                      s->count * in_chunk);
    for (int64_t i = 0; i < s->count && status == LE_OK; i++)
        status = walk_axis(w, d + 1, from + (s->from + i * s->step) * in_chunk,
                           to + (s->to + i) * in_result);
    return status;
}

le_status scan_layout_item(const scan_layout *l, int64_t item, scan_run run, void *cookie) {
    const size_t piece = scan_layout_piece(l, item);
    walk w = {.layout = l, .about = l->pieces[piece].about, .run = run, .cookie = cookie};
    int64_t chunk[LE_MAX_DIMS], rest = item - l->pieces[piece].first;
    for (int d = w.about->ndim - 1; d >= 0; d--) {
        chunk[d] = le_stored_place(w.about, d, rest % w.about->grid[d]);
        rest /= w.about->grid[d];
    }
    w.whole = l->axes;
    for (int d = l->axes - 1; d >= 0; d--) {
        w.spans[d] = span_of(w.about, d, chunk[d]);
        if (w.spans[d].count == 0)
            return LE_OK;
        const bool all = w.spans[d].step == 1 && w.spans[d].count == w.about->chunk[d] &&
                         w.spans[d].count == l->shape[d];
        if (all && w.whole == d + 1)
            w.whole = d;
    }
    for (size_t k = 0; k < piece && l->axes > 0; k++)
        w.spans[0].to += l->pieces[k].about->count[0];
    return walk_axis(&w, 0, 0, 0);
}
