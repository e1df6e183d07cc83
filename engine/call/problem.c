/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Keys of problems: as a hash for every call, as text for the database.
 */
#include "call/problem.h"

#include "call/candidate.h"
#include "call/engine.h"
#include "call/storage.h"
#include "core/text.h"
#include "numbers.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Words of an argument, at most: what it is, its shape and strides, its number, and of its text and
 * its list two each. */
enum { ARG_WORDS = 2 * LE_MAX_DIMS + 8, OTHER_WORDS = 16 };

typedef struct key {
    uint64_t *end;
    uint64_t words[LE_MAX_ARGS * ARG_WORDS + OTHER_WORDS];
} key;

static void begin(key *k) {
    k->end = k->words;
}

static size_t bytes_of(const key *k) {
    return (size_t)(k->end - k->words) * sizeof *k->words;
}

static void put(key *k, uint64_t word) {
    *k->end++ = word;
}

static void put_number(key *k, double v) {
    uint64_t word;
    memcpy(&word, &v, sizeof word);
    put(k, word);
}

static void put_text(key *k, const char *s) {
    put(k, s ? XXH3_64bits(s, strlen(s)) : 0);
}

int64_t le__elastic_extent(int64_t extent) {
    int64_t unit = 1;
    while (extent / unit >= 8)
        unit *= 2;
    int64_t missing = extent % unit ? unit - extent % unit : 0;
    return extent > INT64_MAX - missing ? INT64_MAX : extent + missing;
}

/* The tensor as the problem has it. */
static le_tensor rounded(const le_arg_desc *d, const le__bound_arg *b) {
    le_tensor r = b->tensor;
    if (b->counted)
        r.shape[0] = b->room;
    for (int i = 0; d->elastic && i < r.ndim; i++)
        if (d->elastic & 1u << i)
            r.shape[i] = le__elastic_extent(r.shape[i]);
    return r;
}

/* A twentieth of a call with a known choice hangs on it. */
#define IN_LINE static inline __attribute__((always_inline)) void

/* elastic: axes whose extents are rounded. */
IN_LINE put_tensor(key *k, const le__bound_arg *b, le_arg_type type, uint32_t elastic) {
    const le_tensor *t = &b->tensor;
    bool strided = type == LE_TYPE_IN && b->given && !le__tensor_is_contiguous(t);
    put(k, (uint64_t)b->given | (uint64_t)strided << 1 | (uint64_t)t->dtype << 8 |
               (uint64_t)t->ndim << 16);
    uint64_t *shape = k->end;
    for (int i = 0; b->given && i < t->ndim; i++)
        put(k, (uint64_t)t->shape[i]);
    if (b->counted)
        shape[0] = (uint64_t)b->room;
    for (; elastic; shape++, elastic >>= 1)
        if (elastic & 1 && shape < k->end)
            *shape = (uint64_t)le__elastic_extent((int64_t)*shape);
    for (int i = 0; strided && i < t->ndim; i++) /* implementations are asked which they take */
        put(k, (uint64_t)t->strides[i]);
}

/* Words are few and change the work; free texts and numbers only where the descriptor says so. */
static bool counts(const le_arg_desc *d) {
    return d->cost || d->words;
}

/* Such a number makes a call one of another kind, for there are implementations that take integers
 * of 32 bits only. */
static bool is_wide(const le_arg_desc *d, const le__bound_arg *b) {
    return d->type == LE_TYPE_I64 && (b->i64 < INT32_MIN || b->i64 > INT32_MAX);
}

/* Several of them are one as doubles. */
static bool is_beyond_doubles(const le_arg_desc *d, const le__bound_arg *b) {
    return d->type == LE_TYPE_I64 && fabs(b->f64) >= 0x1p53;
}

static bool is_number(const le_arg_desc *d, const le__bound_arg *b) {
    return d->type == LE_TYPE_STR_OR_F64 && !b->str;
}

/* Given as the number that stands for it where it is absent: another kind of call where absence
 * means something else, such as an axis. */
