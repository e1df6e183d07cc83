/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that are replaced by what was made of them: whether somebody else has done so meanwhile.
 * Nobody holds a lock on a file for as long as it takes: HDF5's readers lock files themselves.
 */
#include "files/io.h"

#include <string.h>
#include <sys/stat.h>

le__io_version le__io_version_of(const char *file) {
    struct stat info;
    if (stat(file, &info) != 0)
        return (le__io_version){0};
    return (le__io_version){.there = 1,
                            .inode = (int64_t)info.st_ino,
                            .bytes = (int64_t)info.st_size,
                            .seconds = (int64_t)info.st_mtim.tv_sec,
                            .nanoseconds = (int64_t)info.st_mtim.tv_nsec};
}

bool le__io_version_is(const le__io_version *v, const char *file) {
    const le__io_version now = le__io_version_of(file);
    return memcmp(v, &now, sizeof now) == 0;
}
