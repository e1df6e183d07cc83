/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Colours of implementations in charts: an implementation's name has one colour in all charts that
 * this build draws, whatever else they show, and those of one operation differ as long as there are
 * enough. The reference is grey.
 */
#ifndef LE_COLOURS_H
#define LE_COLOURS_H

#include "liquid_engine/le_method.h"

enum { COLOURS_MOST = 1024 };

typedef struct colours {
    struct {
        const char *operation, *name; /* borrowed */
        int colour;                   /* of svg.h; -1: not given yet */
    } rows[COLOURS_MOST];
    size_t n;
} colours;

/* With all implementations that the engine knows. */
void le__colours_make(colours *c, le_engine *engine);
/* Another one, of another machine or program; give all of them before asking for a colour. */
void le__colours_add(colours *c, const char *operation, const char *name, const char *run_type);
int le__colours_of(colours *c, const char *name, const char *run_type);

#endif