static bool is_told_apart(const le_arg_desc *d, const le__bound_arg *b) {
    return (d->type == LE_TYPE_F64 || d->type == LE_TYPE_I64) && d->cost && d->optional &&
           !d->has_default && b->given && b->f64 == d->default_f64;
}

static void put_arg(key *k, const le_arg_desc *d, const le__bound_arg *b) {
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        put_tensor(k, b, d->type, d->elastic);
        break;
    case LE_TYPE_TABLE: /* the operation's key says what there is to say */
        put(k, b->given);
        break;
    case LE_TYPE_F64S:
        put(k, b->count);
        if (d->cost && b->count)
            put(k, XXH3_64bits(b->f64s, b->count * sizeof *b->f64s));
        break;
    case LE_TYPE_F64:
    case LE_TYPE_I64:
        if (d->cost)
            put_number(k, b->f64);
        if (d->cost && is_beyond_doubles(d, b))
            put(k, (uint64_t)b->i64);
        break;
    case LE_TYPE_STR:
    case LE_TYPE_STR_OR_F64:
        if (counts(d))
            put_text(k, b->str);
        if (d->cost && is_number(d, b))
            put_number(k, b->f64);
        break;
    }
}

uint32_t le__call_places(const le_call *call, size_t arg) {
    const le__bound_arg *b = &call->args[arg];
    bool stored = call->operation->args[arg].type == LE_TYPE_IN && b->given && b->tensor.storage;
    return stored ? le__storage_places(b->tensor.storage, call->engine) : 1;
}

static void put_shape(key *k, const le_call *call) {
    const le_operation *op = call->operation;
    put(k, call->entry->id);
    for (size_t i = 0; i < op->n_args; i++) {
        put_arg(k, &op->args[i], &call->args[i]);
        if (is_wide(&op->args[i], &call->args[i]))
            put(k, (uint64_t)i | (uint64_t)1 << 63);
        if (is_told_apart(&op->args[i], &call->args[i]))
            put(k, (uint64_t)i | (uint64_t)1 << 62);
    }
    if (op->key) {
        char text[128] = "";
        op->key(call, text, sizeof text);
        put_text(k, text);
    }
}

uint64_t le__problem_shape(const le_call *call) {
    key k;
    begin(&k);
    put_shape(&k, call);
    return XXH3_64bits(k.words, bytes_of(&k));
}

/* Where a single call's inputs lie decides what has to be moved; all on the host adds nothing. */
static void put_places(key *k, const le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++) {
        uint32_t at = le__call_places(call, i);
        if (at != 1)
            put(k, (uint64_t)i << 32 | at);
    }
}

/* Most calls wish nothing, and these add nothing. */
static void put_wish(key *k, uint64_t which, uint64_t word) {
    put(k, which | (uint64_t)1 << 63);
    put(k, word);
}

static void put_name(key *k, uint64_t which, const char *name) {
    if (name)
        put_wish(k, which, XXH3_64bits(name, strlen(name)));
}

uint64_t le__problem_hash(const le_call *call) {
    key k;
    begin(&k);
    const le__constraint *w = &call->want;
    put_shape(&k, call);
    put_number(&k, w->atol);
    put_number(&k, w->rtol);
    put(&k, (uint64_t)w->mode | (uint64_t)w->objective << 8 | (uint64_t)w->reproducible << 16 |
                (uint64_t)w->keep_on_device << 17 | (uint64_t)(call->step != NULL) << 18 |
                (uint64_t)w->places << 32);
    if (w->memory_limit)
        put_wish(&k, 0, (uint64_t)w->memory_limit);
    put_name(&k, 1, w->run_type);
    put_name(&k, 2, w->implementation);
    put_name(&k, 3, w->device);
    put_name(&k, 4, w->liked_run_type);
    put_name(&k, 5, w->liked_implementation);
    put_name(&k, 6, w->replayed);
    if (call->stored && !call->step)
        put_places(&k, call);
    return XXH3_64bits(k.words, bytes_of(&k));
}

/* --- everything but the data --- */

/* By 128 bits, which two that differ do not share. */
static void put_bytes(key *k, const void *bytes, size_t n) {
    XXH128_hash_t h = n ? XXH3_128bits(bytes, n) : (XXH128_hash_t){0};
    put(k, h.low64);
    put(k, h.high64);
}

