/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The volume of a file as an argument, and where the library's own cube is.
 */
#include "bench_volume.h"

#include "liquid_engine/le_io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "volume"

bool bench_takes_volume(const le_operation *op) {
    for (size_t i = 0; i < op->n_args; i++)
        if (!strcmp(op->args[i].name, NAME))
            return op->args[i].type == LE_TYPE_IN && op->args[i].min_ndim <= 3 &&
                   op->args[i].max_ndim >= 3;
    return false;
}

static bool read_volume(bench_volume *v, le_engine *engine, const char *place) {
    char shape[128];
    const le_io_options options = {.struct_size = sizeof options, .dtypes = LE_DTYPES_ALL};
    if (le_io_read(engine, place, &options, &v->tensor) != LE_OK) {
        bench_say_error();
        return false;
    }
    le_tensor_describe(&v->tensor, shape, sizeof shape);
    bool fits = v->tensor.ndim == 3 && le_tensor_count(&v->tensor) > 0;
    if (!fits)
        tool_message("%s is %s, expected samples on three axes", place, shape);
    return fits;
}

static int64_t least_edge(const le_tensor *t) {
    int64_t least = t->shape[0];
    for (int a = 1; a < t->ndim; a++)
        least = t->shape[a] < least ? t->shape[a] : least;
    return least;
}

bool bench_volume_make(bench_volume *v, le_engine *engine, const char *operation, const char *place,
                       uint64_t seed) {
    *v = (bench_volume){0};
    const le_operation *op = le_engine_operation(engine, operation);
    if (!op || !bench_takes_volume(op)) {
        tool_message("%s takes no " NAME ", --volume cannot be given", operation);
        return false;
    }
    if (!read_volume(v, engine, place))
        return false;
    const le_case_request request = {.kind = LE_CASE_BENCH,
                                     .seed = seed,
                                     .size = least_edge(&v->tensor),
                                     .dtype = v->tensor.dtype};
    if (le_sample_make(&v->sample, engine, operation, &request) != LE_OK) {
        bench_say_error();
        return false;
    }
    const le_arg *typical = le_sample_args(v->sample, &v->n_args);
    memcpy(v->args, typical, v->n_args * sizeof *v->args);
    for (size_t i = 0; i < v->n_args; i++)
        if (v->args[i].name && !strcmp(v->args[i].name, NAME))
            v->args[i].value.in = &v->tensor;
    return true;
}

void bench_volume_free(bench_volume *v) {
    le_sample_free(&v->sample);
    le_tensor_free(&v->tensor);
}

const char *bench_default_volume(char out[PATH_MAX]) {
    static const char *const beside[] = {
        LE_DATA_FROM_BIN "/" LE_EXAMPLE_CUBE, "../examples/data/" LE_EXAMPLE_CUBE,
        "../../examples/data/" LE_EXAMPLE_CUBE, "../../../examples/data/" LE_EXAMPLE_CUBE};
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return NULL;
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", program, beside[i]);
        if (realpath(path, out) && access(out, R_OK) == 0)
            return out;
    }
    return NULL;
}
