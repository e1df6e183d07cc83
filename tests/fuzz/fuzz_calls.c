/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every operation by name, with arguments that begin as a sample call and are then bent: shapes,
 * strides, data types, values, alignment, aliases, scalars, texts, names, options. No call may
 * crash, write outside its outputs or into its inputs, or change an output when it fails.
 */
#include "call/call.h"
#include "call/case.h"
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { GUARD = 64, PATTERN = 0xa5, BLOCKS = 2 * LE_MAX_ARGS, MOST_ELEMENTS = 1 << 15 };
static const double most_work = 6e7, most_bytes = 1 << 26;

typedef struct block { /* memory of a tensor, and what was in it */
    unsigned char *memory, *copy;
    size_t bytes;
} block;

typedef struct trial {
    const uint8_t *data;
    size_t left;
    uint64_t random;
    const le_operation *op;
    le_case sample;
    le_arg args[LE_MAX_ARGS + 8];
    size_t n;
    le_tensor tensors[LE_MAX_ARGS + 8], before[LE_MAX_ARGS + 8];
    block blocks[BLOCKS];
    size_t n_blocks;
    double lists[LE_MAX_ARGS + 8][4];
    char name[80];
} trial;

/* The next number of the input; where it ends, random ones that depend on all of it. */
static size_t take(trial *t, size_t below) {
    if (t->left) {
        t->left--;
        return *t->data++ % below;
    }
    uint64_t z = t->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % below);
}

static le_engine *engine(void) {
    static le_engine *e;
    if (!e) {
        le_options o;
        le_default_options(&o);
        o.db_path = ":memory:";
        o.devices = "cpu";
        o.threads = 2;
        if (le_open(&e, &o) != LE_OK)
            abort();
    }
    return e;
}

static bool is_tensor(const le_arg *a) {
    return (a->kind == LE_KIND_IN || a->kind == LE_KIND_OUT) && a->value.in;
}

static void complain(const trial *t, const char *what, size_t arg) {
    char text[256];
    fprintf(stderr, "%s: %s (argument %zu '%s'; error '%s')\n", t->op ? t->op->name : "?", what,
            arg, arg < t->n && t->args[arg].name ? t->args[arg].name : "", le_error_message());
    for (size_t i = 0; i < t->n; i++) {
        bool tensor = is_tensor(&t->args[i]);
        if (tensor)
            le_tensor_describe(t->args[i].value.in, text, sizeof text);
        fprintf(stderr, "  %s kind %d %s f64 %g i64 %lld\n", t->args[i].name ? t->args[i].name : "",
                (int)t->args[i].kind, tensor ? text : "", t->args[i].value.f64,
                (long long)t->args[i].value.i64);
    }
    abort();
}

/* --- memory --- */

static void drop(trial *t, le_tensor *x) {
    bool of_sample = false;
    for (size_t k = 0; k < LE_MAX_ARGS; k++)
        of_sample = of_sample || x->storage == t->sample.tensors[k].storage;
    if (x->storage && !of_sample)
        le_tensor_free(x);
    *x = (le_tensor){0};
}

static unsigned char *add_block(trial *t, size_t bytes, bool guarded) {
    size_t total = bytes + (guarded ? 2 * GUARD : 0);
    block *b = &t->blocks[t->n_blocks];
    if (t->n_blocks == BLOCKS || !(b->memory = malloc(total + 1)))
        return NULL;
    b->bytes = total;
    memset(b->memory, PATTERN, total + 1);
    t->n_blocks++;
    return b->memory + (guarded ? GUARD : 0);
}

static void remember(trial *t) {
    for (size_t i = 0; i < t->n_blocks; i++)
        if ((t->blocks[i].copy = malloc(t->blocks[i].bytes + 1)))
            memcpy(t->blocks[i].copy, t->blocks[i].memory, t->blocks[i].bytes + 1);
    memcpy(t->before, t->tensors, sizeof t->before);
}

/* Element number `at` in row-major order, in bytes from element 0. */
static int64_t place_of(const le_tensor *t, int64_t at) {
    int64_t offset = 0;
    for (int k = t->ndim - 1; k >= 0; k--) {
        offset += at % t->shape[k] * t->strides[k];
        at /= t->shape[k];
    }
    return offset * (int64_t)le_dtype_size(t->dtype);
}

typedef enum layout {
    CONTIGUOUS,
    NEGATIVE,
    PADDED,
    REPEATED, /* a stride of 0 */
    TRANSPOSED,
    OVERLAPPING,
    MISALIGNED,
    OWNED, /* by the engine's allocator */
    LAYOUTS
} layout;

