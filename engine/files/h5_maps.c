/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a virtual dataset of HDF5 is made of: hyperslabs of other datasets. HDF5 itself opens none
 * of them here, since it would open whatever the file names, with its own driver.
 */
#include "files/h5_virtual.h"

#include <stdlib.h>
#include <string.h>

static le_status fail_map(le_status status, const le__h5_dataset *d, size_t i, const char *what) {
    return le_fail(status, "%s: part %zu of the virtual dataset %s", d->text, i, what);
}

/* What is selected, as start, stride, count and block along each axis. */
static const char *read_slab(hid_t space, int rank, le__h5_slab *out) {
    hsize_t start[LE_MAX_DIMS], stride[LE_MAX_DIMS], count[LE_MAX_DIMS], block[LE_MAX_DIMS];
    hsize_t dims[LE_MAX_DIMS];
    H5S_sel_type kind = H5Sget_select_type(space);
    if (H5Sget_simple_extent_dims(space, dims, NULL) != rank)
        return "has no shape";
    for (int i = 0; i < rank; i++) { /* of H5S_SEL_ALL */
        start[i] = 0;
        stride[i] = block[i] = dims[i];
        count[i] = 1;
    }
    if (kind == H5S_SEL_HYPERSLABS) {
        if (H5Sis_regular_hyperslab(space) <= 0 ||
            H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
            return "is no regular selection";
    } else if (kind != H5S_SEL_ALL) {
        return "is a list of points";
    }
    for (int i = 0; i < rank; i++) {
        if (count[i] == H5S_UNLIMITED || block[i] == H5S_UNLIMITED)
            return "grows with its files (an unlimited selection)";
        if (start[i] > INT64_MAX / 4 || stride[i] == 0 || stride[i] > INT64_MAX / 4 ||
            block[i] == 0 || count[i] == 0 || block[i] > (hsize_t)(INT64_MAX / 4) / count[i])
            return "is empty or absurd";
        /* of one block the stride means nothing */
        out[i] = (le__h5_slab){(int64_t)start[i], (int64_t)(count[i] == 1 ? block[i] : stride[i]),
                               (int64_t)count[i], (int64_t)block[i]};
    }
    return NULL;
}

/* Elements meet in row-major order; axes of which one element is selected may be missing. */
static const char *match_axes(int rank, le__h5_map *m) {
    int k = 0;
    for (int i = 0; i < rank; i++) {
        int64_t n = m->own[i].count * m->own[i].block;
        m->axis[i] = -1;
        while (n > 1 && k < m->rank && m->from[k].count * m->from[k].block == 1)
            k++;
        if (n == 1)
            continue;
        if (k == m->rank || m->from[k].count * m->from[k].block != n)
            return "has another shape in its file";
        m->axis[i] = k++;
    }
    for (; k < m->rank; k++)
        if (m->from[k].count * m->from[k].block != 1)
            return "has another shape in its file";
    return NULL;
}

typedef ssize_t (*get_name)(hid_t plist, size_t index, char *name, size_t size);

static char *read_name(get_name get, hid_t plist, size_t i) {
    ssize_t n = get(plist, i, NULL, 0);
    char *name = n > 0 ? malloc((size_t)n + 1) : NULL;
    if (name && get(plist, i, name, (size_t)n + 1) == n)
        return name;
    free(name);
    return NULL;
}

static const char *read_spaces(hid_t plist, size_t i, int rank, le__h5_map *m) {
    hid_t own = H5Pget_virtual_vspace(plist, i), from = H5Pget_virtual_srcspace(plist, i);
    const char *problem = "has no shape";
    m->all = from >= 0 && H5Sget_select_type(from) == H5S_SEL_ALL;
    m->rank = m->all ? 0 : from < 0 ? -1 : H5Sget_simple_extent_ndims(from);
    if (own >= 0 && m->rank >= 0 && m->rank <= LE_MAX_DIMS)
        problem = read_slab(own, rank, m->own);
    if (!problem && !m->all)
        problem = read_slab(from, m->rank, m->from);
    if (!problem && !m->all)
        problem = match_axes(rank, m);
    le__h5_drop(own);
    le__h5_drop(from);
    return problem;
}

static le_status read_map(const le__h5_dataset *d, hid_t plist, size_t i, le__h5_map *m) {
    m->file = read_name(H5Pget_virtual_filename, plist, i);
    m->dataset = read_name(H5Pget_virtual_dsetname, plist, i);
    if (!m->file || !m->dataset)
        return le__h5_fail(d->text, "a part of the virtual dataset cannot be read");
    const char *problem = strchr(m->file, '%') || strchr(m->dataset, '%')
                              ? "has a number in its name (%b)"
                              : read_spaces(plist, i, d->rank, m);
    return problem ? fail_map(LE_ERR_UNSUPPORTED, d, i, problem) : LE_OK;
}

le_status le__h5_maps_read(le__h5_dataset *d, hid_t plist) {
    size_t n = 0;
    if (d->rank < 1 || d->rank > LE_MAX_DIMS)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: a virtual dataset of %d axes, 1 to %d are expected",
                       d->text, d->rank, LE_MAX_DIMS);
    if (H5Pget_virtual_count(plist, &n) < 0)
        return le__h5_fail(d->text, "the parts of the virtual dataset cannot be read");
    le__h5_maps *maps = calloc(1, sizeof *maps + n * sizeof *maps->map);
    if (!maps)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", d->text);
    le_status status = LE_OK;
    while (status == LE_OK && maps->n < n) {
        status = read_map(d, plist, maps->n, &maps->map[maps->n]);
        maps->n++;
    }
    if (status == LE_OK)
        d->maps = maps;
    else
        le__h5_maps_free(maps);
    return status;
}

le_status le__h5_map_whole(const le__h5_dataset *d, le__h5_map *map, int rank,
                           const int64_t *shape) {
    map->all = false;
    map->rank = rank;
    for (int k = 0; k < rank; k++)
        map->from[k] = (le__h5_slab){0, shape[k], 1, shape[k]};
    const char *problem = rank <= LE_MAX_DIMS ? match_axes(d->rank, map) : "has too many axes";
    return problem ? fail_map(LE_ERR_IO, d, (size_t)(map - d->maps->map), problem) : LE_OK;
}

void le__h5_maps_free(le__h5_maps *maps) {
    for (size_t i = 0; maps && i < maps->n; i++) {
        free(maps->map[i].file);
        free(maps->map[i].dataset);
    }
    free(maps);
}
