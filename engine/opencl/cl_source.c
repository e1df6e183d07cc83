/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where a kernel's text comes from: embedded by the build, or a folder while developing.
 */
#include "cl_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INCLUDES = 32, MAX_DEPTH = 8 };

typedef struct expansion {
    const char *dir;
    FILE *out;
    char done[MAX_INCLUDES][128];
    size_t n_done;
} expansion;

static FILE *open_source(const char *dir, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return fopen(path, "rb");
}

static bool is_done(const expansion *x, const char *name) {
    for (size_t i = 0; i < x->n_done; i++)
        if (!strcmp(x->done[i], name))
            return true;
    return false;
}

static le_status expand_file(expansion *x, const char *name, int depth);

/* line starts with #include "name" */
static le_status expand_include(expansion *x, const char *quoted, int depth) {
    const char *end = strchr(quoted, '"');
    size_t n = end ? (size_t)(end - quoted) : 0;
    char name[sizeof x->done[0]];
    if (n == 0 || n >= sizeof name)
        return le_fail(LE_ERR_BUILD, "opencl: an #include in %s cannot be read", x->dir);
    memcpy(name, quoted, n);
    name[n] = '\0';
    if (is_done(x, name))
        return LE_OK;
    if (x->n_done == MAX_INCLUDES || depth == MAX_DEPTH)
        return le_fail(LE_ERR_BUILD, "opencl: too many includes below %s", x->dir);
    memcpy(x->done[x->n_done++], name, n + 1);
    return expand_file(x, name, depth + 1);
}

static le_status expand_file(expansion *x, const char *name, int depth) {
    static const char include[] = "#include \"";
    FILE *f = open_source(x->dir, name);
    char *line = NULL;
    size_t room = 0;
    le_status status = LE_OK;
    while (status == LE_OK && f && getline(&line, &room, f) >= 0)
        if (!strncmp(line, include, sizeof include - 1))
            status = expand_include(x, line + sizeof include - 1, depth);
        else
            fputs(line, x->out);
    if (status == LE_OK && !(f && feof(f)))
        status = le_fail(LE_ERR_BUILD, "opencl: %s/%s cannot be read", x->dir, name);
    free(line);
    if (f)
        fclose(f);
    return status;
}

static le_status no_memory(void) {
    return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
}

static le_status expand(const char *cl_dir, const char *name, char **text, size_t *size) {
    expansion x = {.dir = cl_dir, .out = open_memstream(text, size)};
    if (!x.out)
        return no_memory();
    le_status status = expand_file(&x, name, 0);
    if (fclose(x.out) != 0 && status == LE_OK)
        status = no_memory();
    if (status == LE_OK && !*size)
        status = le_fail(LE_ERR_BUILD, "opencl: %s/%s is empty", cl_dir, name);
    return status;
}

le_status le__cl_source_text(const char *cl_dir, const le_cl_source *source, char **text,
                             char hash[LE__KERNEL_HASH]) {
    char name[256];
    size_t size;
    snprintf(name, sizeof name, "%s.cl", source->name);
    FILE *own = cl_dir ? open_source(cl_dir, name) : NULL;
    *text = NULL;
    if (!own) {
        le__kernel_hash(source, hash);
        *text = strndup(source->text, source->size);
        return *text ? LE_OK : no_memory();
    }
    fclose(own);
    le_status status = expand(cl_dir, name, text, &size);
    if (status == LE_OK)
        le__kernel_hash(&(le_cl_source){.text = *text, .size = size}, hash);
    else
        free(*text);
    return status;
}
