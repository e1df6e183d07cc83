/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-run says about operations: lists and help, from the descriptors alone.
 */
#include "run.h"

#include "tool.h"
#include "wrap.h"

#include <stdio.h>
#include <string.h>

enum { NAME_COLUMN = 26 };

static const char *family_of(const le_operation *op) {
    return op->family && *op->family ? op->family : "others";
}

static void list_family(const le_operation *const *all, size_t n, const char *family) {
    printf("%s\n", family);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(family_of(all[i]), family)) {
            int column = printf("  %-*s ", NAME_COLUMN - 3, all[i]->name);
            wrap_print(stdout, column, NAME_COLUMN, all[i]->summary ? all[i]->summary : "");
        }
}

static void list_operations(le_engine *engine) {
    size_t n;
    const le_operation *const *all = le_engine_operations(engine, &n);
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        while (strcmp(family_of(all[first]), family_of(all[i])))
            first++;
        if (first == i)
            list_family(all, n, family_of(all[i]));
    }
}

static void list_implementations(le_engine *engine, const char *operation) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t i = 0; i < n; i++) {
        int column = printf("%-*s %-10s ", NAME_COLUMN - 1, all[i]->name, all[i]->run_type);
        wrap_print(stdout, column, NAME_COLUMN + 11, all[i]->summary ? all[i]->summary : "");
    }
}

void run_list(le_engine *engine, const char *operation) {
    if (operation)
        list_implementations(engine, operation);
    else
        list_operations(engine);
}

static void print_default(const le_arg_desc *d, char *text, size_t size) {
    size_t used = strlen(text);
    if (!d->optional)
        return;
    if ((d->type == LE_TYPE_STR || d->type == LE_TYPE_STR_OR_F64) && d->default_str)
        snprintf(text + used, size - used, "; default %s", d->default_str);
    else if ((d->type == LE_TYPE_F64 || d->type == LE_TYPE_I64) && d->has_default)
        snprintf(text + used, size - used, "; default %g", d->default_f64);
    else
        snprintf(text + used, size - used, "; optional");
}

static void print_arg(const le_arg_desc *d) {
    char text[400];
    run_describe_arg(d, text, sizeof text);
    print_default(d, text, sizeof text);
    int column = printf("  %-*s ", NAME_COLUMN - 3, d->name);
    wrap_print(stdout, column, NAME_COLUMN, text);
    if (d->doc && *d->doc) {
        printf("%*s", NAME_COLUMN, "");
        wrap_print(stdout, NAME_COLUMN, NAME_COLUMN, d->doc);
    }
}

static void print_extras(const le_operation *op) {
    bool first = true;
    for (run_extra e = 0; e < RUN_EXTRAS; e++) {
        if (!run_extra_offered(op, e))
            continue;
        if (first)
            printf("\nFiles made of these\n");
        first = false;
        int column = printf("  %-*s ", NAME_COLUMN - 3, run_extra_name(e));
        wrap_print(stdout, column, NAME_COLUMN, run_extra_doc(e));
    }
}

static void print_outputs_head(const le_operation *op) {
    tool_text names = {0};
    for (size_t i = 0; i < op->n_args; i++)
        if (run_args_usual(op, i))
            tool_add(&names, "%s%s", names.n ? ", " : " of ", op->args[i].name);
    int column = printf("\nOutputs ") - 1;
    tool_text text = {0};
    tool_add(&text, "(%s: a summary%s is printed)", names.n ? "none is named" : "left out",
             names.text ? names.text : "");
    wrap_print(stdout, column, column, text.text ? text.text : "");
    tool_text_free(&text);
    tool_text_free(&names);
}

void run_help(const le_operation *op, const char *typed) {
    tool_text usage = {0};
    for (size_t i = 0; i < op->n_args; i++)
        tool_add(&usage, op->args[i].optional ? "[%s=...] " : "%s=... ", op->args[i].name);
    for (run_extra e = 0; e < RUN_EXTRAS; e++)
        if (run_extra_offered(op, e))
            tool_add(&usage, "[%s=...] ", run_extra_name(e));
    if (usage.n > 0)
        usage.text[usage.n - 1] = '\0';
    const int column = printf("Usage: le-run %s ", typed);
    wrap_print(stdout, column, 8, usage.text ? usage.text : "");
    tool_text_free(&usage);
    if (strcmp(typed, op->name) != 0)
        printf("%s: ", op->name);
    printf("%s.\n", op->summary ? op->summary : "");
    for (int out = 0; out < 2; out++) {
        if (out)
            print_outputs_head(op);
        else
            printf("\nInputs\n");
        for (size_t i = 0; i < op->n_args; i++)
            if ((op->args[i].type == LE_TYPE_OUT) == out)
                print_arg(&op->args[i]);
    }
    print_extras(op);
    printf("\nDefault tolerance: atol %g, rtol %g%s\n", op->atol, op->rtol,
           op->norm == LE_NORM_MAX ? " (of the largest value)" : "");
    if (op->reference) {
        const int indent = printf("Defined by: ");
        wrap_print(stdout, indent, indent, op->reference);
    }
}
