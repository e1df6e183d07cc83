/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored chunks of one dataset, or of all those of a group, joined along the first axis. One of
 * them is open at a time, for a scan may have more files than a process may.
 */
#include "files/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3 };

typedef struct piece {
    char *text;         /* of its place */
    le__io_place place; /* with the slices that are its own */
    le_stored_info info;
    char *why; /* it cannot be opened */
} piece;

struct le__pieces {
    le__io_request request;
    bool skip;
    piece *of;
    le_source_piece *list;
    size_t n;
    int64_t items, next;
    le__h5_stored_source *open;
    size_t at; /* which one that is */
};

static le_status no_memory(const le__io_request *r) {
    return le_fail(LE_ERR_MEMORY, "%s: out of memory", r->place->text);
}

static le_status make_list(le__pieces *p, size_t n) {
    p->of = calloc(n, sizeof *p->of);
    p->list = calloc(n, sizeof *p->list);
    p->n = p->of && p->list ? n : 0;
    return p->n ? LE_OK : no_memory(&p->request);
}

static le_status open_piece(le__pieces *p, const piece *one) {
    le__io_request r = p->request;
    r.place = &one->place;
    return le__h5_stored_open(&r, p->skip, &p->open);
}

/* What is known of it from now on, although it may grow. */
static le_status survey_piece(le__pieces *p, piece *one) {
    le_status status = open_piece(p, one);
    if (status == LE_OK)
        one->info = *le__h5_stored_info(p->open);
    return status;
}

static void close_piece(le__pieces *p) {
    le__h5_stored_close(p->open);
    p->open = NULL;
}

static int64_t items_of(const le_stored_info *info) {
    int64_t n = 1;
    for (int i = 0; i < info->ndim; i++)
        n *= info->grid[i];
    return n;
}

static void number_items(le__pieces *p) {
    p->items = 0;
    for (size_t k = 0; k < p->n; k++) {
        const piece *one = &p->of[k];
        p->list[k] = (le_source_piece){.place = one->text,
                                       .first = p->items,
                                       .items = items_of(&one->info),
                                       .why = one->why,
                                       .about = &one->info};
        p->items += p->list[k].items;
    }
}

/* ---------------------------------------------------------------------------- one dataset -- */

/* The place of a dataset of the file, without slices. */
static le_status put_place(const le__io_place *from, const char *group, const char *name,
                           piece *out) {
    const char *slash = *name && *group && group[strlen(group) - 1] != '/' ? "/" : "";
    le__io_place *p = &out->place;
    *p = (le__io_place){.format = from->format, .file = strdup(from->file)};
    if (from->dataset && asprintf(&p->dataset, "%s%s%s", group, slash, name) < 0)
        p->dataset = NULL;
    if (asprintf(&out->text, "%s%s%s%s%s", from->file, *group ? ":" : "", group, slash, name) < 0)
        out->text = NULL;
    p->text = out->text;
    return p->text && p->file && (p->dataset || !from->dataset)
               ? LE_OK
               : le_fail(LE_ERR_MEMORY, "%s: out of memory", from->text);
}

static le_status open_one(le__pieces *p) {
    const le__io_place *place = p->request.place;
    le_status status = make_list(p, 1);
    if (status == LE_OK)
        status = put_place(place, place->dataset ? place->dataset : "", "", &p->of[0]);
    if (status != LE_OK)
        return status;
    p->of[0].place.n_slices = place->n_slices;
    memcpy(p->of[0].place.slices, place->slices, sizeof place->slices);
    return survey_piece(p, &p->of[0]);
}

/* -------------------------------------------------------------------------------- a group -- */

