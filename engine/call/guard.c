/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Guarded outputs and inputs.
 */
#include "call/guard.h"

#include "call/engine.h"
#include "call/storage.h"
#include "call/tensor.h"
#include "core/tick.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEAST_EDGE = 1 << 12, EDGE = 1 << 16, WIDE_EDGE = 1 << 20 };
static const size_t wall_bytes = sizeof(void *) > 4 ? (size_t)64 << 20 : (size_t)16 << 20;

static struct { /* where walls are; of the last run's tensors, which may be gone */
    const char *name;
    const char *low, *data, *high;
    const char *end; /* of an input's data; NULL: an output */
} walls[LE_MAX_ARGS];

static void own(le__bound_arg *b, size_t before) {
    b->own = true;
    b->tensor.offset = (int64_t)(before / le_dtype_size(b->tensor.dtype));
    b->tensor.data = (char *)b->tensor.storage->host + before;
}

static le_status add_edges(le_call *call, int arg, size_t bytes, size_t edge) {
    le__bound_arg *b = &call->args[arg];
    le_storage **s = &b->tensor.storage;
    if (bytes > SIZE_MAX - 2 * edge)
        return le_fail(LE_ERR_MEMORY, "out of memory: %zu bytes were needed for a tensor", bytes);
    /* touched before the run, whose time would be that of its page faults */
    le_status status = le__storage_new(s, bytes + 2 * edge, true, false);
    if (status != LE_OK)
        return status;
    char *p = (*s)->host;
    own(b, edge);
    return le__ticker_fill(p, call->poison, (*s)->bytes) ? LE_OK
                                                         : le__ticker_fail(call->operation->name);
}

static size_t rounded(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

/* Pages for so many bytes between walls: *host and *inner are what can be written to. NULL: none.
 */
static char *build_walls(size_t bytes, char **host, size_t *inner, size_t *all) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > SIZE_MAX / 2)
        return NULL;
    *inner = rounded(bytes ? bytes : 1, page);
    *all = *inner + 2 * wall_bytes;
    char *map = mmap(NULL, *all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    *host = map + wall_bytes;
    if (mprotect(*host, *inner, PROT_READ | PROT_WRITE) == 0)
        return map;
    munmap(map, *all);
    return NULL;
}

/* What of the pages between the walls is not the output's is an edge of an element to a page. An
 * output that ends at a wall has whatever alignment its size gives it, the others no more than that
 * of an element. */
static bool add_walls(le_call *call, int arg, size_t bytes) {
    le__bound_arg *b = &call->args[arg];
    size_t inner, all, element = le_dtype_size(b->tensor.dtype);
    char *host, *map = build_walls(bytes + element, &host, &inner, &all);
    if (!map)
        return false;
    if (le__storage_mapped(&b->tensor.storage, map, all, host, inner) != LE_OK) {
        munmap(map, all);
        return false;
    }
    memset(host, call->poison, inner);
    own(b, call->lean ? inner - bytes : element);
    walls[arg].name = call->operation->args[arg].name;
    walls[arg].low = map;
    walls[arg].data = b->tensor.data;
    walls[arg].high = map + all;
    walls[arg].end = NULL;
    return true;
}

const void *le__guard_copy(const void *data, size_t bytes, size_t element, le__guard_place place) {
    size_t inner, all;
    char *host, *map = build_walls(bytes + element, &host, &inner, &all);
    if (!map)
        return NULL;
    char *copy = place == LE__GUARD_BEGINS ? host
                 : place == LE__GUARD_ENDS ? host + inner - bytes
                                           : host + element;
    memcpy(copy, data, bytes);
    mprotect(host, inner, PROT_READ);
    return copy;
}

