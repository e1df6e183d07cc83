/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which files le-run makes beside the outputs, and of what.
 */
#include "run_extra.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *doc, *endings[3];
} extras[RUN_EXTRAS] = {
    [RUN_PICTURE] =
        {"picture",
         "a .png or .svg file: the first output with two axes, or the image with circles "
         "at the sources of a catalogue",
         {".png", ".svg", NULL}},
    [RUN_REGIONS] = {"regions",
                     "a .reg file for SAOImage DS9: circles at the sources of the catalogue",
                     {".reg", NULL, NULL}},
};

const char *run_extra_name(run_extra e) {
    return extras[e].name;
}

const char *run_extra_doc(run_extra e) {
    return extras[e].doc;
}

static bool is_image(const le_arg_desc *d, le_arg_type type) {
    return d->type == type && !d->column && d->min_ndim <= 2 && d->max_ndim >= 2;
}

static int find(const le_operation *op, bool (*fits)(const le_arg_desc *)) {
    for (size_t i = 0; i < op->n_args; i++)
        if (fits(&op->args[i]))
            return (int)i;
    return -1;
}

static bool is_table(const le_arg_desc *d) {
    return d->type == LE_TYPE_OUT && d->column;
}

static bool is_input(const le_arg_desc *d) {
    return is_image(d, LE_TYPE_IN);
}

static bool is_output(const le_arg_desc *d) {
    return is_image(d, LE_TYPE_OUT);
}

bool run_extra_offered(const le_operation *op, run_extra e) {
    for (size_t i = 0; i < op->n_args; i++)
        if (!strcmp(op->args[i].name, extras[e].name))
            return false;
    bool catalogue = find(op, is_table) >= 0 && find(op, is_input) >= 0;
    return catalogue || (e == RUN_PICTURE && find(op, is_output) >= 0);
}

bool run_extra_is_file(run_extra e, const char *file) {
    size_t length = strlen(file);
    for (int i = 0; extras[e].endings[i]; i++) {
        size_t n = strlen(extras[e].endings[i]);
        if (length > n && !strcasecmp(file + length - n, extras[e].endings[i]))
            return true;
    }
    return false;
}

int run_extra_needs(const le_operation *op, run_extra e, const bool *given) {
    int table = find(op, is_table);
    if (table >= 0 && (e == RUN_REGIONS || find(op, is_input) >= 0))
        return table;
    for (size_t i = 0; i < op->n_args; i++)
        if (is_output(&op->args[i]) && (given[i] || !op->args[i].optional))
            return (int)i;
    return find(op, is_output);
}
