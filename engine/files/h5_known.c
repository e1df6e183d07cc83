/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a child process has opened without harm, so that a program that opens a dataset several
 * times pays for one: by the file itself, its state, and all words that say what is read.
 */
#include "files/h5.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { KEPT = 8, SETTLED_SECONDS = 2 };

static le__h5_known kept[KEPT]; /* under the lock */
static unsigned next;

/* Two changes within one tick of the file system's clock look like one. */
static bool is_settled(const struct stat *info) {
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 &&
           now.tv_sec - info->st_ctim.tv_sec > SETTLED_SECONDS;
}

bool le__h5_known_make(int fd, const le__io_place *place, le__h5_known *out) {
    struct stat info;
    const char *dataset = place->dataset ? place->dataset : "";
    memset(out, 0, sizeof *out);
    if (fstat(fd, &info) != 0 || !is_settled(&info) || strlen(dataset) >= sizeof out->dataset)
        return false;
    out->device = (uint64_t)info.st_dev;
    out->inode = (uint64_t)info.st_ino;
    out->bytes = info.st_size;
    out->changed[0] = info.st_ctim.tv_sec;
    out->changed[1] = info.st_ctim.tv_nsec;
    out->modified[0] = info.st_mtim.tv_sec;
    out->modified[1] = info.st_mtim.tv_nsec;
    out->n_slices = place->n_slices;
    memcpy(out->slices, place->slices, sizeof out->slices);
    strcpy(out->dataset, dataset);
    return true;
}

bool le__h5_known_has(const le__h5_known *k) {
    for (int i = 0; i < KEPT; i++)
        if (memcmp(&kept[i], k, sizeof *k) == 0)
            return true;
    return false;
}

void le__h5_known_add(const le__h5_known *k) {
    kept[next++ % KEPT] = *k;
}
