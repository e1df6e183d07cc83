/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * SIGXFSZ (a write beyond RLIMIT_FSIZE) would end the process; while it is blocked the write fails
 * instead. Whatever writes files for a caller does so between these two.
 */
#ifndef LE_BENCHDB_SIGNALS_H
#define LE_BENCHDB_SIGNALS_H

#include <signal.h>

typedef struct le__signals {
    sigset_t before;
} le__signals;

void le__signals_block(le__signals *s);
/* As it was; what came meanwhile is dropped. errno stays. */
void le__signals_restore(const le__signals *s);

#endif
