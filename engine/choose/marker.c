/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Markers: a process is its number and its time of start, within one start of one machine's system
 * and one container.
 */
#include "choose/marker.h"

#include "core/os.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char unseen[] = "not seen to end";
static const char form[] = "begun by process %ld, started at %lld, in %" PRIx64;

static uint64_t realm(void) {
    char text[256];
    return XXH64(text, le__os_realm(text, sizeof text), 0);
}

void le__marker_write(char *out, size_t size) {
    long pid = (long)getpid();
    snprintf(out, size, form, pid, le__os_process_start(pid), realm());
}

void le__marker_write_unseen(char *out, size_t size) {
    snprintf(out, size, "%s", unseen);
}

le__marker le__marker_read(const char *text) {
    long pid;
    long long start;
    uint64_t where;
    if (text && !strcmp(text, unseen))
        return LE__MARKER_UNSEEN;
    if (!text || sscanf(text, "begun by process %ld, started at %lld, in %" SCNx64, &pid, &start,
                        &where) != 3)
        return LE__MARKER_NONE;
    if (where != realm())
        return LE__MARKER_FOREIGN;
    return le__os_process_start(pid) == start ? LE__MARKER_ALIVE : LE__MARKER_DEAD;
}
