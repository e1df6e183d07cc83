/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocking the signal of a file size limit: see signals.h.
 */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void le__signals_block(le__signals *s) {
    sigset_t block;
    sigemptyset(&block);
    sigaddset(&block, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &block, &s->before);
}

void le__signals_restore(const le__signals *s) {
    int error = errno; /* of what was done meanwhile */
    if (sigismember(&s->before, SIGXFSZ) == 0) {
        sigset_t pending;
        sigemptyset(&pending);
        sigaddset(&pending, SIGXFSZ);
        while (sigtimedwait(&pending, NULL, &(struct timespec){0}) > 0)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &s->before, NULL);
    errno = error;
}