static void set_strides(trial *t, le_tensor *to, layout how) {
    int64_t stride = 1;
    for (int k = 0; k < to->ndim; k++) {
        int axis = how == TRANSPOSED ? k : to->ndim - 1 - k;
        to->strides[axis] = how == OVERLAPPING ? 1 : how == NEGATIVE ? -stride : stride;
        stride *= to->shape[axis] > 0 ? to->shape[axis] : 1;
        if (how == PADDED)
            stride += 3;
        if (to->shape[axis] == 1 && how >= TRANSPOSED) /* it is never stepped along */
            to->strides[axis] = take(t, 2) ? INT64_MIN : INT64_MAX;
    }
    if (how == REPEATED && to->ndim > 0)
        to->strides[take(t, (size_t)to->ndim)] = 0;
}

/* Gives a tensor of this shape and dtype memory in this layout; small sizes only. */
static bool lay_out(trial *t, le_tensor *to, layout how, bool guarded) {
    size_t size = le_dtype_size(to->dtype);
    int64_t low = 0, high = 0, count = le_tensor_count(to);
    if (count < 0 || count > MOST_ELEMENTS)
        return false;
    if (how == OWNED)
        return le_tensor_alloc(to, to->dtype, to->ndim, to->shape) == LE_OK;
    set_strides(t, to, how);
    for (int k = 0; k < to->ndim && count > 0; k++)
        *(to->strides[k] < 0 ? &low : &high) += (to->shape[k] - 1) * to->strides[k];
    size_t bytes = count ? (size_t)(high - low + 1) * size : 0;
    size_t shift = how == MISALIGNED ? 1 : 0;
    unsigned char *memory = add_block(t, bytes + shift, guarded);
    to->data = memory ? memory + shift - low * (int64_t)size : NULL;
    return memory != NULL;
}

static double odd_number(trial *t) {
    static const double odd[] = {
        0,     -0.0,  1,      -1,   0.5,  NAN,          INFINITY,    -INFINITY, 1e38,   -3.4e38,
        1e-41, 1e300, 4e-320, 1e9,  -1e9, 2147483648.0, 255,         65536.0,   9.0e15, 1e19,
        0.1,   1e-12, 360,    -7.5, 3,    2147483647.0, 4294967296.0};
    return odd[take(t, sizeof odd / sizeof *odd)];
}

static void fill_from(trial *t, le_tensor *to, const le_tensor *from, bool odd) {
    int64_t n = le_tensor_count(to), m = le_tensor_count(from);
    bool real = to->dtype == LE_F32 || to->dtype == LE_F64;
    for (int64_t i = 0; i < n; i++)
        le_tensor_set(to, i, m > 0 ? le_tensor_get(from, i % m) : 1);
    for (size_t k = take(t, 9); odd && n > 0 && k > 0; k--) {
        int64_t at = (int64_t)(take(t, 256) * 257 + take(t, 256)) % n;
        if (real)
            le_tensor_set(to, at, odd_number(t));
    }
}

/* The sample's input again, in memory of our own. */
static bool remake_input(trial *t, le_tensor *to, const le_tensor *from, layout how) {
    le_tensor dense = *to;
    if (how == MISALIGNED || how == OWNED || le_tensor_count(to) == 0)
        return lay_out(t, to, how, false);
    if (!lay_out(t, to, how, false) ||
        le_tensor_alloc(&dense, to->dtype, to->ndim, to->shape) != LE_OK)
        return false;
    fill_from(t, &dense, from, true);
    size_t size = le_dtype_size(to->dtype);
    for (int64_t at = 0; at < le_tensor_count(&dense); at++)
        memcpy((char *)to->data + place_of(to, at), (char *)dense.data + at * (int64_t)size, size);
    le_tensor_free(&dense);
    return true;
}

/* --- bending --- */

/* Shapes that no memory can hold; they are to be refused before anything is read. */
static void make_absurd(trial *t, le_tensor *to) {
    static const int64_t sizes[] = {INT64_MAX, INT64_C(1) << 62, -1, INT64_MIN, INT64_C(1) << 40};
    for (int k = 0; k < LE_MAX_DIMS; k++)
        to->shape[k] = sizes[take(t, 5)];
    to->ndim = (int32_t)take(t, 12) - 1;
    if (to->ndim == 1 && to->shape[0] == sizes[4])
        to->shape[0] = sizes[0];
    for (int k = 0; k < LE_MAX_DIMS; k++)
        to->strides[k] = (int64_t)(take(t, 5) - 2) * (take(t, 2) ? INT64_MAX / 2 : 1);
    to->data = add_block(t, 64, false);
}