static void put_exactly(key *k, const le__bound_arg *b, le_arg_type type) {
    put_tensor(k, b, type, 0);
    if (b->counted)
        return;
    put_number(k, b->f64);
    put(k, (uint64_t)b->i64);
    put_bytes(k, b->str, b->str ? strlen(b->str) + 1 : 0);
    put_bytes(k, b->f64s, b->count * sizeof *b->f64s);
}

void le__call_fingerprint(const le_call *call, uint64_t out[2]) {
    const le_operation *op = call->operation;
    key k;
    begin(&k);
    put(&k, call->entry->id);
    for (size_t i = 0; i < op->n_args; i++)
        put_exactly(&k, &call->args[i], op->args[i].type);
    put_number(&k, call->want.atol);
    put_number(&k, call->want.rtol);
    put(&k, call->want.own_tolerance); /* steps of a chain have their own then */
    put(&k, call->want.reproducible);
    XXH128_hash_t h = XXH3_128bits(k.words, bytes_of(&k));
    out[0] = h.low64;
    out[1] = h.high64;
}

/* --- texts --- */

enum { TEXT_MOST = 48, LIST_MOST = 8 }; /* shown in full */

/* Numbers, texts and lists that differ have texts that differ. */
static void add_number(le__text *t, double v) {
    char number[40];
    le__number_print(number, sizeof number, "%g", v);
    if (le__number_parse(number, NULL) != v)
        le__number_print(number, sizeof number, "%.17g", v);
    le__text_add(t, "%s", number);
}

static void add_string(le__text *t, const char *s) {
    if (strlen(s) <= TEXT_MOST && le__utf8_is_line(s))
        le__text_add(t, "%s", s);
    else
        le__text_add(t, "#%016" PRIx64, (uint64_t)XXH3_64bits(s, strlen(s)));
}

static void add_list(le__text *t, const double *list, size_t n) {
    if (n > LIST_MOST)
        le__text_add(t, "%zu#%016" PRIx64, n, (uint64_t)XXH3_64bits(list, n * sizeof *list));
    for (size_t i = 0; i < n && n <= LIST_MOST; i++) {
        le__text_add(t, i ? "," : "");
        add_number(t, list[i]);
    }
}

static void add_tensor(le__text *t, const le_arg_desc *d, const le__bound_arg *b, bool shape) {
    char described[256];
    const le_tensor r = rounded(d, b);
    le_tensor_describe(&r, described, sizeof described);
    le__text_add(t, "%s=%s", d->name, shape ? described : le_dtype_name(b->tensor.dtype));
    if (shape && d->type == LE_TYPE_IN && !le__tensor_is_contiguous(&b->tensor))
        le__text_add(t, "(strided)");
    le__text_add(t, " ");
}

static void add_arg(le__text *t, const le_arg_desc *d, const le__bound_arg *b, bool shape) {
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        if (b->given)
            add_tensor(t, d, b, shape);
        break;
    case LE_TYPE_TABLE:
        break;
    case LE_TYPE_F64S:
        if (shape && b->count && !d->cost) {
            le__text_add(t, "%s#%zu ", d->name, b->count);
        } else if (shape && b->count) {
            le__text_add(t, "%s=", d->name);
            add_list(t, b->f64s, b->count);
            le__text_add(t, " ");
        }
        break;
    case LE_TYPE_F64:
    case LE_TYPE_I64:
        if (shape && d->cost) {
            le__text_add(t, "%s=", d->name);
            if (is_beyond_doubles(d, b))
                le__text_add(t, "%" PRId64, b->i64);
            else
                add_number(t, b->f64);
            le__text_add(t, is_told_apart(d, b) ? "(given) " : " ");
        }
        if (is_wide(d, b))
            le__text_add(t, "%s=i64 ", d->name);
        break;
    case LE_TYPE_STR:
    case LE_TYPE_STR_OR_F64:
        if (counts(d)) {
            le__text_add(t, "%s=", d->name);
            if (d->cost && is_number(d, b))
                add_number(t, b->f64);
            else
                add_string(t, b->str ? b->str : "number");
            le__text_add(t, " ");
        }
        break;
    }
}

