/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the ranks of a call are given alike: a rank that is given anything else than rank 0 says
 * what.
 */
#include "job.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

enum { OPERATION, NUMBER, IN, OUT, FACTORS, FIRST_ARGUMENT, MOST = FIRST_ARGUMENT + LE__MOST_ARGS };

/* --------------------------------------------------------------------- operation, arguments -- */

static uint64_t hash_text(uint64_t h, const char *text) {
    return text ? XXH64(text, strlen(text), h) : h;
}

static uint64_t hash_option(uint64_t h, const le_arg *a) {
    switch (a->option) {
    case LE_OPTION_IMPLEMENTATION:
    case LE_OPTION_RUN_TYPE:
    case LE_OPTION_DEVICE:
        return hash_text(h, a->value.str);
    case LE_OPTION_RTOL:
    case LE_OPTION_ATOL:
        return XXH64(&a->value.f64, sizeof a->value.f64, h);
    case LE_OPTION_TICK:
        return h;
    default:
        return XXH64(&a->value.i64, sizeof a->value.i64, h);
    }
}

/* Of tensors no more than that there is one. */
static uint64_t hash_arg(uint64_t h, const le_arg *a) {
    h = XXH64(a->name ? a->name : "", a->name ? strlen(a->name) : 0, h);
    h = XXH64(&a->kind, sizeof a->kind, h);
    switch (a->kind) {
    case LE_KIND_F64:
        return XXH64(&a->value.f64, sizeof a->value.f64, h);
    case LE_KIND_I64:
        return XXH64(&a->value.i64, sizeof a->value.i64, h);
    case LE_KIND_STR:
        return hash_text(h, a->value.str);
    case LE_KIND_F64S:
        return a->value.f64s ? XXH64(a->value.f64s, a->count * sizeof *a->value.f64s, h) : h;
    case LE_KIND_OPTION:
        return hash_option(XXH64(&a->option, sizeof a->option, h), a);
    default:
        return h;
    }
}

static uint64_t hash_factors(const le_mpi_options *o) {
    return o->factors ? XXH64(o->factors, o->n_factors * sizeof *o->factors, 1) : 0;
}

static const char *where_name(uint64_t where) {
    return where == LE_MPI_ROOT ? "LE_MPI_ROOT" : where == LE_MPI_ALL ? "LE_MPI_ALL" : "unknown";
}

static const char *option_name(int option) {
    static const char *const names[] = {[LE_OPTION_RTOL] = "LE_OPT_RTOL",
                                        [LE_OPTION_ATOL] = "LE_OPT_ATOL",
                                        [LE_OPTION_RUN_TYPE] = "LE_OPT_RUN_TYPE",
                                        [LE_OPTION_IMPLEMENTATION] = "LE_OPT_IMPLEMENTATION",
                                        [LE_OPTION_DEVICE] = "LE_OPT_DEVICE",
                                        [LE_OPTION_MODE] = "LE_OPT_MODE",
                                        [LE_OPTION_OBJECTIVE] = "LE_OPT_OBJECTIVE",
                                        [LE_OPTION_MEMORY_LIMIT] = "LE_OPT_MEMORY_LIMIT",
                                        [LE_OPTION_REPRODUCIBLE] = "LE_OPT_REPRODUCIBLE",
                                        [LE_OPTION_KEEP_ON_DEVICE] = "LE_OPT_KEEP_ON_DEVICE",
                                        [LE_OPTION_TICK] = "LE_OPT_TICK"};
    const bool known = option > 0 && (size_t)option < sizeof names / sizeof *names;
    return known && names[option] ? names[option] : "an unknown option";
}

static le_status fail_arg(const le__job *j, size_t k) {
    const le_arg *a = &j->args[k];
    if (a->kind == LE_KIND_OPTION)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument number %zu, %s, is not that of rank 0",
                       j->op->name, k + 1, option_name(a->option));
    return le_fail(LE_ERR_ARGUMENT, "%s: argument number %zu, '%s', is not that of rank 0",
                   j->op->name, k + 1, a->name ? a->name : "");
}

static le_status fail_where(const le__job *j, const char *what, uint64_t own, uint64_t root) {
    return le_fail(LE_ERR_ARGUMENT, "%s: le_mpi_options.%s is %s, and %s on rank 0", j->op->name,
                   what, where_name(own), where_name(root));
}

static le_status compare(const le__job *j, const uint64_t *own, const uint64_t *root) {
    if (own[OPERATION] != root[OPERATION])
        return le_fail(LE_ERR_ARGUMENT, "%s: the operation is not that of rank 0", j->op->name);
    if (own[NUMBER] != root[NUMBER])
        return le_fail(LE_ERR_ARGUMENT, "%s: %d arguments are given, and %d on rank 0", j->op->name,
                       (int)own[NUMBER], (int)root[NUMBER]);
    for (size_t k = 0; k < j->n_args; k++)
        if (own[FIRST_ARGUMENT + k] != root[FIRST_ARGUMENT + k])
            return fail_arg(j, k);
    if (own[IN] != root[IN])
        return fail_where(j, "in", own[IN], root[IN]);
    if (own[OUT] != root[OUT])
        return fail_where(j, "out", own[OUT], root[OUT]);
    if (own[FACTORS] != root[FACTORS])
        return le_fail(LE_ERR_ARGUMENT, "%s: le_mpi_options.factors are not those of rank 0",
                       j->op->name);
    return LE_OK;
}

le_status le__agree_arguments(le__job *j) {
    uint64_t own[MOST] = {0}, root[MOST];
    own[OPERATION] = j->hash = hash_text(0, j->op->name);
    own[NUMBER] = j->n_args;
    own[IN] = (uint64_t)j->options.in;
    own[OUT] = (uint64_t)j->options.out;
    own[FACTORS] = hash_factors(&j->options);
    for (size_t k = 0; k < j->n_args; k++) {
        own[FIRST_ARGUMENT + k] = hash_arg(0, &j->args[k]);
        j->hash = hash_arg(j->hash, &j->args[k]);
    }
    memcpy(root, own, sizeof root);
    le__world_broadcast(&j->world, root, sizeof root);
    return le__world_agree(&j->world, compare(j, own, root));
}

/* ----------------------------------------------------------------------------------- tensors -- */

static bool are_alike(const le_tensor *a, const le_tensor *b) {
    bool alike = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int i = 0; alike && i < a->ndim && i < LE_MAX_DIMS; i++)
        alike = a->shape[i] == b->shape[i];
    return alike;
}

le_tensor le__agree_form(const le__job *j, const le_tensor *own) {
    le_tensor root = *own;
    root.data = NULL;
    root.storage = NULL;
    le__world_broadcast(&j->world, &root, sizeof root);
    return root;
}

le_status le__agree_tensor(const le__job *j, size_t arg, const le_tensor *own) {
    char here[128], there[128];
    const le_tensor root = le__agree_form(j, own);
    if (are_alike(own, &root))
        return LE_OK;
    le_tensor_describe(own, here, sizeof here);
    le_tensor_describe(&root, there, sizeof there);
    return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is %s, and %s on rank 0", j->op->name,
                   j->op->args[arg].name, here, there);
}
