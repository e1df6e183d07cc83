/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Letters of 5 by 7 dots, for texts in PNG files.
 */
#ifndef LE_TOOLS_GLYPHS_H
#define LE_TOOLS_GLYPHS_H

#include <stdbool.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

/* Whether the dot in this column and row, from the upper left one, is set. Capitals look like small
 * letters; what has no picture is blank. */
bool glyph_dot(char letter, int column, int row);

#endif
