/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The NAME=VALUE words of le-run against an operation's descriptor.
 */
#include "run_args.h"

#include "liquid_engine/le_io.h"
#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 1 << 20 };

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
wrong(char *message, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, RUN_MESSAGE, format, args);
    va_end(args);
    return false;
}

/* --------------------------------------------------------------------------------- numbers -- */

static bool parse_f64(const char *text, const char *end, double *out) {
    char *stop;
    if (text == end || isspace((unsigned char)*text))
        return false;
    *out = strtod(text, &stop);
    return stop == end;
}

static bool parse_i64(const char *text, const char *end, int64_t *out) {
    char *stop;
    if (text == end || isspace((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoll(text, &stop, 10);
    return stop == end && errno == 0;
}

static bool append(double **list, size_t *count, double value) {
    if (*count == LIST_MAX)
        return false;
    if ((*count & (*count - 1)) == 0) { /* grow at powers of two */
        double *more = realloc(*list, (*count ? 2 * *count : 1) * sizeof **list);
        if (!more)
            return false;
        *list = more;
    }
    (*list)[(*count)++] = value;
    return true;
}

/* start:stop:count as numpy's linspace. */
static bool append_range(const char *text, const char *end, double **list, size_t *count) {
    double start, stop;
    int64_t n;
    const char *first = memchr(text, ':', (size_t)(end - text));
    const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
    if (!second || !parse_f64(text, first, &start) || !parse_f64(first + 1, second, &stop) ||
        !parse_i64(second + 1, end, &n) || n < 1 || n > LIST_MAX)
        return false;
    double step = n > 1 ? (stop - start) / (double)(n - 1) : 0;
    for (int64_t i = 0; i < n; i++)
        if (!append(list, count, i > 0 && i == n - 1 ? stop : start + (double)i * step))
            return false;
    return true;
}

bool run_parse_list(const char *text, double **out, size_t *count) {
    *out = NULL;
    *count = 0;
    for (;;) {
        const char *end = text + strcspn(text, ",");
        double value;
        bool good = memchr(text, ':', (size_t)(end - text))
                        ? append_range(text, end, out, count)
                        : parse_f64(text, end, &value) && append(out, count, value);
        if (!good) {
            free(*out);
            *out = NULL;
            *count = 0;
            return false;
        }
        if (!*end)
            return true;
        text = end + 1;
    }
}

/* ---------------------------------------------------------------------------- descriptions -- */

static void add(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static void add_words(const le_arg_desc *d, char *text, size_t size) {
    for (size_t i = 0; d->words && d->words[i]; i++)
        add(text, size, "%s%s", i ? ", " : "", d->words[i]);
}

static void add_dtypes(uint32_t mask, char *text, size_t size) {
    if (mask == LE_DTYPES_ALL)
        return;
    const char *before = " of ";
    for (le_dtype t = LE_U8; t <= LE_DTYPE_LAST; t++) {
        if (mask & LE_DTYPE_BIT(t)) {
            add(text, size, "%s%s", before, le_dtype_name(t));
            before = ", ";
        }
    }
}

static void add_limits(const le_arg_desc *d, char *text, size_t size) {
    if (d->min < d->max)
        add(text, size, " from %g to %g", d->min, d->max);
}

void run_describe_arg(const le_arg_desc *d, char *text, size_t size) {
    *text = '\0';
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        add(text, size, "%s %s", d->type == LE_TYPE_IN ? "a tensor" : "a file for a tensor",
            d->shape ? d->shape : "");
        add_dtypes(d->dtypes, text, size);
        break;
    case LE_TYPE_TABLE:
        add(text, size, "a table %s: a file%s", d->shape ? d->shape : "",
            d->min_ndim > 1 ? "" : ", or numbers a,b,c");
        if (d->min_ndim <= 1)
            add_limits(d, text, size);
        break;
    case LE_TYPE_F64:
        add(text, size, "a number");
        add_limits(d, text, size);
        break;
    case LE_TYPE_I64:
        add(text, size, "an integer");
        add_limits(d, text, size);
        break;
    case LE_TYPE_F64S:
        if (d->min_count && d->min_count == d->max_count)
            add(text, size, "%zu numbers", d->min_count);
        else
            add(text, size, "numbers a,b,c or start:stop:count");
        break;
    case LE_TYPE_STR:
        if (d->words)
            add_words(d, text, size);
        else
            add(text, size, "a text");
        break;
    case LE_TYPE_STR_OR_F64:
        add_words(d, text, size);
        add(text, size, "%sa number", d->words && d->words[0] ? " or " : "");
        break;
    }
}

/* -------------------------------------------------------------------------------- one value -- */

static bool expected(const le_operation *op, const le_arg_desc *d, const char *text,
                     char *message) {
    char what[256];
    run_describe_arg(d, what, sizeof what);
    return wrong(message, "%s: %s=%s; expected %s", op->name, d->name, text, what);
}

static bool check_number(const le_operation *op, const le_arg_desc *d, double value,
                         const char *text, char *message) {
    if (d->min < d->max && !(value >= d->min && value <= d->max))
        return expected(op, d, text, message);
    return true;
}

static bool check_word(const le_operation *op, const le_arg_desc *d, const char *text,
                       char *message) {
    suggest near = {.wanted = text};
    if (!d->words)
        return true;
    for (size_t i = 0; d->words[i]; i++) {
        if (strcmp(d->words[i], text) == 0)
            return true;
        suggest_offer(&near, d->words[i]);
    }
    expected(op, d, text, message);
    if (near.best)
        add(message, RUN_MESSAGE, " (did you mean %s?)", near.best);
    return false;
}

static bool check_list(const le_operation *op, const le_arg_desc *d, const run_arg *a,
                       char *message) {
    if (a->count < d->min_count || (d->max_count && a->count > d->max_count)) {
        bool exact = d->min_count == d->max_count;
        return wrong(message, "%s: %s has %zu numbers; expected %s%zu", op->name, d->name, a->count,
                     exact                     ? ""
                     : a->count < d->min_count ? "at least "
                                               : "at most ",
                     a->count < d->min_count ? d->min_count : d->max_count);
    }
    for (size_t i = 0; i < a->count; i++)
        if (!check_number(op, d, a->list[i], a->text, message))
            return false;
    return true;
}

static int index_of(const le_operation *op, const char *name) {
    for (size_t i = 0; i < op->n_args; i++)
        if (!strcmp(op->args[i].name, name))
            return (int)i;
    return -1;
}

bool run_args_plot(const le_operation *op, const le_arg_desc *d, const char *text) {
    const size_t n = strlen(text);
    return d->type == LE_TYPE_OUT && !strcmp(d->name, "intensity") && index_of(op, "radial") >= 0 &&
           n > 4 && (!strcmp(text + n - 4, ".dat") || !strcmp(text + n - 4, ".svg"));
}

static bool parse_value(const le_operation *op, const le_arg_desc *d, run_arg *a, char *message) {
    const char *end = a->text + strlen(a->text);
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        a->plot = run_args_plot(op, d, a->text);
        return a->plot || le_io_is_place(a->text, d->type == LE_TYPE_OUT) ||
               wrong(message, "%s: %s: %s", op->name, d->name, le_error_message());
    case LE_TYPE_F64:
        return parse_f64(a->text, end, &a->f64) ? check_number(op, d, a->f64, a->text, message)
                                                : expected(op, d, a->text, message);
    case LE_TYPE_I64:
        return parse_i64(a->text, end, &a->i64)
                   ? check_number(op, d, (double)a->i64, a->text, message)
                   : expected(op, d, a->text, message);
    case LE_TYPE_F64S:
        return run_parse_list(a->text, &a->list, &a->count) ? check_list(op, d, a, message)
                                                            : expected(op, d, a->text, message);
    case LE_TYPE_TABLE: /* numbers, else a file */
        return run_parse_list(a->text, &a->list, &a->count)
                   ? check_list(op, d, a, message)
                   : le_io_is_place(a->text, false) || expected(op, d, a->text, message);
    case LE_TYPE_STR:
        return check_word(op, d, a->text, message);
    case LE_TYPE_STR_OR_F64:
        a->is_number = parse_f64(a->text, end, &a->f64);
        return a->is_number ? check_number(op, d, a->f64, a->text, message)
                            : check_word(op, d, a->text, message);
    }
    return false;
}

/* -------------------------------------------------------------------------------- all words -- */

static bool unknown_name(const le_operation *op, const char *word, size_t length, char *message) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    suggest near = {.wanted = name};
    wrong(message, "%s: there is no argument %s; expected", op->name, name);
    for (size_t i = 0; i < op->n_args; i++) {
        suggest_offer(&near, op->args[i].name);
        add(message, RUN_MESSAGE, "%s%s", i ? ", " : " ", op->args[i].name);
    }
    if (near.best)
        add(message, RUN_MESSAGE, " (did you mean %s?)", near.best);
    return false;
}

/* The file beside the outputs that the word asks for; RUN_EXTRAS: none. */
static run_extra extra_of(const le_operation *op, const char *word, size_t length) {
    for (run_extra e = 0; e < RUN_EXTRAS; e++) {
        const char *name = run_extra_name(e);
        if (strlen(name) == length && !strncmp(name, word, length) && run_extra_offered(op, e))
            return e;
    }
    return RUN_EXTRAS;
}

static bool take_extra(run_args *a, run_extra e, const char *file, char *message) {
    const char *name = run_extra_name(e), *op = a->operation->name;
    if (a->extras[e])
        return wrong(message, "%s: %s is given twice", op, name);
    if (!run_extra_is_file(e, file))
        return wrong(message, "%s: %s=%s; expected %s", op, name, file, run_extra_doc(e));
    a->extras[e] = file;
    return true;
}

static bool parse_word(run_args *a, const char *word, char *message) {
    const le_operation *op = a->operation;
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return wrong(message, "%s: '%s' is no argument; expected NAME=VALUE", op->name, word);
    size_t length = (size_t)(equals - word);
    for (size_t i = 0; i < op->n_args && i < LE_MAX_ARGS; i++) {
        const char *name = op->args[i].name;
        if (strlen(name) != length || strncmp(name, word, length) != 0)
            continue;
        if (a->args[i].given)
            return wrong(message, "%s: %s is given twice", op->name, name);
        a->args[i].given = true;
        a->args[i].text = equals + 1;
        return parse_value(op, &op->args[i], &a->args[i], message);
    }
    run_extra e = extra_of(op, word, length);
    return e < RUN_EXTRAS ? take_extra(a, e, equals + 1, message)
                          : unknown_name(op, word, length, message);
}

bool run_args_of_file(const le_operation *op, const char *name) {
    static const char *const names[] = {"offsets", "skipped",     "chunk", "type",
                                        "fill",    "compression", "block", "big_endian"};
    if (index_of(op, "frames") < 0 || index_of(op, "offsets") < 0 || index_of(op, "chunk") < 0)
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k], name))
            return true;
    return false;
}

