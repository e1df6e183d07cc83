/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Versions of code.
 */
#include "call/source.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct object { /* a program or library in this process */
    uintptr_t address;  /* in it */
    char *hash;
} object;

static void write_hash(char *out, char kind, const void *data, size_t size) {
    snprintf(out, LE__SOURCE_HASH, "%c%016" PRIx64, kind, (uint64_t)XXH64(data, size, 0));
}

static bool is_inside(const struct dl_phdr_info *info, uintptr_t address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
            return true;
    }
    return false;
}

static size_t rounded(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

/* Contents of the note with the build ID, within one segment of notes. */
static const char *find_build_id(const char *at, size_t size, size_t align, size_t *n) {
    ElfW(Nhdr) note;
    for (const char *end = at + size; (size_t)(end - at) >= sizeof note;) {
        memcpy(&note, at, sizeof note);
        const char *name = at + sizeof note;
        size_t name_bytes = rounded(note.n_namesz, align);
        size_t bytes = sizeof note + name_bytes + rounded(note.n_descsz, align);
        if (bytes > (size_t)(end - at))
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
            *n = note.n_descsz;
            return name + name_bytes;
        }
        at += bytes;
    }
    return NULL;
}

static bool hash_build_id(const struct dl_phdr_info *info, char *out) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        size_t n;
        const char *notes, *id;
        if (p->p_type != PT_NOTE)
            continue;
        memcpy(&notes, &at, sizeof notes);
        id = find_build_id(notes, p->p_memsz, p->p_align == 8 ? 8 : 4, &n);
        if (id) {
            write_hash(out, 'b', id, n);
            return true;
        }
    }
    return false;
}

static void hash_file(const char *path, char *out) {
    struct stat about;
    if (stat(*path ? path : "/proc/self/exe", &about) != 0)
        return;
    const int64_t parts[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
    write_hash(out, 'f', parts, sizeof parts);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    object *o = context;
    (void)size;
    if (!is_inside(info, o->address))
        return 0;
    if (!hash_build_id(info, o->hash))
        hash_file(info->dlpi_name, o->hash);
    return 1;
}

void le__source_hash(const le_implementation *impl, char out[LE__SOURCE_HASH]) {
    object o = {.hash = out};
    out[0] = '\0';
    if (impl->source) {
        write_hash(out, 's', impl->source, strlen(impl->source));
        return;
    }
    if (impl->range)
        memcpy(&o.address, &impl->range, sizeof o.address);
    else
        memcpy(&o.address, &impl->run, sizeof o.address);
    dl_iterate_phdr(look_at, &o);
}