void le__guard_use_copy(le_call *call, int arg, const void *copy, size_t bytes) {
    le_tensor *t = &call->args[arg].tensor;
    t->data = (void *)(uintptr_t)copy;
    t->storage = NULL; /* whoever made the call keeps it */
    t->offset = 0;
    walls[arg].name = call->operation->args[arg].name;
    walls[arg].data = copy;
    walls[arg].end = walls[arg].data + bytes;
    walls[arg].low = walls[arg].data - wall_bytes / 2;
    walls[arg].high = walls[arg].end + wall_bytes / 2;
}

/* Edges count against a memory limit, as all that a call needs. */
static size_t edge_of(const le_call *call, le__outputs outputs) {
    const le_options *o = &call->engine->options;
    if (call->want.memory_limit > 0 || o->memory_limit_bytes > 0 ||
        o->device_memory_limit_bytes > 0)
        return LEAST_EDGE;
    return outputs == LE__OUTPUTS_EDGED ? EDGE : WIDE_EDGE;
}

le_status le__guard_output(le_call *call, int arg, size_t bytes, le__outputs outputs) {
    if (outputs == LE__OUTPUTS_WALLED && add_walls(call, arg, bytes))
        return LE_OK;
    return add_edges(call, arg, bytes, edge_of(call, outputs));
}

const char *le__guard_fault_at(const void *address, const char **name) {
    const char *at = address;
    for (int i = 0; i < LE_MAX_ARGS; i++) {
        if (!walls[i].name || at < walls[i].low || at >= walls[i].high)
            continue;
        *name = walls[i].name;
        if (!walls[i].end)
            return at < walls[i].data ? "reached before its output" : "reached behind its output";
        return at < walls[i].data  ? "reached before its input"
               : at < walls[i].end ? "wrote to its input"
                                   : "reached behind its input";
    }
    return NULL;
}

static bool all_equal(const unsigned char *p, size_t n, unsigned char value) {
    return n == 0 || (p[0] == value && memcmp(p, p + 1, n - 1) == 0);
}

bool le__guard_watches(const le_call *call) {
    return call->outputs >= LE__OUTPUTS_EDGED;
}

bool le__guard_fills(const le_call *call) {
    return call->first || le__guard_watches(call);
}

size_t le__guard_edge_of_scratch(const le_call *call) {
    return le__guard_watches(call) ? LEAST_EDGE : 0;
}

/* Of what is larger, which may never be touched as a whole, the beginning tells enough. */
size_t le__guard_filled(size_t bytes) {
    static const size_t most = (size_t)1 << 28;
    return bytes < most ? bytes : most;
}

void le__guard_scratch(const le_call *call, void *memory, size_t bytes, size_t edge) {
    memset(memory, call->poison, le__guard_filled(bytes));
    memset((char *)memory + bytes, call->poison, edge);
}

bool le__guard_strayed(const le_call *call, const void *edge, size_t bytes) {
    return !all_equal(edge, bytes, call->poison);
}

static bool bytes_made(const le__bound_arg *b, size_t *out) {
    le_tensor t = b->tensor;
    if (b->counted)
        t.shape[0] = b->rows;
    return le__tensor_bytes(&t, out);
}

le_status le__guard_check(const le_call *call) {
    if (call->strayed)
        return le_fail(LE_ERR_WRONG_RESULT, "wrote %s", call->strayed);
    for (size_t i = 0; i < call->operation->n_args; i++) {
        const le__bound_arg *b = &call->args[i];
        size_t bytes;
        if (call->operation->args[i].type != LE_TYPE_OUT || !b->given || !b->own ||
            !bytes_made(b, &bytes))
            continue;
        const le_storage *s = b->tensor.storage;
        const unsigned char *p = s->host;
        size_t before = (size_t)b->tensor.offset * le_dtype_size(b->tensor.dtype);
        const char *name = call->operation->args[i].name;
        if (!all_equal(p, before, call->poison))
            return le_fail(LE_ERR_WRONG_RESULT, "wrote before its output '%s'", name);
        if (!all_equal(p + before + bytes, s->bytes - before - bytes, call->poison))
            return le_fail(LE_ERR_WRONG_RESULT, "wrote behind its output '%s'", name);
    }
    return LE_OK;
}