bool run_args_scan(const run_args *a) {
    const int frames = index_of(a->operation, "frames");
    return run_args_of_file(a->operation, "offsets") && a->args[frames].given &&
           !a->args[index_of(a->operation, "offsets")].given;
}

static bool check_missing(const run_args *a, char *message) {
    const le_operation *op = a->operation;
    bool complete = true;
    for (size_t i = 0; i < op->n_args; i++) {
        const le_arg_desc *d = &op->args[i];
        if (a->args[i].given || d->optional || d->type == LE_TYPE_OUT ||
            (run_args_scan(a) && run_args_of_file(op, d->name)))
            continue;
        char what[256];
        run_describe_arg(d, what, sizeof what);
        if (complete)
            wrong(message, "%s: missing", op->name);
        add(message, RUN_MESSAGE, "%s %s= (%s)", complete ? "" : ",", d->name, what);
        complete = false;
    }
    return complete;
}

/* What the files beside the outputs are made of. */
static void want_outputs(run_args *a) {
    bool given[LE_MAX_ARGS] = {0};
    for (size_t i = 0; i < a->operation->n_args; i++)
        given[i] = a->args[i].given;
    for (run_extra e = 0; e < RUN_EXTRAS; e++) {
        int needed = a->extras[e] ? run_extra_needs(a->operation, e, given) : -1;
        if (needed >= 0)
            a->args[needed].wanted = true;
    }
}

