/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reads virtual datasets of HDF5 part by part: each file is opened as any other file that is read.
 */
#include "files/h5_virtual.h"

#include "core/array.h"
#include "files/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4 }; /* virtual datasets within virtual datasets */

/* Along one axis: elements of the result, and those of a part that belong there. */
typedef struct run {
    int64_t at, at_step, from, from_step, count;
} run;

typedef struct runs {
    run *run;
    int64_t n;
    size_t room;
} runs;

typedef struct job {
    le__h5_dataset *d;
    const le__io_parallel *parallel;
    unsigned char *data;
    size_t element;
    int64_t stride[LE_MAX_DIMS]; /* of the result, in elements */
    /* the part that is open */
    const le__h5_map *map;
    le__io_place place;
    le__h5_dataset part;
    le__io_range range[LE_MAX_DIMS]; /* as it was opened */
} job;

/* ------------------------------------------------------------------------- what meets what -- */

/* The element of a slab at a coordinate; -1: none. */
static int64_t element_at(const le__h5_slab *s, int64_t coordinate) {
    int64_t block = (coordinate - s->start) / s->stride, rest = (coordinate - s->start) % s->stride;
    if (coordinate < s->start || block >= s->count || rest >= s->block)
        return -1;
    return block * s->block + rest;
}

static int64_t coordinate_of(const le__h5_slab *s, int64_t element) {
    return s->start + element / s->block * s->stride + element % s->block;
}

static bool continues(run *r, int64_t at, int64_t from) {
    if (r->count == 1 && from > r->from) {
        r->at_step = at - r->at;
        r->from_step = from - r->from;
    }
    bool next = r->from_step && at == r->at + r->count * r->at_step &&
                from == r->from + r->count * r->from_step;
    r->count += next;
    return next;
}

static bool add(runs *list, int64_t at, int64_t from) {
    if (list->n && continues(&list->run[list->n - 1], at, from))
        return true;
    if (!LE__ARRAY_ROOM(list->run, list->n, list->room))
        return false;
    list->run[list->n++] = (run){at, 1, from, 0, 1};
    return true;
}

