/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Names of files that mean the same when the process has gone to another folder. To be freed; NULL
 * without memory. Any thread at any time.
 */
#ifndef LE_BENCHDB_PATHS_H
#define LE_BENCHDB_PATHS_H

/* Relative names get the folder that the process is in, if that has a name. */
char *le__path_absolute(const char *path);
/* The same of several with ':' between, of which empty ones stay. */
char *le__paths_absolute(const char *list);

#endif