static void bend_shape(trial *t, le_tensor *to) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
    if (take(t, 3) == 0)
        to->ndim = (int32_t)take(t, LE_MAX_DIMS + 1);
    for (int k = 0; k < to->ndim; k++)
        if (to->shape[k] < 0 || to->shape[k] > 64 || take(t, 2))
            to->shape[k] = sizes[take(t, sizeof sizes / sizeof *sizes)];
    while (le_tensor_count(to) > MOST_ELEMENTS)
        to->ndim--;
}

static void bend_input(trial *t, le_tensor *to) {
    le_tensor from = *to;
    if (!from.data || from.ndim < 0 || from.ndim > LE_MAX_DIMS || le_tensor_count(&from) < 0 ||
        le_tensor_count(&from) > MOST_ELEMENTS ||
        (le_dtype_size(from.dtype) && (uintptr_t)from.data % le_dtype_size(from.dtype)))
        return; /* bent before into what cannot be read */
    *to = (le_tensor){.dtype = from.dtype, .ndim = from.ndim};
    memcpy(to->shape, from.shape, sizeof to->shape);
    switch (take(t, 8)) {
    case 0:
        make_absurd(t, to);
        drop(t, &from);
        return;
    case 1:
    case 2:
        bend_shape(t, to);
        break;
    case 3:
        to->dtype = (le_dtype)(take(t, 9));
        break;
    default:
        break;
    }
    if (!le_dtype_size(to->dtype))
        to->data = add_block(t, 64, false);
    else if (!le_dtype_size(from.dtype) || !remake_input(t, to, &from, (layout)take(t, LAYOUTS))) {
        *to = from;
        return;
    }
    drop(t, &from);
}

static void bend_text(trial *t, le_arg *a, const le_arg_desc *d) {
    static const char *const texts[] = {
        "",  "nearest", "%s%n",     "\xff\xfe", "{\"points\":[[0,1]]}",
        "0", "{",       "[[[[[[[[", "nan",      "linear"};
    size_t n = 0;
    while (d && d->words && d->words[n])
        n++;
    size_t pick = take(t, 10 + n);
    a->kind = LE_KIND_STR;
    a->value.str = pick < n ? d->words[pick] : texts[pick - n];
}

static void bend_number(trial *t, le_arg *a, const le_arg_desc *d) {
    double v = odd_number(t);
    if (d && d->min < d->max && take(t, 2))
        v = take(t, 2) ? d->max : d->min;
    if (take(t, 2)) {
        a->kind = LE_KIND_I64;
        a->value.i64 = fabs(v) < 9e18 ? (int64_t)v : take(t, 2) ? INT64_MIN : INT64_MAX;
    } else {
        a->kind = LE_KIND_F64;
        a->value.f64 = v;
    }
}

static void bend_list(trial *t, size_t i) {
    le_arg *a = &t->args[i];
    a->kind = LE_KIND_F64S;
    a->count = take(t, 5);
    for (size_t k = 0; k < a->count; k++)
        t->lists[i][k] = odd_number(t);
    a->value.f64s = take(t, 8) ? t->lists[i] : NULL;
}

static const le_arg_desc *describe(const trial *t, const char *name) {
    for (size_t k = 0; name && k < t->op->n_args; k++)
        if (!strcmp(t->op->args[k].name, name))
            return &t->op->args[k];
    return NULL;
}

static void bend_kind(trial *t, size_t i) {
    le_arg *a = &t->args[i];
    const le_arg_desc *d = describe(t, a->name);
    switch (take(t, 7)) {
    case 0:
        a->kind = LE_KIND_IN;
        a->value.in = take(t, 4) ? &t->tensors[i] : NULL;
        break;
    case 1:
        a->kind = LE_KIND_OUT;
        a->value.out = take(t, 4) ? &t->tensors[i] : NULL;
        break;
    case 2:
        a->kind = (int32_t)take(t, 256) - 3; /* may be no kind at all: no value is read then */
        if (a->kind >= LE_KIND_IN && a->kind <= LE_KIND_OPTION)
            a->kind = -1;
        break;
    case 3:
        bend_list(t, i);
        break;
    case 4:
        bend_text(t, a, d);
        break;
    default:
        bend_number(t, a, d);
        break;
    }
}

static void bend_name(trial *t, size_t i) {
    static const char *const names[] = {NULL, "", "volume", "image", "nothing", "%s"};
    size_t pick = take(t, 8);
    t->args[i].name = pick < 6 ? names[pick] : t->op->args[take(t, t->op->n_args)].name;
}