static bool find_runs(const le__io_range *range, const le__h5_slab *own, const le__h5_slab *from,
                      runs *out) {
    for (int64_t i = 0; i < range->count; i++) {
        int64_t element = element_at(own, range->start + i * range->step);
        if (element >= 0 && !add(out, i, from ? coordinate_of(from, element) : 0))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------- a part -- */

/* Of its dataset, to be freed. */
static le_status place_of_part(const le__h5_dataset *d, const le__h5_map *map, le__io_place *out) {
    le__h5_link link = {.found = true};
    *out = (le__io_place){.format = LE__IO_HDF5, .text = d->text};
    le_status status = LE_OK;
    if (!strcmp(map->file, "."))
        out->file = strdup(d->file_name);
    else if (snprintf(link.file, sizeof link.file, "%s", map->file) < (int)sizeof link.file)
        status = le__h5_link_follow(&link, d->text, d->file_name, &out->file);
    out->dataset = strdup(map->dataset);
    if (status == LE_OK && (!out->file || !out->dataset))
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", d->text);
    if (status != LE_OK)
        le__io_place_free(out);
    return status;
}

static void close_part(job *j) {
    if (!j->map)
        return;
    le__h5_close(&j->part);
    le__io_place_free(&j->place);
    j->map = NULL;
}

static void set_slices(le__io_place *place, int rank, const le__io_range *range) {
    place->n_slices = rank;
    for (int k = 1; k < rank; k++)
        place->slices[k] = le__io_slice_of(&range[k]);
    place->slices[0] = (le__io_slice){.step = 1};
}

static le_status fail_part(const job *j, const char *what) {
    return le_fail(LE_ERR_IO, "%s: its part %s:%s %s", j->d->text, j->map->file, j->map->dataset,
                   what);
}

static le_status check_part(const job *j, const le__io_range *range) {
    if (j->part.maps && j->part.within > DEEPEST)
        return fail_part(j, "is virtual, too, within more than four other virtual datasets");
    bool all = j->part.rank == j->map->rank;
    for (int k = 0; all && k < j->part.rank; k++)
        all = range[k].start + (range[k].count - 1) * range[k].step < j->part.shape[k];
    return all ? LE_OK : fail_part(j, "is smaller than the virtual dataset says");
}

/* Whether what is open serves, with another selection along the first axis. */
static bool serves(const job *j, const le__h5_map *map, const le__io_range *range) {
    if (j->map != map)
        return false;
    for (int k = 1; k < map->rank; k++)
        if (j->range[k].start != range[k].start || j->range[k].step != range[k].step ||
            j->range[k].count != range[k].count)
            return false;
    return true;
}

/* range: of all axes but the first; NULL: everything. */
static le_status open_file(job *j, const le__h5_map *map, const le__io_range *range) {
    le_status status = place_of_part(j->d, map, &j->place);
    if (status != LE_OK)
        return status;
    if (range)
        set_slices(&j->place, map->rank, range);
    status = le__h5_open(&j->place, j->d->max_bytes, 0, &j->part);
    if (status == LE_OK) {
        j->map = map;
        j->part.within = j->d->within + 1;
        return le__h5_read_as(&j->part, j->d->dtype);
    }
    char reason[400];
    snprintf(reason, sizeof reason, "%s", le_error_message());
    le__io_place_free(&j->place);
    return le_fail(status, "%s: its part %s:%s: %s", j->d->text, map->file, map->dataset, reason);
}

static le_status open_part(job *j, const le__h5_map *map, const le__io_range *range) {
    if (serves(j, map, range))
        return check_part(j, range);
    close_part(j);
    le_status status = open_file(j, map, range);
    if (status != LE_OK)
        return status;
    memcpy(j->range, range, sizeof j->range);
    return check_part(j, range);
}

/* A part that is all of a dataset: as much as that one has. */
static le_status complete(job *j, le__h5_map *map) {
    close_part(j);
    le_status status = open_file(j, map, NULL);
    if (status == LE_OK)
        status = le__h5_map_whole(j->d, map, j->part.rank, j->part.shape);
    close_part(j);
    return status;
}

/* -------------------------------------------------------------------------------- a piece -- */

/* From row-major memory to where the runs say. */
static void scatter(const job *j, const run *r, int axis, unsigned char *to,
                    const unsigned char **from) {
    size_t step = (size_t)(r[axis].at_step * j->stride[axis]) * j->element;
    bool last = axis == j->d->rank - 1, dense = last && r[axis].at_step == 1;
    size_t bytes = dense ? (size_t)r[axis].count * j->element : j->element;
    to += (size_t)(r[axis].at * j->stride[axis]) * j->element;
    for (int64_t i = 0; i < (dense ? 1 : r[axis].count); i++, to += step) {
        if (!last) {
            scatter(j, r, axis + 1, to, from);
            continue;
        }
        memcpy(to, *from, bytes);
        *from += bytes;
    }
}

static bool lies_dense(const le__h5_dataset *d, const run *r) {
    for (int i = 0; i < d->rank; i++)
        if (r[i].at_step != 1 || (i > 0 && r[i].count != d->range[i].count))
            return false;
    return true;
}

static le_status load_piece(job *j, const le__h5_map *map, const run *r) {
    le__io_range range[LE_MAX_DIMS];
    size_t bytes = j->element;
    for (int k = 0; k < map->rank; k++)
        range[k] = (le__io_range){.start = map->from[k].start, .step = 1, .count = 1};
    for (int i = 0; i < j->d->rank; i++) {
        bytes *= (size_t)r[i].count;
        if (map->axis[i] >= 0)
            range[map->axis[i]] =
                (le__io_range){r[i].from, r[i].from_step ? r[i].from_step : 1, r[i].count, false};
    }
    le_status status = open_part(j, map, range);
    if (status != LE_OK)
        return status;
    j->part.range[0] = range[0];
    if (lies_dense(j->d, r))
        return le__h5_values(&j->part, j->parallel,
                             j->data + (size_t)(r[0].at * j->stride[0]) * j->element);
    unsigned char *piece = malloc(bytes);
    const unsigned char *from = piece;
    if (!piece)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", j->d->text);
    status = le__h5_values(&j->part, j->parallel, piece);
    if (status == LE_OK)
        scatter(j, r, 0, j->data, &from);
    free(piece);
    return status;
}

/* Every combination of runs of all axes. */
static le_status load_pieces(job *j, const le__h5_map *map, const runs *list) {
    int64_t at[LE_MAX_DIMS] = {0};
    run r[LE_MAX_DIMS];
    int rank = j->d->rank, axis = 0;
    while (axis >= 0) {
        for (int i = 0; i < rank; i++)
            r[i] = list[i].run[at[i]];
        le_status status = load_piece(j, map, r);
        if (status != LE_OK)
            return status;
        for (axis = rank - 1; axis >= 0 && ++at[axis] == list[axis].n; axis--)
            at[axis] = 0;
    }
    return LE_OK;
}

static bool touches(const le__h5_dataset *d, const le__h5_map *map) {
    for (int i = 0; i < d->rank; i++) {
        const le__h5_slab *s = &map->own[i];
        int64_t last = s->start + (s->count - 1) * s->stride + s->block - 1;
        const le__io_range *r = &d->range[i];
        if (s->start > r->start + (r->count - 1) * r->step || last < r->start)
            return false;
    }
    return true;
}

static le_status load_map(job *j, le__h5_map *map) {
    runs list[LE_MAX_DIMS] = {0};
    bool memory = true, any = true;
    if (!touches(j->d, map))
        return LE_OK;
    if (map->all) {
        le_status status = complete(j, map);
        if (status != LE_OK)
            return status;
    }
    for (int i = 0; memory && any && i < j->d->rank; i++) {
        int k = map->axis[i];
        memory = find_runs(&j->d->range[i], &map->own[i], k < 0 ? NULL : &map->from[k], &list[i]);
        any = list[i].n > 0;
    }
    le_status status = !memory ? le_fail(LE_ERR_MEMORY, "%s: out of memory", j->d->text)
                       : any   ? load_pieces(j, map, list)
                               : LE_OK;
    for (int i = 0; i < j->d->rank; i++)
        free(list[i].run);
    return status;
}

static void fill(unsigned char *data, const void *value, size_t element, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        memcpy(data + (size_t)i * element, value, element);
}

static le_status load_parts(le__h5_dataset *d, const le__io_parallel *p, void *data) {
    double value[2] = {0}; /* the largest element */
    job j = {.d = d, .parallel = p, .data = data, .element = le_dtype_size(d->dtype)};
    int64_t count = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        j.stride[i] = count;
        count *= d->range[i].count;
    }
    le_status status = le__h5_fill(d, value);
    if (status == LE_OK)
        fill(data, value, j.element, count);
    for (size_t i = 0; status == LE_OK && count && i < d->maps->n; i++)
        status = load_map(&j, &d->maps->map[i]);
    close_part(&j);
    return status;
}

le_status le__h5_values(le__h5_dataset *d, const le__io_parallel *p, void *data) {
    return d->maps ? load_parts(d, p, data) : le__h5_load(d, p, data);
}

/* ------------------------------------------------------------------------------- origins -- */

typedef bool (*visit)(const le__io_place *origin, void *cookie);

static bool any_origin(const le__io_place *place, int within, visit fn, void *cookie);

/* Closes it. */
static bool any_of_dataset(le__h5_dataset *d, const le__io_place *place, int within, visit fn,
                           void *cookie) {
    le__io_place at = *place, part;
    if (d->own_file) {
        at.file = d->own_file;
        at.dataset = d->own_name;
    }
    bool found = fn(&at, cookie);
    for (size_t i = 0; d->maps && i < d->maps->n && !found; i++)
        if (place_of_part(d, &d->maps->map[i], &part) == LE_OK) {
            found = any_origin(&part, within + 1, fn, cookie);
            le__io_place_free(&part);
        }
    le__h5_close(d);
    return found;
}

static bool any_origin(const le__io_place *place, int within, visit fn, void *cookie) {
    le__h5_dataset d;
    if (within > DEEPEST + 1 || le__h5_open(place, INT64_MAX, 0, &d) != LE_OK)
        return fn(place, cookie);
    return any_of_dataset(&d, place, within, fn, cookie);
}

/* Out of memory: as if fn said so. */
static bool any_of_group(const le__io_place *group, const le__h5_names *names, visit fn,
                         void *cookie) {
    bool found = false;
    for (size_t i = 0; i < names->n && !found; i++) {
        le__io_place member = {.format = LE__IO_HDF5, .text = group->text, .file = group->file};
        if (asprintf(&member.dataset, "%s/%s", group->dataset, names->list[i]) < 0)
            return true;
        found = any_origin(&member, 0, fn, cookie);
        free(member.dataset);
    }
    return found;
}

bool le__h5_any_origin(const le__io_place *place, visit fn, void *cookie) {
    le__h5_dataset d;
    le__h5_names names;
    if (le__h5_open(place, INT64_MAX, 0, &d) == LE_OK)
        return any_of_dataset(&d, place, 0, fn, cookie);
    if (le__h5_list(place, false, &names) != LE_OK)
        return fn(place, cookie);
    bool found = any_of_group(place, &names, fn, cookie);
    le__h5_names_free(&names);
    return found;
}
