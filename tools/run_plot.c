/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Results over axes: which outputs make a plot, and how it is written.
 */
#include "run_plot.h"

#include "liquid_engine/le_io.h"
#include "place.h"
#include "svg_plot.h"
#include "tool.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static run_arg *arg_of(run_args *a, const char *name) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (!strcmp(a->operation->args[i].name, name))
            return &a->args[i];
    return NULL;
}

static bool ends_with(const char *text, const char *ending) {
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && !strcmp(text + n - m, ending);
}

/* ------------------------------------------------------------------------------- what to ask -- */

/* The errors of a plot in a file lie beside its signal. */
static le_status ask_for_errors(run_args *a, const run_arg *intensity, bool in_file) {
    const run_arg *model = arg_of(a, "error_model");
    run_arg *sem = arg_of(a, "sem");
    if (!model || !model->given || !strcmp(model->text, "none") || !sem || sem->given)
        return LE_OK;
    if (!in_file) {
        sem->wanted = true;
        return LE_OK;
    }
    size_t n = strlen(intensity->text), size = n + sizeof "_errors";
    while (n > 0 && intensity->text[n - 1] == '/')
        n--;
    free(sem->made);
    sem->made = malloc(size);
    if (!sem->made)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    snprintf(sem->made, size, "%.*s_errors", (int)n, intensity->text);
    sem->text = sem->made;
    sem->given = true;
    return LE_OK;
}

le_status run_plot_prepare(run_args *a) {
    run_arg *intensity = arg_of(a, "intensity"), *radial = arg_of(a, "radial"),
            *azimuthal = arg_of(a, "azimuthal");
    char file[4096];
    const char *dataset;
    if (!intensity || !radial || !intensity->given)
        return LE_OK;
    const bool in_file = place_split(intensity->text, file, sizeof file, &dataset);
    if (!in_file && !intensity->plot)
        return LE_OK;
    radial->wanted = true;
    if (azimuthal)
        azimuthal->wanted = true;
    return ask_for_errors(a, intensity, in_file);
}

/* ------------------------------------------------------------------------------------- words -- */

/* "q" and "nm^-1" of q_nm^-1. */
typedef struct axis_words {
    char name[32], unit[32], label[80];
} axis_words;

static void words_of(const run_args *a, axis_words *out) {
    const char *unit = "r";
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (!strcmp(a->operation->args[i].name, "unit"))
            unit = a->args[i].given ? a->args[i].text : a->operation->args[i].default_str;
    const char *bar = strrchr(unit, '_');
    snprintf(out->name, sizeof out->name, "%.*s", bar ? (int)(bar - unit) : 31, unit);
    snprintf(out->unit, sizeof out->unit, "%.31s", bar ? bar + 1 : "");
    snprintf(out->label, sizeof out->label, "%s (%s)",
             !strcmp(out->name, "2th") ? "scattering angle" : out->name, out->unit);
}

static void title_of(const run_args *a, char *out, size_t size) {
    const char *frames = "";
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (!strcmp(a->operation->args[i].name, "frames"))
            frames = a->args[i].text;
    snprintf(out, size, "%s of %s", a->operation->name, frames);
}

/* ------------------------------------------------------------------------------------- NeXus -- */

/* The group beside a dataset; one at the root goes into an entry. */
static void group_of(const char *file, const char *dataset, char *out, size_t size) {
    int n = (int)strlen(dataset);
    while (n > 0 && dataset[n - 1] == '/')
        n--;
    while (n > 0 && dataset[n - 1] != '/')
        n--;
    snprintf(out, size, "%s:%.*splot", file, n > 1 ? n : 7, n > 1 ? dataset : "/entry/");
}

static le_status write_nexus(run_args *a, const char *file, const char *dataset) {
    run_arg *radial = arg_of(a, "radial"), *azimuthal = arg_of(a, "azimuthal"),
            *sem = arg_of(a, "sem");
    char title[512], group[4400], other[4096];
    const char *errors = NULL;
    axis_words words;
    words_of(a, &words);
    title_of(a, title, sizeof title);
    group_of(file, dataset, group, sizeof group);
    if (!sem || !sem->given || !place_split(sem->text, other, sizeof other, &errors) ||
        strcmp(other, file) != 0)
        errors = NULL;
    const le_io_axis axes[] = {{.name = "azimuthal",
                                .units = "degrees",
                                .long_name = "azimuth (degrees)",
                                .values = azimuthal ? &azimuthal->tensor : NULL},
                               {.name = "radial",
                                .units = words.unit,
                                .long_name = words.label,
                                .values = &radial->tensor}};
    const le_io_plot plot = {.struct_size = sizeof plot,
                             .group = group,
                             .title = title,
                             .signal = dataset,
                             .errors = errors,
                             .name = "intensity",
                             .interpretation = azimuthal ? "image" : "spectrum",
                             .axes = azimuthal ? axes : axes + 1,
                             .n_axes = azimuthal ? 2 : 1};
    return le_io_write_plot(&plot);
}

