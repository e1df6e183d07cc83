/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Program binaries on disk. A file is named by the hash of its key and holds the whole key, so a
 * collision, a damaged or a foreign file is seen and ignored: the program is then built from
 * source.
 */
#include "cl_program.h"

#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool make_folders(const char *dir) {
    char path[4096];
    size_t n = strlen(dir);
    if (n >= sizeof path)
        return false;
    for (size_t i = 1; i <= n; i++) {
        if (dir[i] != '/' && dir[i] != '\0')
            continue;
        memcpy(path, dir, i);
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

static bool write_all(FILE *f, const char *key, const unsigned char *binary, size_t size) {
    header h = {.key_size = strlen(key), .size = size, .checksum = XXH3_64bits(binary, size)};
    memcpy(h.magic, magic, sizeof magic);
    return fwrite(&h, sizeof h, 1, f) == 1 && fwrite(key, 1, (size_t)h.key_size, f) == h.key_size &&
           fwrite(binary, 1, size, f) == size;
}

static bool store(const char *path, const char *key, const unsigned char *binary, size_t size) {
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkstemp(temporary);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!f) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = write_all(f, key, binary, size);
    ok = fclose(f) == 0 && ok && rename(temporary, path) == 0;
    if (!ok)
        unlink(temporary);
    return ok;
}

void le__cl_cache_store(const char *dir, const char *key, const unsigned char *binary, size_t size,
                        const le__log *log) {
    char path[4096];
    if (!dir || size == 0 || size > MAX_BINARY || strlen(key) > 2048)
        return;
    file_name(path, sizeof path, dir, key);
    le__signals signals;
    le__signals_block(&signals);
    if (!make_folders(dir) || !store(path, key, binary, size))
        le__log_write(log, LE_LOG_DEBUG, "OpenCL: %s could not be written: %s", path,
                      strerror(errno));
    le__signals_restore(&signals);
}
