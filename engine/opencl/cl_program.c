/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Building programs and keeping them with their kernels.
 */
#include "cl_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 1024, MAX_KEY = 2048, LOG_SHOWN = 400 };

static void (*on_building)(bool building);

void le__cl_on_building(void (*fn)(bool building)) {
    on_building = fn;
}

/* --- build log --- */

static char *build_log(const le__cl_device *d, cl_program program) {
    size_t n = 0;
    if (d->api->clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n) !=
        CL_SUCCESS)
        return NULL;
    char *log = calloc(1, n + 1);
    if (log)
        d->api->clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
    return log;
}

/* Log lines are cut at 1 KiB: the text goes out line by line. */
static void log_lines(const le__cl_device *d, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        le__log_write(&d->log, LE_LOG_DEBUG, "OpenCL build: %.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static le_status fail_build(const le__cl_device *d, cl_program program, const le_cl_source *source,
                            const char *options, cl_int code) {
    char *log = build_log(d, program);
    le__log_write(&d->log, LE_LOG_DEBUG, "OpenCL build of %s for %s with '%s' failed: %s",
                  source->name, d->name, options, le__cl_code_name(code));
    log_lines(d, log ? log : "");
    le_fail(LE_ERR_BUILD, "opencl: %s: %s.cl was not built with '%s': %s: %.*s", d->name,
            source->name, options, le__cl_code_name(code), LOG_SHOWN,
            log && *log ? log : "no build log");
    free(log);
    return LE_ERR_BUILD;
}

/* --- builds --- */

/* A group's number begins at 0 in each piece of a launch (cl_launch.c), unlike an item's. */
static const char groups_of_pieces[] =
    "#define get_group_id(d) (get_group_id(d) + get_global_offset(d) / get_local_size(d))\n"
    "#line 1\n";

static bool asks_for_size(const char *text) {
    return strstr(text, "get_global_size") || strstr(text, "get_num_groups") ||
           strstr(text, "get_global_offset") || strstr(text, "_linear_id");
}

static cl_program from_binary(le__cl_device *d, const char *key, const char *options) {
    size_t size = 0;
    unsigned char *binary = le__cl_cache_load(d->cl->cache_dir, key, &size);
    if (!binary)
        return NULL;
    const unsigned char *list = binary;
    cl_int code = CL_SUCCESS, each = CL_SUCCESS;
    cl_program p =
        d->api->clCreateProgramWithBinary(d->context, 1, &d->id, &size, &list, &each, &code);
    free(binary);
    if (p && (code != CL_SUCCESS || each != CL_SUCCESS ||
              d->api->clBuildProgram(p, 1, &d->id, options, NULL, NULL) != CL_SUCCESS)) {
        d->api->clReleaseProgram(p);
        p = NULL;
    }
    return p;
}

static void store_binary(le__cl_device *d, cl_program program, const char *key) {
    size_t size = 0;
    if (!d->cl->cache_dir ||
        d->api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *binary = malloc(size);
    if (binary && d->api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                                           NULL) == CL_SUCCESS)
        le__cl_cache_store(d->cl->cache_dir, key, binary, size, &d->log);
    free(binary);
}

static le_status from_source(le__cl_device *d, const le_cl_source *source, const char *text,
                             const char *options, cl_program *out) {
    cl_int code = CL_SUCCESS;
    const char *texts[] = {strstr(text, "get_group_id") ? groups_of_pieces : "", text};
    cl_program p = d->api->clCreateProgramWithSource(d->context, 2, texts, NULL, &code);
    if (!p)
        return le__cl_fail(d, code, "clCreateProgramWithSource");
    code = d->api->clBuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        *out = p;
        return LE_OK;
    }
    le_status status = fail_build(d, p, source, options, code);
    if (le__cl_code_status(code) != LE_ERR_UNSUPPORTED && le__cl_code_status(code) != LE_ERR_BUILD)
        status = le__cl_fail(d, code, "clBuildProgram");
    d->api->clReleaseProgram(p);
    return status;
}

