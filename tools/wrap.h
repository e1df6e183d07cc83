/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts and tables of candidates within the 80 columns of a terminal.
 */
#ifndef LE_WRAP_H
#define LE_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints the text and ends the line. The line begins at column `at` (what is left of it has been
 * printed), lines that follow at column `indent`. Breaks at spaces, and words that are too long
 * behind a comma. */
void wrap_print(FILE *out, int at, int indent, const char *text);

/* One candidate of a table, "avx2@cpu[threads=2,schedule=static]". */
typedef struct wrap_row {
    const char *candidate;
    char mark;       /* '*' for the chosen one, ' ' */
    char cells[64];  /* its numbers, WRAP_CELLS columns; "": none */
    char about[400]; /* error, verdict, reason; often that of all variants */
} wrap_row;

enum { WRAP_VARIANT = 28, WRAP_CELLS = 80 - 4 - WRAP_VARIANT - 1 };

/* Prints the rows, put together by implementation and device in the order in which these come
 * first. `head` names the cells. */
void wrap_candidates(FILE *out, const char *head, const wrap_row *rows, size_t n);

/* What the words in tables of candidates mean: ten lines. */
void wrap_glossary(FILE *out);

#endif
