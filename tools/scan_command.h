/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a scan is of, so that what is left of one is known again: the command, and the state of the
 * files that it reads.
 */
#ifndef LE_TOOLS_SCAN_COMMAND_H
#define LE_TOOLS_SCAN_COMMAND_H

#include "run.h"
#include "scan_layout.h"
#include "tool.h"

/* FNV-1a (Fowler, Noll, Vo), a word at a time. */
uint64_t scan_mixed(uint64_t h, const void *data, size_t n);

/* A name beside the file of the first result. false: there is none. */
bool scan_command_name(const run_args *a, const char *ending, char *out, size_t size);
/* Of the first result: several of a file are several scans. */
uint64_t scan_command_place(const run_args *a);
/* The command in words, a line. */
void scan_command_words(const run_args *a, int64_t items, tool_text *out);
/* Words, options and files, with those of the frames; frames NULL: without them. false: no memory.
 */
bool scan_command_hash(const run_options *o, const run_args *a, const scan_layout *frames,
                       int64_t items, uint64_t *out);

#endif
