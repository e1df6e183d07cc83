/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Markers of things begun that may end the process: which process began them, so that others can
 * tell whether it is still there.
 */
#ifndef LE_MARKER_H
#define LE_MARKER_H

#include <stddef.h>

typedef enum le__marker {
    LE__MARKER_NONE,    /* the text is no marker */
    LE__MARKER_ALIVE,   /* its process is still there */
    LE__MARKER_DEAD,    /* it is not */
    LE__MARKER_FOREIGN, /* of another machine, another container, or before a restart */
    LE__MARKER_UNSEEN   /* taken back, though nobody has seen the end of what was begun */
} le__marker;

/* The marker of this process; at most 100 characters. */
void le__marker_write(char *out, size_t size);
/* What takes its place where it is taken back without that. */
void le__marker_write_unseen(char *out, size_t size);
/* text may be NULL. */
le__marker le__marker_read(const char *text);

#endif
