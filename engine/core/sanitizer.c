/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Waiting for a moment at which builds with a sanitizer may fork.
 */
#include "core/sanitizer.h"

#include "core/os.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool sleeps(void *context, const char *folder, const char *thread) {
    char path[128], text[128];
    bool *sleep = context;
    snprintf(path, sizeof path, "%s/%.16s/stat", folder, thread);
    int fd = atoi(thread) == gettid() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    *sleep = n <= 0 || strstr(text, ") S ") != NULL; /* "number (name) state ..." */
    return *sleep;
}

static bool others_sleep(void) {
    bool sleep = true;
    le__os_threads(getpid(), sleeps, &sleep);
    return sleep;
}

void le__sanitizer_rest(void) {
    for (int i = 0; LE__SANITIZED && i < 1000 && !others_sleep(); i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}