/* A text of many parts; where they do not fit, it ends with a hash of them all. */
typedef struct parts {
    le__text text;
    uint64_t hash;
    size_t length;
} parts;

static void add_part(parts *p, const char *part) {
    size_t n = strlen(part);
    le__text_add(&p->text, "%s", part);
    p->hash = XXH3_64bits_withSeed(part, n, p->hash);
    p->length += n;
}

static void end_parts(parts *p) {
    enum { HASH = 17 };
    le__text *t = &p->text;
    if (p->length < t->size) {
        le__text_trim(t);
        return;
    }
    t->n = t->size - HASH - 1;
    while (t->n && ((unsigned char)t->at[t->n] & 0xc0) == 0x80) /* not within a character */
        t->n--;
    le__text_add(t, "#%016" PRIx64, p->hash);
}

static void describe(const le_call *call, bool shape, char *out, size_t size) {
    const le_operation *op = call->operation;
    char part[512];
    parts all = {.text = le__text_in(out, size)};
    for (size_t i = 0; i < op->n_args; i++) {
        le__text t = le__text_in(part, sizeof part);
        add_arg(&t, &op->args[i], &call->args[i], shape);
        add_part(&all, part);
    }
    char extra[128] = "";
    if (op->key)
        op->key(call, extra, sizeof extra);
    add_part(&all, extra);
    end_parts(&all);
}

void le__problem_text(const le_call *call, char *out, size_t size) {
    describe(call, true, out, size);
}

void le__problem_kind(const le_call *call, char *out, size_t size) {
    describe(call, false, out, size);
}

int le__size_class(double work) {
    double c = work > 1 ? log2(work) / 3 : 0;
    return c < LE__SIZE_CLASSES - 1 ? (int)c : LE__SIZE_CLASSES - 1;
}

static const char *const objectives[] = {"time", "p99", "memory", "cpu_time"};

static void add_places(le__text *t, uint32_t places, const le_engine *engine) {
    for (int i = 0, n = 0; places && i < engine->n_devices; i++)
        if (places >> i & 1)
            le__text_add(t, "%s%s", n++ ? "," : "only=", engine->devices[i].id);
    if (places)
        le__text_add(t, " ");
}

void le__constraint_add(le__text *t, const le__constraint *w, const le_engine *engine) {
    if (w->objective)
        le__text_add(t, "objective=%s ", objectives[w->objective]);
    if (w->run_type)
        le__text_add(t, "run_type=%.32s ", w->run_type);
    if (w->implementation)
        le__text_add(t, "implementation=%.128s ", w->implementation);
    if (w->device)
        le__text_add(t, "device=%.64s ", w->device);
    add_places(t, w->places, engine);
    if (w->memory_limit)
        le__text_add(t, "memory=%lld ", (long long)w->memory_limit);
    if (w->reproducible)
        le__text_add(t, "reproducible ");
    if (w->keep_on_device)
        le__text_add(t, "keep_on_device ");
}

void le__constraint_text(const le_call *call, char *out, size_t size) {
    char whole[1024];
    le__constraint w = call->want;
    le__text t = le__text_in(whole, sizeof whole);
    parts fitted = {.text = le__text_in(out, size)};
    if (call->step) { /* where it runs is the chain's affair */
        w.places = 0;
        w.keep_on_device = false;
    } else { /* what the whole engine is told to use */
        const le__forced forced = le__call_forces(call);
        w.run_type = forced.run_type;
        w.implementation = forced.implementation;
    }
    le__text_add(&t, "atol=");
    add_number(&t, w.atol);
    le__text_add(&t, " rtol=");
    add_number(&t, w.rtol);
    le__text_add(&t, " ");
    le__constraint_add(&t, &w, call->engine);
    for (size_t i = 0; i < call->operation->n_args && !call->step; i++)
        if (le__call_places(call, i) != 1)
            le__text_add(&t, "%.32s@%" PRIx32 " ", call->operation->args[i].name,
                         le__call_places(call, i));
    add_part(&fitted, whole);
    end_parts(&fitted);
}
