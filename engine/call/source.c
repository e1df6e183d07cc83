/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Versions of code.
 */
#include "call/source.h"

#include "core/os.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void write_hash(char *out, char kind, const void *data, size_t size) {
    snprintf(out, LE__SOURCE_HASH, "%c%016" PRIx64, kind, (uint64_t)XXH64(data, size, 0));
}

static void hash_file(const char *path, char *out) {
    struct stat about;
    if (stat(path, &about) != 0)
        return;
    const int64_t parts[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
    write_hash(out, 'f', parts, sizeof parts);
}

void le__object_hash(void (*function)(void), char out[LE__SOURCE_HASH]) {
    le__os_object o;
    uintptr_t address;
    memcpy(&address, &function, sizeof address);
    out[0] = '\0';
    if (!le__os_object_at(address, &o))
        return;
    if (o.n_id)
        write_hash(out, 'b', o.id, o.n_id);
    else
        hash_file(o.path, out);
}

void le__source_hash(const le_implementation *impl, char out[LE__SOURCE_HASH]) {
    if (impl->source)
        write_hash(out, 's', impl->source, strlen(impl->source));
    else
        le__object_hash(impl->range ? (void (*)(void))impl->range : (void (*)(void))impl->run, out);
}

void le__kernel_hash(const le_cl_source *source, char out[LE__KERNEL_HASH]) {
    if (source->sha256 && *source->sha256) {
        snprintf(out, LE__KERNEL_HASH, "%s", source->sha256);
        return;
    }
    const XXH128_hash_t h = XXH3_128bits(source->text, source->size);
    snprintf(out, LE__KERNEL_HASH, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
             (uint64_t)h.low64);
}
