/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Libraries of formats can crash or loop on damaged files. What they do with a file that may come
 * from anyone is therefore done in a child process, before this one does it or instead.
 */
#include "files/io.h"

#include "core/clock.h"
#include "core/options.h"
#include "core/os.h"
#include "core/sanitizer.h"
#include "core/tick.h"
#include "forks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double limit_s = 30, bytes_per_s = 20e6; /* a slow disk */
static const double nap_s = 0.02;

typedef struct outcome {
    int status;
    char text[400];
} outcome;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void le__io_enter(void) {
    le__os_lock(&lock);
    le__forks_hold(LE__FORMATS);
}

void le__io_leave(void) {
    le__forks_let(LE__FORMATS);
    pthread_mutex_unlock(&lock);
}

le_status le__io_check_fork(const char *text) {
    return le__forks_broke(LE__FORMATS)
               ? le_fail(LE_ERR_UNSUPPORTED,
                         "%s: this process was forked while another thread was inside a library "
                         "for such files, which does not survive that: fork when no other thread "
                         "reads or writes, or start the process anew (spawn)",
                         text)
               : LE_OK;
}

bool le__io_trusted(void) {
    return le__options_io_trust();
}

static void quiet_death(void) {
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const struct rlimit no_core = {0, 0};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL); /* the program's own handlers are not for this */
    setrlimit(RLIMIT_CORE, &no_core);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDERR_FILENO); /* the C library reports a damaged heap there */
}

static _Noreturn void child(int to, le_status (*fn)(void *), void *context) {
    outcome o = {.text = ""};
    quiet_death();
    o.status = fn(context);
    strncpy(o.text, le_error_message(), sizeof o.text - 1);
    ssize_t n = write(to, &o, sizeof o);
    _exit(n == (ssize_t)sizeof o ? 0 : 1);
}

/* The child's outcome; false when it died without one, or with *late when the time is over, or when
 * the caller's tick ends the wait. */
static bool collect(int from, double most_s, outcome *o, bool *late) {
    le__ticker *ticker = le__ticker_here();
    const double end = le__now() + most_s;
    for (;;) {
        struct pollfd p = {.fd = from, .events = POLLIN};
        double left = end - le__now(), wait = ticker && left > nap_s ? nap_s : left;
        *late = left <= 0;
        if (*late || !le__ticker_look(ticker, NAN))
            return false;
        int n = poll(&p, 1, (int)fmin(ceil(wait * 1e3), INT_MAX));
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            return read(from, o, sizeof *o) == (ssize_t)sizeof *o;
    }
}

void *le__io_shared(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void le__io_unshare(void *memory, size_t bytes) {
    if (memory)
        munmap(memory, bytes);
}

le_status le__io_apart(const char *library, const char *text, int64_t bytes,
                       le_status (*fn)(void *), void *context) {
    return le__io_trusted() ? fn(context) : le__io_in_child(library, text, bytes, fn, context);
}

le_status le__io_in_child(const char *library, const char *text, int64_t bytes,
                          le_status (*fn)(void *), void *context) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return le_fail(LE_ERR_IO, "%s: no pipe to check the file: %s", text, strerror(errno));
    le__sanitizer_rest();
    pid_t pid = fork();
    if (pid == 0) {
        le__ticker_set(NULL);
        child(ends[1], fn, context);
    }
    close(ends[1]);
    outcome o = {.text = ""};
    bool late = false;
    le__forks_let(LE__FORMATS); /* while the child works the library is at rest here */
    bool good = pid > 0 && collect(ends[0], limit_s + (double)bytes / bytes_per_s, &o, &late);
    le__forks_hold(LE__FORMATS);
    close(ends[0]);
    if (pid < 0)
        return le_fail(LE_ERR_IO, "%s: no process to check the file: %s", text, strerror(errno));
    if (!good)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    if (!good && le__ticker_over(le__ticker_here()))
        return le__ticker_fail(text);
    if (!good)
        return le_fail(LE_ERR_IO, "%s: the file is damaged: the %s library %s on it", text, library,
                       late ? "does not end" : "crashes");
    return o.status == LE_OK ? LE_OK : le_fail((le_status)o.status, "%s", o.text);
}