static void bend_set(trial *t) { /* one less, one twice, or one more */
    size_t i = take(t, t->n);
    switch (take(t, 3)) {
    case 0:
        t->args[i] = t->args[--t->n];
        break;
    case 1:
        if (t->n < LE_MAX_ARGS)
            t->args[t->n++] = t->args[i];
        break;
    default:
        if (t->n < LE_MAX_ARGS) {
            const le_arg_desc *d = &t->op->args[take(t, t->op->n_args)];
            t->args[t->n] = (le_arg){.name = d->name};
            if (d->type == LE_TYPE_F64S)
                bend_list(t, t->n);
            else if (d->type == LE_TYPE_STR)
                bend_text(t, &t->args[t->n], d);
            else
                bend_number(t, &t->args[t->n], d);
            t->n++;
        }
        break;
    }
}

static void bend(trial *t) {
    size_t i = take(t, t->n);
    le_arg *a = &t->args[i];
    const le_arg_desc *d = describe(t, a->name);
    switch (take(t, 40)) {
    case 0:
        bend_name(t, i);
        break;
    case 1:
        bend_kind(t, i);
        break;
    case 2:
    case 3:
        bend_set(t);
        break;
    default:
        if (a->kind == LE_KIND_IN && a->value.in)
            bend_input(t, a->value.out);
        else if (a->kind == LE_KIND_F64 || a->kind == LE_KIND_I64)
            bend_number(t, a, d);
        else if (a->kind == LE_KIND_STR)
            bend_text(t, a, d);
        else if (a->kind == LE_KIND_F64S)
            bend_list(t, i);
        break;
    }
}

static bool go_on(void *cookie, double done) {
    (void)cookie, (void)done;
    return true;
}

static void add_options(trial *t) {
    static const le_tick goes_on = {.fn = go_on};
    static const char *const words[] = {"c",        "simd",  "reference", "cpu",
                                        "opencl:9", "",      "nosuch",    "c[threads=2]",
                                        "@[",       "slabs", "staged_cpu"};
    for (size_t n = take(t, 5); n > 2; n--) {
        le_arg *a = &t->args[t->n++];
        *a = (le_arg){.kind = LE_KIND_OPTION, .option = (int32_t)take(t, 12)};
        size_t count;
        const le_implementation *const *all =
            le_engine_implementations(engine(), t->op->name, &count);
        bool text = a->option >= LE_OPTION_RUN_TYPE && a->option <= LE_OPTION_DEVICE;
        if (a->option == LE_OPTION_IMPLEMENTATION && count && take(t, 4))
            a->value.str = all[take(t, count)]->name;
        else if (text)
            a->value.str = take(t, 8) ? words[take(t, sizeof words / sizeof *words)] : NULL;
        else if (a->option == LE_OPTION_RTOL || a->option == LE_OPTION_ATOL)
            a->value.f64 = odd_number(t);
        else if (a->option == LE_OPTION_TICK) /* a pointer that is lent has to be one */
            a->value.tick = take(t, 2) ? &goes_on : NULL;
        else if (a->option == LE_OPTION_MEMORY_LIMIT)
            a->value.i64 = (int64_t)1 << take(t, 63);
        else if (a->option != LE_OPTION_MODE || take(t, 5) != LE_MODE_MEASURE) /* takes too long */
            a->value.i64 = (int64_t)take(t, 7) - 1;
        if (a->option == LE_OPTION_MODE && a->value.i64 == LE_MODE_MEASURE)
            a->value.i64 = LE_MODE_LEARN;
    }
}

/* --- outputs --- */

static void alias(trial *t, le_tensor *to) {
    const le_arg *other = &t->args[take(t, t->n)];
    if (is_tensor(other) && other->value.in->data && le_tensor_count(other->value.in) > 0)
        to->data = other->value.in->data;
}

/* Memory for an output of the shape that the call has. */
static void give_output(trial *t, le_tensor *to, const le_tensor *shape) {
    size_t how = take(t, LAYOUTS + 6);
    drop(t, to);
    if (how >= LAYOUTS + 3) { /* unallocated, with or without a dtype */
        *to = (le_tensor){.dtype = take(t, 2) ? shape->dtype : (le_dtype)0};
        return;
    }
    *to = (le_tensor){.dtype = shape->dtype, .ndim = shape->ndim};
    memcpy(to->shape, shape->shape, sizeof to->shape);
    if (how == LAYOUTS + 2)
        bend_shape(t, to);
    if (!le_dtype_size(to->dtype) ||
        !lay_out(t, to, how < LAYOUTS ? (layout)how : CONTIGUOUS, true))
        *to = (le_tensor){0};
    else if (how == LAYOUTS + 1)
        alias(t, to);
}