/* All outputs of a chain: its author has named what he wants. */
bool run_args_usual(const le_operation *op, size_t arg) {
    const bool chain = op->family && !strcmp(op->family, "chains");
    size_t first = op->n_args;
    bool stated = false;
    for (size_t i = op->n_args; i-- > 0;) {
        if (op->args[i].type != LE_TYPE_OUT)
            continue;
        if (!op->args[i].optional)
            return false;
        stated = stated || op->args[i].usual;
        first = i;
    }
    return op->args[arg].type == LE_TYPE_OUT &&
           (chain || (stated ? op->args[arg].usual : arg == first));
}

static void show_usual(run_args *a) {
    const le_operation *op = a->operation;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == LE_TYPE_OUT && (a->args[i].given || a->args[i].wanted))
            return;
    for (size_t i = 0; i < op->n_args; i++)
        a->args[i].wanted = a->args[i].shown = run_args_usual(op, i);
}

bool run_args_parse(const le_operation *operation, char *const *words, size_t n_words,
                    run_args *out, char message[RUN_MESSAGE]) {
    *out = (run_args){.operation = operation};
    bool good = true;
    for (size_t i = 0; i < n_words && good; i++)
        good = parse_word(out, words[i], message);
    good = good && check_missing(out, message);
    want_outputs(out);
    show_usual(out);
    if (!good)
        run_args_free(out);
    return good;
}

