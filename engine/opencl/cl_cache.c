/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Program binaries on disk. A file is named by the hash of its key and holds the whole key, so a
 * collision, a damaged or a foreign file is seen and ignored: the program is then built from
 * source.
 */
#include "cl_program.h"

#include "outfile.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct header {
    char magic[8];
    uint64_t key_size, size, checksum; /* of the binary */
} header;

static const char magic[8] = "LECL001";
enum { MAX_BINARY = 1 << 28 };

char *le__cl_cache_dir(const char *given) {
    char path[4096];
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (given)
        return *given ? strdup(given) : NULL;
    if (xdg && *xdg == '/') /* the specification: relative paths are ignored */
        snprintf(path, sizeof path, "%s/liquid_engine/cl", xdg);
    else if (home && *home == '/')
        snprintf(path, sizeof path, "%s/.cache/liquid_engine/cl", home);
    else
        return NULL;
    return strdup(path);
}

static void file_name(char *out, size_t size, const char *dir, const char *key) {
    XXH128_hash_t h = XXH3_128bits(key, strlen(key));
    snprintf(out, size, "%s/%016llx%016llx.bin", dir, (unsigned long long)h.high64,
             (unsigned long long)h.low64);
}

static bool read_exactly(FILE *f, void *out, size_t size) {
    return fread(out, 1, size, f) == size;
}

static unsigned char *load_checked(FILE *f, const char *key, size_t *size) {
    header h;
    char stored[2048];
    size_t n = strlen(key);
    if (!read_exactly(f, &h, sizeof h) || memcmp(h.magic, magic, sizeof magic) != 0 ||
        h.key_size != n || n > sizeof stored || h.size == 0 || h.size > MAX_BINARY ||
        !read_exactly(f, stored, n) || memcmp(stored, key, n) != 0)
        return NULL;
    size_t bytes = (size_t)h.size;
    unsigned char *binary = malloc(bytes);
    if (binary && read_exactly(f, binary, bytes) && XXH3_64bits(binary, bytes) == h.checksum) {
        *size = bytes;
        return binary;
    }
    free(binary);
    return NULL;
}

unsigned char *le__cl_cache_load(const char *dir, const char *key, size_t *size) {
    char path[4096];
    if (!dir)
        return NULL;
    file_name(path, sizeof path, dir, key);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    unsigned char *binary = load_checked(f, key, size);
    fclose(f);
    return binary;
}

/* 0 or an errno. */
static int store(char *path, const char *key, const unsigned char *binary, size_t size) {
    header h = {.key_size = strlen(key), .size = size, .checksum = XXH3_64bits(binary, size)};
    memcpy(h.magic, magic, sizeof magic);
    le__outfile f = {.fd = -1};
    int error = le__outfile_folders(path, 0700);
    if (!error)
        error = le__outfile_open(&f, path, false);
    if (!error)
        error = le__outfile_write(f.fd, &h, sizeof h);
    if (!error)
        error = le__outfile_write(f.fd, key, strlen(key));
    if (!error)
        error = le__outfile_write(f.fd, binary, size);
    f.on_disk = true; /* its checksum is looked at */
    if (!error)
        return le__outfile_commit(&f);
    le__outfile_abandon(&f);
    return error;
}

void le__cl_cache_store(const char *dir, const char *key, const unsigned char *binary, size_t size,
                        const le__log *log) {
    char path[4096];
    if (!dir || size == 0 || size > MAX_BINARY || strlen(key) > 2048)
        return;
    file_name(path, sizeof path, dir, key);
    le__signals signals;
    le__signals_block(&signals);
    int error = store(path, key, binary, size);
    if (error)
        le__log_write(log, LE_LOG_DEBUG, "OpenCL: %s could not be written: %s", path,
                      strerror(error));
    le__signals_restore(&signals);
}
