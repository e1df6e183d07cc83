/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Options of an engine: what the caller gave, then the environment, then defaults.
 */
#ifndef LE_OPTIONS_H
#define LE_OPTIONS_H

#include "core/error.h"
#include "liquid_engine/le_bench.h"

/* Fills *out with owned texts. given may be NULL. */
le_status le__options_resolve(le_options *out, const le_options *given);
void le__options_free(le_options *o);
/* LE_LOG and LE_ISA (bits of le_isa that the CPU has and that are allowed); errors name the values
 * that they take. */
le_status le__options_log_level(le_log_level *out);
le_status le__options_isa(uint32_t *out);
/* LE_BOX_EDGE, of which 0 is none given, and LE_IO_TRUST: those of this moment. What is none of
 * their values is refused when an engine is opened, and taken for the default later, which is no
 * error. */
int64_t le__options_box_edge(void);
bool le__options_io_trust(void);

/* fork(), with the hooks of the options around it. */
int le__options_fork(const le_options *o);

/* Where trials run: built-in implementations by a helper program that is spawned, all in children
 * of this process, or all in this process. By default the first where the program is found, and the
 * second for what it does not know. */
typedef enum le__trials {
    LE__TRIALS_DEFAULT = 0,
    LE__TRIALS_SPAWN,
    LE__TRIALS_FORK,
    LE__TRIALS_NONE
} le__trials;
le_status le__options_trials(le__trials *out);

#endif