void run_args_free(run_args *a) {
    for (size_t i = 0; i < LE_MAX_ARGS; i++) {
        free(a->args[i].list);
        le_tensor_free(&a->args[i].tensor);
        free(a->args[i].made);
        a->args[i] = (run_arg){.given = false};
    }
}

static le_arg make_arg(const le_arg_desc *d, run_arg *a) {
    switch (d->type) {
    case LE_TYPE_IN:
        return LE_IN(d->name, &a->tensor);
    case LE_TYPE_OUT:
        return LE_OUT(d->name, &a->tensor);
    case LE_TYPE_F64:
        return LE_F64(d->name, a->f64);
    case LE_TYPE_I64:
        return LE_I64(d->name, a->i64);
    case LE_TYPE_TABLE:
        return a->list ? LE_F64S(d->name, a->list, a->count) : LE_TABLE(d->name, &a->tensor);
    case LE_TYPE_F64S:
        return LE_F64S(d->name, a->list, a->count);
    case LE_TYPE_STR:
    case LE_TYPE_STR_OR_F64:
        break;
    }
    return a->is_number ? LE_F64(d->name, a->f64) : LE_STR(d->name, a->text);
}

size_t run_args_call(run_args *a, const le_arg *options, size_t n_options, le_arg *calls) {
    const le_operation *op = a->operation;
    size_t n = 0;
    for (size_t i = 0; i < op->n_args; i++) {
        const le_arg_desc *d = &op->args[i];
        if (a->args[i].given || a->args[i].wanted || (d->type == LE_TYPE_OUT && !d->optional))
            calls[n++] = make_arg(d, &a->args[i]);
    }
    for (size_t i = 0; i < n_options; i++)
        calls[n++] = options[i];
    return n;
}
