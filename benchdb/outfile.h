/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A file that is there as a whole or not at all. Its bytes go into a file without a name, so that
 * nothing is left when the program is killed, or with a temporary name where the file system has
 * none such; when it is complete it takes its place. What a link points to is replaced, or made, the
 * link stays. A file that may not be written is not replaced. A pipe, terminal or device is written
 * to as it is.
 */
#ifndef LE_BENCHDB_OUTFILE_H
#define LE_BENCHDB_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct le__outfile {
    int fd;       /* for writing */
    char *target; /* links resolved; NULL: a pipe, terminal or device */
    char *name;   /* temporary name; NULL: none, yet */
    bool exists;  /* the target did when this was begun; its mode is kept */
    bool on_disk; /* what is written has been synced by whoever wrote it */
} le__outfile;

/* The file that `path` names, through links; malloc'ed. NULL with errno: links without an end, or no
 * memory. */
char *le__outfile_target(const char *path);
/* Makes the folders on the way to a file, with that mode. 0 or an errno, then `path` ends with the
 * one that could not be made. */
int le__outfile_folders(char *path, mode_t mode);
/* 0 or an errno. named: with a temporary name in any case, for when fd is closed before the end. */
int le__outfile_open(le__outfile *f, const char *path, bool named);
/* All bytes, at the end of what fd has; 0 or an errno. Whole: it goes on when a signal interrupts. */
int le__outfile_write(int fd, const void *data, size_t bytes);
/* Closes and puts the file in its place; 0 or an errno, then there is no new file. One that
 * replaces another is on the disk before it does. Releases f in any case. */
int le__outfile_commit(le__outfile *f);
/* The same for n files one after the other, all of them on the disk first, until one fails; all are
 * released. */
int le__outfile_commit_all(le__outfile *files, size_t n);
/* Closes and removes; harmless on {.fd = -1} and after a commit. */
void le__outfile_abandon(le__outfile *f);

/* A lock on the folder of a file, for le__outfile_folder_unlock. Not waited for for ever: a program of
 * the user may hold it. -1: there is none within so many seconds, or on such a file system. */
int le__outfile_folder_lock(const char *path, double most_s);
/* Harmless on -1. */
void le__outfile_folder_unlock(int lock);

#endif