/* --------------------------------------------------------------------- columns and pictures -- */

static le_status one_curve(const le_tensor *t, const char *file) {
    if (t->ndim == 1 || le_tensor_count(t) == t->shape[t->ndim - 1])
        return LE_OK;
    char what[128];
    le_tensor_describe(t, what, sizeof what);
    return le_fail(LE_ERR_SHAPE,
                   "%s: %s; the columns of a .dat file are those of one frame: take "
                   "one as frames=...[0]",
                   file, what);
}

/* In one line, whatever the names of files have. */
static void put_line(FILE *out, const char *text) {
    for (; *text; text++)
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
    fputc('\n', out);
}

static le_status write_columns(FILE *out, const run_args *a, const char *file, const le_tensor *x,
                               const le_tensor *y, const le_tensor *e) {
    axis_words words;
    char title[512];
    le_status status = one_curve(y, file);
    if (status != LE_OK)
        return status;
    words_of(a, &words);
    title_of(a, title, sizeof title);
    fputs("# ", out);
    put_line(out, title);
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->args[i].given && a->operation->args[i].type != LE_TYPE_OUT) {
            fprintf(out, "# %s=", a->operation->args[i].name);
            put_line(out, a->args[i].text);
        }
    fprintf(out, "# %s_%s intensity%s\n", words.name, words.unit, e ? " sem" : "");
    for (int64_t i = 0; i < x->shape[0]; i++) {
        fprintf(out, "%14.6e %14.6e", le_tensor_get(x, i), le_tensor_get(y, i));
        if (e)
            fprintf(out, " %14.6e", le_tensor_get(e, i));
        fputc('\n', out);
    }
    return LE_OK;
}

/* Curves of many frames, and cakes, are images; of several cakes the first is shown. */
static le_status draw(FILE *out, const run_args *a, const le_tensor *x, const le_tensor *azimuth,
                      const le_tensor *y, const le_tensor *e) {
    axis_words words;
    char title[512];
    words_of(a, &words);
    title_of(a, title, sizeof title);
    const int64_t n = x->shape[0], rows = azimuth ? azimuth->shape[0] : le_tensor_count(y) / n;
    const le_tensor flat = rows == 1 ? le_tensor_of(y->data, y->dtype, 1, &n)
                                     : le_tensor_of(y->data, y->dtype, 2, (int64_t[]){rows, n});
    const svg_plot plot = {.title = title,
                           .x_label = words.label,
                           .y_label = azimuth ? "azimuth (degrees)" : "frame",
                           .value_label = "intensity",
                           .x = x,
                           .y = azimuth,
                           .values = &flat,
                           .errors = rows == 1 ? e : NULL};
    return rows == 1 ? svg_write_curve(out, &plot) : svg_write_image(out, &plot);
}

static le_status write_text(run_args *a, const run_arg *intensity) {
    run_arg *azimuthal = arg_of(a, "azimuthal"), *sem = arg_of(a, "sem");
    const le_tensor *x = &arg_of(a, "radial")->tensor, *y = &intensity->tensor,
                    *e = sem && sem->tensor.data ? &sem->tensor : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    le_status status = ends_with(intensity->text, ".dat")
                           ? write_columns(out, a, intensity->text, x, y, e)
                           : draw(out, a, x, azimuthal ? &azimuthal->tensor : NULL, y, e);
    if (fclose(out) != 0 && status == LE_OK)
        status = le_fail(LE_ERR_MEMORY, "out of memory");
    if (status == LE_OK)
        status = tool_save(intensity->text, text);
    free(text);
    return status;
}

le_status run_plot_write(run_args *a) {
    run_arg *intensity = arg_of(a, "intensity"), *radial = arg_of(a, "radial");
    char file[4096];
    const char *dataset;
    if (!intensity || !radial || !intensity->given || !radial->tensor.data)
        return LE_OK;
    if (intensity->plot)
        return write_text(a, intensity);
    return place_split(intensity->text, file, sizeof file, &dataset) ? write_nexus(a, file, dataset)
                                                                     : LE_OK;
}