/* Pieces that differ in anything but their number of frames cannot be joined. */
static le_status check_alike(const piece *a, const piece *b) {
    const le_stored_info *x = &a->info, *y = &b->info;
    bool same = x->dtype == y->dtype && x->big_endian == y->big_endian && x->ndim == y->ndim &&
                x->n_filters == y->n_filters;
    for (int i = 0; same && i < x->ndim; i++)
        same = x->chunk[i] == y->chunk[i] && (i == 0 || x->shape[i] == y->shape[i]);
    for (int i = 0; same && i < x->n_filters; i++)
        same = !memcmp(&x->filters[i], &y->filters[i], sizeof x->filters[i]);
    return same ? LE_OK
                : le_fail(LE_ERR_SHAPE,
                          "%s and %s cannot be joined: their frames, types, chunks or filters "
                          "differ",
                          a->text, b->text);
}

static void drop_piece(piece *one) {
    free(one->text);
    free(one->why);
    le__io_place_free(&one->place);
    *one = (piece){0};
}

/* What opens as a dataset but not as chunks is not broken: it is no frames, or an error, with or
 * without skipping. No other way of reading helps with a group, and no status suggests one. */
static le_status judge(const piece *one, le_status status, bool *frames) {
    if (status == LE_OK)
        *frames = one->info.ndim >= LE__FRAME_AXES;
    if (status != LE_ERR_UNSUPPORTED && status != LE_ERR_DTYPE && status != LE_ERR_SHAPE)
        return status;
    char why[1024];
    snprintf(why, sizeof why, "%s", le_error_message());
    const int axes = le__h5_axes(&one->place);
    *frames = axes < 0 || axes >= LE__FRAME_AXES;
    return le_fail(axes < 0 && status != LE_ERR_DTYPE ? LE_ERR_IO : LE_ERR_SHAPE, "%s", why);
}

/* One that is missing or broken counts as frames where these are skipped. */
static le_status look_at(le__pieces *p, piece *one, bool *frames) {
    *frames = true;
    le_status status = survey_piece(p, one);
    close_piece(p);
    status = judge(one, status, frames);
    if (status == LE_OK || !*frames)
        return LE_OK;
    if (!p->skip || status != LE_ERR_IO)
        return status;
    one->why = strdup(le_error_message());
    return one->why ? LE_OK : no_memory(&p->request);
}

/* All that can be opened tell what they are; the others count as the first of these. */
static le_status survey(le__pieces *p) {
    const piece *first = NULL;
    le_status status = LE_OK;
    size_t n = 0;
    for (size_t k = 0; k < p->n; k++) {
        bool frames;
        status = look_at(p, &p->of[k], &frames);
        if (status != LE_OK)
            return status;
        if (!frames) {
            drop_piece(&p->of[k]);
            continue;
        }
        piece *one = &p->of[n];
        if (n++ != k) {
            *one = p->of[k];
            p->of[k] = (piece){0};
        }
        if (!one->why && first && (status = check_alike(first, one)) != LE_OK)
            return status;
        if (!first && !one->why)
            first = one;
    }
    p->n = n;
    if (!first)
        return n ? le_fail(LE_ERR_IO, "%s", p->of[0].why)
                 : le_fail(LE_ERR_IO, "%s: the group has no frames", p->request.place->text);
    for (size_t k = 0; k < p->n; k++)
        if (p->of[k].why)
            p->of[k].info = first->info;
    return LE_OK;
}

/* What a selection of the joined frames takes of one piece, which begins at frame `base`. */
static le__io_range range_in(const le__io_range *all, int64_t base, int64_t frames) {
    int64_t begin = base <= all->start ? 0 : (base - all->start - 1) / all->step + 1;
    int64_t end = base + frames <= all->start ? 0 : (base + frames - all->start - 1) / all->step + 1;
    if (end > all->count)
        end = all->count;
    le__io_range r = *all;
    r.start = all->start + begin * all->step - base;
    r.count = end > begin ? end - begin : 0;
    return r;
}

