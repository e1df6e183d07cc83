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
    char *text;
    size_t size, capacity;
    char done[MAX_INCLUDES][128];
    size_t n_done;
} expansion;

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = NULL;
    long end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (end >= 0 && fseek(f, 0, SEEK_SET) == 0)
        text = malloc((size_t)end + 1);
    if (text) {
        *size = fread(text, 1, (size_t)end, f);
        text[*size] = '\0';
    }
    fclose(f);
    return text;
}

static bool append(expansion *x, const char *text, size_t size) {
    if (x->size + size + 1 > x->capacity) {
        size_t capacity = 2 * x->capacity + size + 1024;
        char *grown = realloc(x->text, capacity);
        if (!grown)
            return false;
        x->text = grown;
        x->capacity = capacity;
    }
    memcpy(x->text + x->size, text, size);
    x->size += size;
    x->text[x->size] = '\0';
    return true;
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

static le_status expand_text(expansion *x, const char *text, int depth) {
    static const char include[] = "#include \"";
    le_status status = LE_OK;
    while (*text && status == LE_OK) {
        size_t n = strcspn(text, "\n");
        n += text[n] == '\n';
        if (!strncmp(text, include, sizeof include - 1))
            status = expand_include(x, text + sizeof include - 1, depth);
        else if (!append(x, text, n))
            status = le_fail(LE_ERR_MEMORY, "opencl: out of memory");
        text += n;
    }
    return status;
}

static le_status expand_file(expansion *x, const char *name, int depth) {
    char path[4096];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", x->dir, name);
    char *text = read_file(path, &size);
    if (!text)
        return le_fail(LE_ERR_BUILD, "opencl: %s cannot be read", path);
    le_status status = expand_text(x, text, depth);
    free(text);
    return status;
}

static bool on_disk(const char *cl_dir, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", cl_dir, name);
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f != NULL;
}

le_status le__cl_source_text(const char *cl_dir, const le_cl_source *source, char **text,
                             char hash[LE__KERNEL_HASH]) {
    char name[256];
    snprintf(name, sizeof name, "%s.cl", source->name);
    if (!cl_dir || !on_disk(cl_dir, name)) {
        le__kernel_hash(source, hash);
        *text = strndup(source->text, source->size);
        return *text ? LE_OK : le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    }
    expansion x = {.dir = cl_dir};
    le_status status = expand_file(&x, name, 0);
    if (status == LE_OK && !x.text)
        status = le_fail(LE_ERR_BUILD, "opencl: %s/%s is empty", cl_dir, name);
    if (status != LE_OK) {
        free(x.text);
        return status;
    }
    le__kernel_hash(&(le_cl_source){.text = x.text, .size = x.size}, hash);
    *text = x.text;
    return LE_OK;
}
