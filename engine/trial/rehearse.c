/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Asking for rehearsals: a launch is laid into memory that has a name.
 */
#include "trial/rehearse.h"

#include "call/engine.h"
#include "call/tensor.h"
#include "core/os.h"
#include "trial/rehearsal.h"
#include "trial/trial_server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool le__can_be_rehearsed(const le__candidate *c) {
    return c->device->kind == LE_DEVICE_OPENCL && c->implementation->run == le_cl_run_simple;
}

static size_t reserve(le__scene *s, size_t bytes) {
    size_t at = s->bytes;
    s->bytes += (bytes + 63) / 64 * 64;
    return at;
}

static le_status describe(le__scene *s, le_call *call) {
    *s = (le__scene){.n_props = call->operation->n_args};
    reserve(s, sizeof *s);
    le_status status = le__cl_simple_prepare(call, &s->launch);
    if (status != LE_OK)
        return status;
    snprintf(s->source, sizeof s->source, "%s", s->launch.source->name);
    snprintf(s->kernel, sizeof s->kernel, "%s", s->launch.kernel);
    s->text_bytes = s->launch.source->size;
    s->text = reserve(s, s->text_bytes + 1);
    for (size_t i = 0; i < s->n_props; i++) {
        const le_tensor *t = &call->args[i].tensor;
        le_arg_type type = call->operation->args[i].type;
        bool tensor = le__call_has_tensor(call, i);
        le__prop *p = &s->props[i];
        snprintf(p->name, sizeof p->name, "%zu", i);
        p->type = (int8_t)(tensor ? type : LE_TYPE_F64);
        if (!tensor)
            continue;
        p->dtype = t->dtype;
        p->ndim = t->ndim;
        memcpy(p->shape, t->shape, sizeof p->shape);
        p->at = type == LE_TYPE_IN ? reserve(s, (size_t)le__tensor_size(t)) : 0;
    }
    return LE_OK;
}

/* The memory's descriptor; -1: there is none. path: its name for other processes. */
static int lay_out(const le__scene *s, const le_call *call, char *path, size_t size) {
    int fd = le__os_memory_file(s->bytes, path, size);
    void *memory =
        fd < 0 ? MAP_FAILED : mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    char *to = memory;
    memcpy(to, s, sizeof *s);
    memcpy(to + s->text, s->launch.source->text, s->text_bytes);
    for (size_t i = 0; i < s->n_props; i++)
        if (s->props[i].type == LE_TYPE_IN)
            le__tensor_pack(to + s->props[i].at, &call->args[i].tensor);
    munmap(memory, s->bytes);
    return fd;
}

static bool ask(le__trial_server *server, le__scene *s, le_call *call, const le__candidate *c,
                const le_call *like, le__trial_result *out) {
    char path[64];
    le_status status = describe(s, call);
    int fd = status == LE_OK ? lay_out(s, call, path, sizeof path) : -1;
    if (fd < 0) /* it fails here in the same way, or is nothing that can crash */
        return true;
    bool tried = le__trial_server_try(server, call->entry, c, like, path, INFINITY, out);
    close(fd);
    return !tried || (out->status == LE_OK && !out->pending);
}

bool le__rehearse(le__trial_server *server, le__operation_entry *entry, const le__candidate *c,
                  const le_call *like, const le_case *sample, le__trial_result *out) {
    le_call *call = malloc(sizeof *call);
    le__scene *s = malloc(sizeof *s);
    bool fine = true;
    if (call && s && le__call_bind(call, like->engine, entry, sample->args, sample->n) == LE_OK) {
        call->implementation = c->implementation;
        memcpy(call->params, c->params, sizeof call->params);
        fine = ask(server, s, call, c, like, out);
        le__call_unbind(call);
    }
    free(s);
    free(call);
    return fine;
}