static le_status choose(le__pieces *p) {
    const le_stored_info *info = &p->of[0].info;
    le__io_range all[LE_MAX_DIMS];
    int64_t shape[LE_MAX_DIMS], base = 0;
    const int ndim = info->ndim;
    memcpy(shape, info->shape, sizeof shape);
    shape[0] = 0;
    for (size_t k = 0; k < p->n; k++)
        shape[0] += p->of[k].info.shape[0];
    le_status status = ndim < 1 ? LE_ERR_SHAPE : le__io_select(p->request.place, ndim, shape, all);
    for (size_t k = 0; status == LE_OK && k < p->n; k++) {
        piece *one = &p->of[k];
        le__io_range own = range_in(&all[0], base, one->info.shape[0]);
        base += one->info.shape[0];
        one->place.n_slices = ndim;
        for (int i = 0; i < ndim; i++) {
            const le__io_range *r = i == 0 ? &own : &all[i];
            one->place.slices[i] = le__io_slice_of(r);
            le__h5_stored_select(&one->info, i, r);
        }
    }
    return status;
}

static le_status open_group(le__pieces *p, const le__h5_names *names) {
    const le__io_place *place = p->request.place;
    le_status status = make_list(p, names->n);
    for (size_t k = 0; status == LE_OK && k < names->n; k++)
        status = put_place(place, place->dataset, names->list[k], &p->of[k]);
    if (status == LE_OK)
        status = survey(p);
    return status == LE_OK ? choose(p) : status;
}

/* ---------------------------------------------------------------------------- from outside -- */

static void drop_list(le__pieces *p) {
    for (size_t k = 0; k < p->n; k++)
        drop_piece(&p->of[k]);
    free(p->of);
    free(p->list);
    p->of = NULL;
    p->list = NULL;
    p->n = 0;
}

void le__pieces_close(le__pieces *p) {
    if (!p)
        return;
    close_piece(p);
    drop_list(p);
    free(p);
}

/* What no dataset is may be a group; what is neither keeps the first error. */
static le_status open_any(le__pieces *p) {
    char *first = NULL;
    le_status status = open_one(p);
    if (status != LE_ERR_IO || !p->request.place->dataset || !(first = strdup(le_error_message())))
        return status;
    drop_list(p);
    le__h5_names names;
    bool group = le__h5_list(p->request.place, true, &names) == LE_OK;
    status = group ? open_group(p, &names) : le_fail(LE_ERR_IO, "%s", first);
    if (group)
        le__h5_names_free(&names);
    free(first);
    return status;
}

le_status le__pieces_open(const le__io_request *r, bool skip, le__pieces **out) {
    le__pieces *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(r);
    p->request = *r;
    p->skip = skip;
    le_status status = open_any(p);
    if (status != LE_OK) {
        le__pieces_close(p);
        return status;
    }
    number_items(p);
    *out = p;
    return LE_OK;
}

int64_t le__pieces_items(const le__pieces *p) {
    return p->items;
}

size_t le__pieces_list(const le__pieces *p, const le_source_piece **list) {
    *list = p->list;
    return p->n;
}

static le_status make_room(const le__pieces *p, int64_t items, int64_t bytes, le_tensor *parts) {
    const le__io_request *r = &p->request;
    le_status status = le__io_room(&parts[0], r->place->text, LE_U8, 1, &bytes, r->max_bytes);
    const int64_t offsets = items + 1;
    if (status == LE_OK)
        status = le__io_room(&parts[1], r->place->text, LE_I64, 1, &offsets, r->max_bytes);
    if (status == LE_OK)
        status = le__io_room(&parts[2], r->place->text, LE_U32, 1, &items, r->max_bytes);
    return status;
}

static le_status give_unreadable(const le__pieces *p, int64_t items, le_tensor *parts) {
    le_status status = make_room(p, items, 0, parts);
    for (int64_t i = 0; status == LE_OK && i < items; i++) {
        ((int64_t *)parts[1].data)[i + 1] = ((int64_t *)parts[1].data)[0] = 0;
        ((uint32_t *)parts[2].data)[i] = LE_STORED_UNREADABLE;
    }
    return status;
}

