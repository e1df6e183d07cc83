/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Waiting for a moment at which builds with a sanitizer may fork.
 */
#include "core/sanitizer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool others_sleep(void) {
    DIR *threads = opendir("/proc/self/task");
    bool sleep = true;
    for (struct dirent *t; threads && sleep && (t = readdir(threads)) != NULL;) {
        char path[64], text[128];
        if (t->d_name[0] == '.' || atoi(t->d_name) == gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", t->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        text[n > 0 ? n : 0] = '\0';
        sleep = n <= 0 || strstr(text, ") S ") != NULL; /* "number (name) state ..." */
    }
    if (threads)
        closedir(threads);
    return sleep;
}

void le__sanitizer_rest(void) {
    for (int i = 0; LE__SANITIZED && i < 1000 && !others_sleep(); i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}
