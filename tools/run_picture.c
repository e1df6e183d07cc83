/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pictures and regions of what an operation took and gave.
 */
#include "run.h"

#include "picture.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The catalogue among the outputs; -1: there is none. */
static int find_table(const run_args *a) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (table_columns(&a->operation->args[i], &a->args[i].tensor) > 0)
            return (int)i;
    return -1;
}

static int find_image(const run_args *a, le_arg_type type) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->operation->args[i].type == type && a->args[i].tensor.ndim == 2 &&
            !table_columns(&a->operation->args[i], &a->args[i].tensor))
            return (int)i;
    return -1;
}

/* Whether a file's name may end here: an HDU or slices follow, or nothing. */
static bool is_end(const char *p) {
    if (!strncasecmp(p, ".gz", 3) || !strncasecmp(p, ".fz", 3))
        p += 3;
    return *p == '\0' || *p == '[' || *p == ':';
}

/* FITS images have their first row at the bottom. */
static bool is_fits(const char *place) {
    static const char *const endings[] = {".fits", ".fit", ".fts"};
    for (size_t i = 0; place && i < sizeof endings / sizeof *endings; i++)
        for (const char *p = place; (p = strcasestr(p, endings[i])); p++)
            if (is_end(p + strlen(endings[i])))
                return true;
    return false;
}

/* Whether its pixels are those of the source. */
static bool is_alike(const run_args *a, int at, int source) {
    const le_tensor *t = &a->args[at].tensor, *of = &a->args[source].tensor;
    return at == source || (t->shape[0] == of->shape[0] && t->shape[1] == of->shape[1]);
}

static const char *without_folders(const char *place) {
    const char *slash = place ? strrchr(place, '/') : NULL;
    return slash && slash[1] ? slash + 1 : place;
}

static le_status draw(le_engine *engine, run_args *a, const mark *marks, size_t n, bool catalogue) {
    char title[160];
    int at = find_image(a, catalogue ? LE_TYPE_IN : LE_TYPE_OUT);
    if (at < 0)
        return le_fail(LE_ERR_SHAPE, "%s: picture=%s needs %s with two axes", a->operation->name,
                       a->extras[RUN_PICTURE], catalogue ? "an input" : "an output");
    int source = catalogue ? at : find_image(a, LE_TYPE_IN);
    le_status status = le_tensor_to_host(&a->args[at].tensor);
    if (status != LE_OK)
        return status;
    const char *name = without_folders(a->args[at].text);
    snprintf(title, sizeof title, "%s", name ? name : a->operation->args[at].name);
    if (catalogue)
        snprintf(title, sizeof title, "%.100s: %zu sources", name, n);
    picture p = {.image = &a->args[at].tensor,
                 .upwards = source >= 0 && is_fits(a->args[source].text),
                 .sky = source >= 0 && is_fits(a->args[source].text) && is_alike(a, at, source)
                            ? a->args[source].text
                            : NULL,
                 .marks = marks,
                 .n_marks = n,
                 .title = title};
    return picture_write(engine, a->extras[RUN_PICTURE], &p);
}

le_status run_write_extras(le_engine *engine, run_args *a) {
    mark *marks = NULL;
    size_t n = 0;
    int table = find_table(a);
    bool regions = a->extras[RUN_REGIONS] != NULL, pictures = a->extras[RUN_PICTURE] != NULL;
    le_status status = LE_OK;
    if (!regions && !pictures)
        return LE_OK;
    run_progress("drawing", a->operation->name);
    if (table >= 0)
        status = marks_of(&a->operation->args[table], &a->args[table].tensor, &marks, &n);
    if (status == LE_OK && regions)
        status = marks_write_regions(a->extras[RUN_REGIONS], marks, n);
    if (status == LE_OK && pictures)
        status = draw(engine, a, marks, n, table >= 0);
    free(marks);
    return status;
}