/* Piece k, where it stands at item `inside` of its own. */
static le_status reach(le__pieces *p, size_t k, int64_t inside) {
    if (p->open && p->at == k)
        return LE_OK;
    close_piece(p);
    le_status status = open_piece(p, &p->of[k]);
    if (status != LE_OK)
        return status;
    p->at = k;
    le__h5_stored_leave(p->open, inside);
    return LE_OK;
}

/* Items of piece k, from item `inside` of its own on. */
static le_status next_of(le__pieces *p, size_t k, int64_t inside, int64_t items, le_tensor *parts) {
    if (p->of[k].why)
        return give_unreadable(p, items, parts);
    le_status status = reach(p, k, inside);
    return status == LE_OK ? le__h5_stored_next(p->open, items, parts) : status;
}

static le_status append(const le__pieces *p, le_tensor *parts, const le_tensor *more) {
    le_tensor whole[PARTS] = {{0}};
    const le_tensor *from[2] = {parts, more};
    int64_t n[2], bytes[2];
    for (int k = 0; k < 2; k++) {
        n[k] = from[k][2].shape[0];
        bytes[k] = ((const int64_t *)from[k][1].data)[n[k]];
    }
    le_status status = make_room(p, n[0] + n[1], bytes[0] + bytes[1], whole);
    for (int k = 0; status == LE_OK && k < 2; k++) {
        int64_t at = k ? n[0] : 0, byte = k ? bytes[0] : 0;
        if (bytes[k])
            memcpy((char *)whole[0].data + byte, from[k][0].data, (size_t)bytes[k]);
        memcpy((uint32_t *)whole[2].data + at, from[k][2].data, (size_t)n[k] * sizeof(uint32_t));
        for (int64_t i = 0; i <= n[k]; i++)
            ((int64_t *)whole[1].data)[at + i] = ((const int64_t *)from[k][1].data)[i] + byte;
    }
    for (int i = 0; i < PARTS; i++) {
        le_tensor_free(status == LE_OK ? &parts[i] : &whole[i]);
        if (status == LE_OK)
            parts[i] = whole[i];
    }
    return status;
}

le_status le__pieces_next(le__pieces *p, int64_t items, le_tensor *parts) {
    le_tensor more[PARTS] = {{0}};
    le_status status = LE_OK;
    size_t k = 0;
    for (int64_t done = 0; status == LE_OK && done < items;) {
        while (p->next >= p->list[k].first + p->list[k].items)
            k++;
        const int64_t inside = p->next - p->list[k].first, left = p->list[k].items - inside;
        const int64_t n = left < items - done ? left : items - done;
        status = next_of(p, k, inside, n, done ? more : parts);
        if (status == LE_OK && done)
            status = append(p, parts, more);
        done += n;
        p->next += n;
    }
    for (int i = 0; i < PARTS; i++)
        le_tensor_free(&more[i]);
    return status;
}

static bool is_inside(const le__pieces *p, size_t k, int64_t item) {
    return item >= p->list[k].first && item - p->list[k].first < p->list[k].items;
}

/* What is open stays so: it tells of the file at one moment. */
void le__pieces_leave(le__pieces *p, int64_t items) {
    const bool stays =
        p->open && is_inside(p, p->at, p->next) && is_inside(p, p->at, p->next + items);
    if (stays)
        le__h5_stored_leave(p->open, items);
    else
        close_piece(p);
    p->next += items;
}

int64_t le__pieces_ready(le__pieces *p) {
    int64_t ready = 0;
    for (size_t k = 0; k < p->n; k++) {
        const int64_t end = p->list[k].first + p->list[k].items;
        const int64_t begin = p->next > p->list[k].first ? p->next : p->list[k].first;
        if (begin >= end)
            continue;
        int64_t n = 0;
        if (!p->of[k].why && reach(p, k, begin - p->list[k].first) == LE_OK)
            n = le__h5_stored_ready(p->open, end - begin);
        ready += n;
        if (begin + n < end)
            break;
    }
    return ready;
}
