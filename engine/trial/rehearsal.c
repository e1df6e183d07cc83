/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The rehearsal, in the child of a server: a call of an operation that exists there only.
 */
#include "trial/rehearsal.h"

#include "call/candidate.h"
#include "call/engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static le_status check(le_call *call) {
    const le__scene *s = le_call_user_operation(call);
    le_status status = LE_OK;
    for (size_t i = 0; i < s->n_props && status == LE_OK; i++)
        if (s->props[i].type == LE_TYPE_OUT)
            status = le_call_set_out(call, (int)i, s->props[i].dtype, s->props[i].ndim,
                                     s->props[i].shape);
    return status;
}

static void work(const le_call *call, le_work *out) {
    (void)call;
    *out = (le_work){1, 1};
}

static le_status run(le_call *call) {
    const le__scene *s = le_call_user_operation(call);
    const le_cl_source source = {s->source, (const char *)s + s->text, s->text_bytes, NULL};
    le__cl_simple_launch launch = s->launch;
    launch.source = &source;
    launch.kernel = s->kernel;
    return le__cl_simple_launched(call, &launch);
}

static le_status play(le_engine *engine, struct le__device *device, le__scene *s) {
    const le_implementation impl = {.abi = LE_METHOD_ABI,
                                    .operation = "rehearsal",
                                    .name = "rehearsal",
                                    .run_type = "opencl",
                                    .device = LE_DEVICE_OPENCL,
                                    .run = run};
    le_arg_desc descs[LE_MAX_ARGS] = {{0}};
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE_MAX_ARGS];
    size_t n = 0;
    for (size_t i = 0; i < s->n_props; i++) {
        le__prop *p = &s->props[i];
        bool in = p->type == LE_TYPE_IN, out = p->type == LE_TYPE_OUT;
        descs[i] =
            (le_arg_desc){.name = p->name, .type = (le_arg_type)p->type, .optional = !in && !out};
        if (!in && !out)
            continue;
        descs[i].dtypes = LE_DTYPE_BIT(p->dtype);
        descs[i].min_ndim = descs[i].max_ndim = (int8_t)p->ndim;
        tensors[i].dtype = p->dtype;
        if (in)
            tensors[i] = le_tensor_of((char *)s + p->at, p->dtype, p->ndim, p->shape);
        if (in)
            args[n++] = LE_IN(p->name, &tensors[i]);
        else
            args[n++] = LE_OUT(p->name, &tensors[i]);
    }
    const le_operation op = {.abi = LE_METHOD_ABI,
                             .name = "rehearsal",
                             .args = descs,
                             .n_args = s->n_props,
                             .check = check,
                             .work = work,
                             .user = s};
    le__operation_entry entry = {.operation = &op};
    const le__candidate c = {.implementation = &impl, .device = device, .threads = 1};
    le_call *call = malloc(sizeof *call);
    le_status status = call ? le__call_bind(call, engine, &entry, args, n) : LE_ERR_MEMORY;
    if (status == LE_OK) {
        status = le__execute(call, &c, LE__OUTPUTS_GUARDED);
        le__call_unbind(call);
    }
    free(call);
    return status;
}

/* The process ends with it: what it has mapped may stay. */
void le__rehearse_here(le_engine *engine, struct le__device *device, const char *path,
                       le__trial_result *out) {
    struct stat about;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    le__scene *s = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &about) == 0)
        s = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    le_status status = s == MAP_FAILED ? le_fail(LE_ERR_UNSUPPORTED, "it cannot be rehearsed")
                                       : play(engine, device, s);
    *out = (le__trial_result){.status = status, .tested = true};
    snprintf(out->reason, sizeof out->reason, "%s", status == LE_OK ? "" : le_error_message());
}
