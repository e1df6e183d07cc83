/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Markers: a process is its number and its time of start, within one start of one machine's system
 * and one container.
 */
#include "choose/marker.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char form[] = "begun by process %ld, started at %lld, in %" PRIx64;

static size_t read_file(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* In ticks since the machine's start; 0: there is no such process, or only its exit status. */
static long long start_of(long pid) {
    enum { FIELDS_BETWEEN = 20 }; /* the state, which follows the name, and the time */
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_file(path, text, sizeof text);
    const char *at = strrchr(text, ')'); /* names may have spaces */
    if (at && strchr("ZX", at[2]))
        return 0;
    for (int i = 0; at && i < FIELDS_BETWEEN; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

/* Where numbers of processes mean the same. */
static uint64_t realm(void) {
    char text[256];
    size_t n = read_file("/proc/sys/kernel/random/boot_id", text, 64);
    ssize_t m = readlink("/proc/self/ns/pid", text + n, sizeof text - n);
    return XXH64(text, n + (m > 0 ? (size_t)m : 0), 0);
}

void le__marker_write(char *out, size_t size) {
    long pid = (long)getpid();
    snprintf(out, size, form, pid, start_of(pid), realm());
}

le__marker le__marker_read(const char *text) {
    long pid;
    long long start;
    uint64_t where;
    if (!text || sscanf(text, "begun by process %ld, started at %lld, in %" SCNx64, &pid, &start,
                        &where) != 3)
        return LE__MARKER_NONE;
    if (where != realm())
        return LE__MARKER_FOREIGN;
    return start_of(pid) == start ? LE__MARKER_ALIVE : LE__MARKER_DEAD;
}
