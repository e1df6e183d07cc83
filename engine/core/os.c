/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Linux, with glibc or another C library.
 */
#include "core/os.h"

#include "core/sanitizer.h"
#include "numbers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#define GLIBC(major, minor) __GLIBC_PREREQ(major, minor)
#else
#define GLIBC(major, minor) 0
#endif

/* --- this process --- */

size_t le__os_heap_bytes(void) {
#if GLIBC(2, 33) /* before, mallinfo counted in int */
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

static size_t read_file(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

int64_t le__os_address_space(void) {
    char text[64];
    if (LE__SANITIZED)
        return 0;
    read_file("/proc/self/statm", text, sizeof text);
    return (int64_t)strtol(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

void le__os_limit_memory(int64_t room) {
    const int64_t has = le__os_address_space();
    struct rlimit as;
    if (has <= 0 || getrlimit(RLIMIT_AS, &as) != 0)
        return;
    const rlim_t most = (rlim_t)(has + room);
    if (as.rlim_cur != RLIM_INFINITY && as.rlim_cur <= most)
        return;
    as.rlim_cur = as.rlim_max = most;
    setrlimit(RLIMIT_AS, &as);
}

enum { SHARED = 8 };
static uint32_t forks; /* between the first process that asked and this one */
static _Atomic(pthread_mutex_t *) shared[SHARED];

static void count_fork(void) {
    forks++;
    for (int i = 0; i < SHARED && shared[i]; i++)
        pthread_mutex_init(shared[i], NULL);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, count_fork);
}

uint32_t le__os_process(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return forks;
}

void le__os_lock(pthread_mutex_t *mutex) {
    le__os_process(); /* watches forks */
    for (int i = 0; i < SHARED && shared[i] != mutex; i++) {
        pthread_mutex_t *none = NULL;
        if (atomic_compare_exchange_strong(&shared[i], &none, mutex) || none == mutex)
            break;
    }
    pthread_mutex_lock(mutex);
}

#if defined MADV_HUGEPAGE || defined MADV_FREE
/* To those of the pages of this size that lie within the memory. */
static bool advise(void *memory, size_t bytes, uintptr_t page, int what) {
    const uintptr_t low = ((uintptr_t)memory + page - 1) & ~(page - 1),
                    high = ((uintptr_t)memory + bytes) & ~(page - 1);
    return high > low &&
           madvise((char *)memory + (low - (uintptr_t)memory), high - low, what) == 0;
}
#endif

void le__os_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    advise(memory, bytes, (uintptr_t)2 << 20, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

bool le__os_lend_pages(void *memory, size_t bytes) {
#ifdef MADV_FREE
    return advise(memory, bytes, (uintptr_t)sysconf(_SC_PAGESIZE), MADV_FREE);
#else
    (void)memory;
    (void)bytes;
    return false;
#endif
}

void le__os_end_with_parent(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void le__os_adopt_orphans(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void le__os_forget_output(void) {
    __fpurge(stdout);
}

/* A server of files is not asked. */
static bool identify(int fd, uint64_t *device, uint64_t *number) {
#ifdef STATX_INO
    struct statx x;
    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &x) == 0) {
        *device = (uint64_t)x.stx_dev_major << 32 | x.stx_dev_minor;
        *number = x.stx_ino;
        return true;
    }
#endif
    struct stat s;
    if (fstat(fd, &s) != 0)
        return false;
    *device = s.st_dev;
    *number = s.st_ino;
    return true;
}

uint64_t le__os_open_file(int fd) {
    uint64_t is[3] = {0};
    if (!identify(fd, &is[0], &is[1]))
        return 0;
    is[2] = (uint64_t)(fcntl(fd, F_GETFL) & O_ACCMODE) | (uint64_t)fcntl(fd, F_GETFD) << 32;
    uint64_t hash = XXH64(is, sizeof is, 0);
    return hash ? hash : 1;
}

int le__os_timers(void) {
    char line[128];
    int n = 0;
    FILE *timers = fopen("/proc/self/timers", "re");
    while (timers && fgets(line, sizeof line, timers))
        n += !strncmp(line, "ID:", 3);
    if (timers)
        fclose(timers);
    return n;
}

void le__os_close_files(int keep_fd) {
#if GLIBC(2, 34)
    if (keep_fd > 3)
        close_range(3, (unsigned)keep_fd - 1, 0);
    close_range((unsigned)keep_fd + 1, ~0u, 0);
#else
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < most; fd++)
        if (fd != keep_fd)
            close(fd);
#endif
}

/* --- processors --- */

int le__os_cpu(void) {
    return sched_getcpu();
}

void le__os_leave_cpu(pthread_t thread, int cpu) {
    cpu_set_t all, others;
    if (cpu < 0 || cpu >= CPU_SETSIZE || pthread_getaffinity_np(thread, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR((size_t)cpu, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0)
        pthread_setaffinity_np(thread, sizeof all, &all);
}

/* --- other processes --- */

long long le__os_process_start(long pid) {
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

size_t le__os_realm(char *text, size_t size) {
    size_t n = read_file("/proc/sys/kernel/random/boot_id", text, size < 64 ? size : 64);
    ssize_t m = readlink("/proc/self/ns/pid", text + n, size - n);
    return n + (m > 0 ? (size_t)m : 0);
}

void le__os_threads(long pid, le__os_thread_fn see, void *context) {
    char folder[64];
    _Alignas(struct dirent64) char entries[4096];
    snprintf(folder, sizeof folder, "/proc/%ld/task", pid);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool more = true;
    ssize_t n;
    while (fd >= 0 && more && (n = getdents64(fd, entries, sizeof entries)) > 0)
        for (ssize_t i = 0; i < n && more;) {
            const struct dirent64 *d = (const struct dirent64 *)(entries + i);
            if (d->d_name[0] != '.')
                more = see(context, folder, d->d_name);
            i += d->d_reclen;
        }
    if (fd >= 0)
        close(fd);
}

static double waited_by(const char *folder, const char *thread) {
    char path[128], text[96];
    snprintf(path, sizeof path, "%s/%.16s/schedstat", folder, thread);
    read_file(path, text, sizeof text);
    const char *delay = strchr(text, ' '); /* "running waiting slices", in nanoseconds */
    return delay ? 1e-9 * le__number_parse(delay, NULL) : 0;
}

static bool starved_thread(void *context, const char *folder, const char *thread) {
    double *most = context;
    *most = fmax(*most, waited_by(folder, thread));
    return true;
}

double le__os_starved(long pid) {
    double most = 0; /* drivers compile in threads of their own */
    le__os_threads(pid, starved_thread, &most);
    return most;
}

static bool waiting_thread(void *context, const char *folder, const char *thread) {
    double *sum = context;
    *sum += waited_by(folder, thread);
    return true;
}

double le__os_waited(void) {
    double sum = 0;
    le__os_threads(getpid(), waiting_thread, &sum);
    return sum;
}

bool le__os_mostly_waited(double before, double seconds) {
    return le__os_waited() - before > 0.5 * seconds;
}

/* --- programs and libraries --- */

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

static void take_build_id(const struct dl_phdr_info *info, le__os_object *out) {
    for (int i = 0; i < info->dlpi_phnum && !out->n_id; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        size_t n;
        const char *notes, *id;
        if (p->p_type != PT_NOTE)
            continue;
        memcpy(&notes, &at, sizeof notes);
        id = find_build_id(notes, p->p_memsz, p->p_align == 8 ? 8 : 4, &n);
        out->n_id = !id ? 0 : n < sizeof out->id ? n : sizeof out->id;
        if (id)
            memcpy(out->id, id, out->n_id);
    }
}

typedef struct search {
    uintptr_t address;
    le__os_object *out;
} search;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    const search *s = context;
    (void)size;
    if (!is_inside(info, s->address))
        return 0;
    take_build_id(info, s->out);
    snprintf(s->out->path, sizeof s->out->path, "%s",
             *info->dlpi_name ? info->dlpi_name : LE__OS_PROGRAM);
    return 1;
}

bool le__os_object_at(uintptr_t address, le__os_object *out) {
    search s = {address, out};
    *out = (le__os_object){0};
    return dl_iterate_phdr(look_at, &s);
}

int le__os_memory_file(size_t bytes, char *path, size_t size) {
    int fd = memfd_create("liquid-engine", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        fd = -1;
    }
    snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd;
}

void le__os_flush(int fd, int64_t at, int64_t bytes) {
    const unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    (void)sync_file_range(fd, at, bytes, all);
}

void le__os_flush_begin(int fd) {
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void le__os_trim(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
