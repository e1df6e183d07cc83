/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What POSIX does not have: what is said here of Linux and glibc is the rest of the engine's only
 * knowledge of them. Where a system lacks something, its function says so.
 */
#ifndef LE_OS_H
#define LE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What malloc keeps of freed memory goes back to the system, as far as it can. */
void le__os_trim(void);
/* Bytes that malloc has handed out; 0: it does not tell. */
size_t le__os_heap_bytes(void);
/* Bytes of address space that the process has; 0: unknown, as where a sanitizer keeps what is freed.
 */
int64_t le__os_address_space(void);
/* Address space of this process ends so many bytes beyond what it has now; nothing happens where
 * that is unknown, where a lower limit stands, and in builds with sanitizers, which reserve
 * terabytes. */
void le__os_limit_memory(int64_t room);
/* Memory that is about to be written, all of it: where that is much, in large pages, for a fault
 * for each small one would cost as much as a fast computation. Elsewhere nothing happens. */
void le__os_large_pages(void *memory, size_t bytes);
/* The system may take the pages of this memory where it is short of some, and what they hold is
 * lost; what is written from now on stays. false: it cannot. */
bool le__os_lend_pages(void *memory, size_t bytes);
/* This process gets SIGKILL when its parent ends; elsewhere nothing happens. */
void le__os_end_with_parent(void);
/* Processes whose parents end become children of this one; elsewhere nothing happens. */
void le__os_adopt_orphans(void);
/* What was printed and has not left this process yet never will. */
void le__os_forget_output(void);
/* A number that a process has to itself among those that came from it by fork(). */
uint32_t le__os_process(void);
/* Locks a mutex of the whole process, of which there are few: in a child of fork() it is free,
 * whoever held it in the parent. What it guards must be good at any time, or the process's own. */
void le__os_lock(pthread_mutex_t *mutex);
/* A number for what is open there and how (for reading, to be closed at exec): another one for what
 * takes its place, the same whatever others do to it. 0: nothing is. */
uint64_t le__os_open_file(int fd);
/* Timers of timer_create() that the process has; where the system does not tell, 0. */
int le__os_timers(void);
/* Closes all files from number 3 on but one. */
void le__os_close_files(int keep_fd);

/* When a process began, in ticks since the machine did; 0: there is no such process, or only its
 * exit status. */
long long le__os_process_start(long pid);
/* Where numbers of processes mean the same: this machine since its start, this container. Returns
 * the length. */
size_t le__os_realm(char *text, size_t size);
/* Calls `see` with each thread of a process, until it returns false. Allocates nothing: it is asked
 * while other threads fork, and what the allocator locks stays locked in their children where it is
 * not made ready for that (in builds with a sanitizer). */
typedef bool (*le__os_thread_fn)(void *context, const char *folder, const char *thread);
void le__os_threads(long pid, le__os_thread_fn see, void *context);
/* Seconds for which a thread of the process was ready to run and did not, the most of all. */
double le__os_starved(long pid);
/* The same of this process, of all its threads together. */
double le__os_waited(void);
/* Whether others had the cores for most of the seconds since le__os_waited() was `before`: the time
 * says nothing of what ran. */
bool le__os_mostly_waited(double before, double seconds);

/* The processor that this thread runs on; negative: unknown. */
int le__os_cpu(void);
/* Moves a thread to another processor if it is on that one and may be elsewhere; where it may be
 * stays as it was. */
void le__os_leave_cpu(pthread_t thread, int cpu);

/* Folder with the process's open files, by number; its program. */
#define LE__OS_OPEN_FILES "/proc/self/fd"
#define LE__OS_PROGRAM    "/proc/self/exe"
/* Memory as a file of so many bytes: its descriptor, or -1. path: where other processes of the user
 * find it while the descriptor is open. */
int le__os_memory_file(size_t bytes, char *path, size_t size);

/* A part of a file to the disk, as far as the system can do that by parts. */
void le__os_flush(int fd, int64_t at, int64_t bytes);
/* Begins it for all of a file. */
void le__os_flush_begin(int fd);

/* A program or library in this process. */
typedef struct le__os_object {
    unsigned char id[64]; /* build ID */
    size_t n_id;          /* its length; 0: there is none */
    char path[4096];
} le__os_object;

/* The one that holds the address. */
bool le__os_object_at(uintptr_t address, le__os_object *out);

#endif