static le_status build(le__cl_device *d, const le_cl_source *source, const char *options,
                       le__cl_program *out) {
    char hash[LE__KERNEL_HASH], key[MAX_KEY], all[MAX_OPTIONS + 128], *text;
    le_status status = le__cl_source_text(d->cl->cl_dir, source, &text, hash);
    if (status != LE_OK)
        return status;
    snprintf(all, sizeof all, "-cl-std=CL1.2 -DLE_CPU=%d -DLE_F64=%d %s", d->info.is_cpu,
             d->info.has_f64, options);
    snprintf(key, sizeof key, "2|%s|%s|%s|%s|%s|%s", hash, all, d->name, d->driver, d->version,
             d->platform_version);
    if (on_building)
        on_building(true);
    out->undivided = asks_for_size(text);
    out->handle = from_binary(d, key, all);
    if (!out->handle) {
        status = from_source(d, source, text, all, &out->handle);
        if (status == LE_OK)
            store_binary(d, out->handle, key); /* may compile, too */
    }
    if (on_building)
        on_building(false);
    free(text);
    return status;
}

/* --- lookups --- */

static void free_program(le__cl_device *d, le__cl_program *p) {
    for (le_cl_kernel *k = p->kernels, *next; k; k = next) {
        next = k->next;
        d->api->clReleaseKernel(k->handle);
        free(k->name);
        free(k);
    }
    if (p->handle)
        d->api->clReleaseProgram(p->handle);
    free(p->key);
    free(p);
}

void le__cl_programs_free(le__cl_device *d) {
    for (le__cl_program *p = d->programs, *next; p; p = next) {
        next = p->next;
        free_program(d, p);
    }
    d->programs = NULL;
}

static le_status find_program(le__cl_device *d, const le_cl_source *source, const char *options,
                              le__cl_program **out) {
    char hash[LE__KERNEL_HASH], key[MAX_OPTIONS + LE__KERNEL_HASH + 256];
    if (strlen(options) > MAX_OPTIONS)
        return le_fail(LE_ERR_ARGUMENT, "opencl: build options of %zu characters, at most %d",
                       strlen(options), MAX_OPTIONS);
    le__kernel_hash(source, hash);
    snprintf(key, sizeof key, "%.200s|%s|%s", source->name, hash, options);
    for (le__cl_program *p = d->programs; p; p = p->next)
        if (!strcmp(p->key, key)) {
            *out = p;
            return LE_OK;
        }
    le__cl_program *p = calloc(1, sizeof *p);
    if (p)
        p->key = strdup(key);
    le_status status = p && p->key ? build(d, source, options, p)
                                   : le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    if (status != LE_OK) {
        if (p)
            free_program(d, p);
        return status;
    }
    p->next = d->programs;
    d->programs = p;
    *out = p;
    return LE_OK;
}

static le_status add_kernel(le__cl_device *d, le__cl_program *p, const char *name,
                            le_cl_kernel **out) {
    cl_int code = CL_SUCCESS;
    le_cl_kernel *k = calloc(1, sizeof *k);
    if (k)
        k->name = strdup(name);
    if (!k || !k->name) {
        free(k);
        return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    }
    k->handle = d->api->clCreateKernel(p->handle, name, &code);
    if (!k->handle) {
        free(k->name);
        free(k);
        return le_fail(le__cl_code_status(code), "opencl: %s: kernel '%s': %s", d->name, name,
                       le__cl_code_name(code));
    }
    k->undivided = p->undivided;
    k->next = p->kernels;
    p->kernels = k;
    *out = k;
    return LE_OK;
}

le_status le__cl_program_kernel(le__cl_device *d, const le_cl_source *source, const char *kernel,
                                const char *options, le_cl_kernel **out) {
    le__cl_program *p;
    le_status status = find_program(d, source, options ? options : "", &p);
    if (status != LE_OK)
        return status;
    for (le_cl_kernel *k = p->kernels; k; k = k->next)
        if (!strcmp(k->name, kernel)) {
            *out = k;
            return LE_OK;
        }
    return add_kernel(d, p, kernel, out);
}