/* How large the call is, and the shapes of its outputs; false: it is refused, or would take long.
 */
static bool survey(trial *t, bool *long_one) {
    le_call call;
    le__operation_entry *entry = le__registry_find(&engine()->registry, t->op->name);
    *long_one = false;
    if (le__call_bind(&call, engine(), entry, t->args, t->n) != LE_OK)
        return false;
    le_work work = {0};
    t->op->work(&call, &work);
    if (!(work.operations >= 0) || !(work.bytes >= 0))
        complain(t, "the work is no number", 0);
    double bytes = 0;
    for (size_t k = 0; k < t->op->n_args; k++)
        if (t->op->args[k].type <= LE_TYPE_OUT && call.args[k].given)
            bytes += (double)le_tensor_count(&call.args[k].tensor) * 8;
    *long_one = work.operations > most_work || bytes > most_bytes;
    for (size_t i = 0; !*long_one && i < t->n; i++)
        for (size_t k = 0; k < t->op->n_args; k++)
            if (t->args[i].kind == LE_KIND_OUT && t->args[i].value.out && t->args[i].name &&
                !strcmp(t->args[i].name, t->op->args[k].name))
                give_output(t, t->args[i].value.out, &call.args[k].tensor);
    le__call_unbind(&call);
    return !*long_one;
}

/* --- what must hold --- */

/* What a call that succeeded may have written is taken as it is now. */
static void excuse_outputs(trial *t, block *b) {
    for (size_t i = 0; i < t->n; i++) {
        if (t->args[i].kind != LE_KIND_OUT || !t->args[i].value.out)
            continue;
        const le_tensor *o = &t->before[t->args[i].value.out - t->tensors];
        const unsigned char *p = o->data;
        if (p < b->memory || p > b->memory + b->bytes)
            continue;
        for (int64_t at = 0; at < le_tensor_count(o); at++) {
            size_t from = (size_t)(p + place_of(o, at) - b->memory);
            memcpy(b->copy + from, b->memory + from, le_dtype_size(o->dtype));
        }
    }
}

static void check(trial *t, le_status status) {
    if (status != LE_OK && !*le_error_message())
        complain(t, "an error without a text", 0);
    for (size_t k = 0; k < t->n_blocks; k++) {
        block *b = &t->blocks[k];
        if (b->copy && status == LE_OK)
            excuse_outputs(t, b);
        if (b->copy && memcmp(b->memory, b->copy, b->bytes + 1) != 0)
            complain(t, status == LE_OK ? "a write outside" : "it failed and changed memory", k);
    }
    if (status != LE_OK && memcmp(t->before, t->tensors, sizeof t->before) != 0)
        complain(t, "it failed and changed a tensor", 0);
}

static void clean_up(trial *t) {
    for (size_t i = 0; i < LE_MAX_ARGS + 8; i++)
        drop(t, &t->tensors[i]);
    for (size_t i = 0; i < t->n_blocks; i++) {
        free(t->blocks[i].memory);
        free(t->blocks[i].copy);
    }
    le__case_free(&t->sample);
}

static void run(trial *t) {
    bool long_one;
    t->n = t->sample.n;
    memcpy(t->args, t->sample.args, sizeof t->sample.args);
    memcpy(t->tensors, t->sample.tensors, sizeof t->sample.tensors);
    for (size_t i = 0; i < t->n; i++)
        if (t->args[i].kind == LE_KIND_IN || t->args[i].kind == LE_KIND_OUT)
            t->args[i].value.out = &t->tensors[i];
    for (size_t n = take(t, 5); n > 0 && t->n > 0; n--)
        bend(t);
    if (!survey(t, &long_one) && long_one)
        return;
    add_options(t);
    remember(t);
    snprintf(t->name, sizeof t->name, "%s%s", t->op->name, take(t, 240) == 0 ? "x" : "");
    check(t, le_call_run(engine(), take(t, 250) == 0 ? NULL : t->name, t->args, t->n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    trial *t = calloc(1, sizeof *t);
    size_t n;
    if (!t)
        return 0;
    const le_operation *const *operations = le_engine_operations(engine(), &n);
    t->data = data;
    t->left = size;
    for (size_t i = 0; i < size; i++)
        t->random = (t->random ^ data[i]) * 0x100000001b3u;
    t->op = operations[take(t, n)];
    le_case_request request = {.kind = LE_CASE_CHECK, .seed = 1 + take(t, 4)};
    request.index = (int64_t)take(t, 40);
    if (t->op->make_case && le__case_make(&t->sample, t->op, &request) == LE_OK) {
        run(t);
        clean_up(t);
    }
    free(t);
    return 0;
}
