/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Drawings that become a PNG or an SVG file: a raster image, rectangles, circles and short texts.
 * In SVG all but the image are shapes; in PNG they are drawn with a small font of our own.
 */
#ifndef LE_TOOLS_CANVAS_H
#define LE_TOOLS_CANVAS_H

#include "liquid_engine/le.h"

typedef struct canvas canvas;
typedef struct canvas_colour {
    unsigned char red, green, blue;
} canvas_colour;
typedef enum canvas_anchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END } canvas_anchor;

/* Whether the name's ending tells a format that is written here; *vector: it is SVG. */
bool canvas_format(const char *file, bool *vector);
/* White. NULL when out of memory. */
canvas *canvas_new(int width, int height, bool vector);
void canvas_free(canvas *c);

/* All coordinates in pixels from the upper left corner. rgb: [height, width, 3]. */
void canvas_image(canvas *c, int x, int y, int width, int height, const unsigned char *rgb);
void canvas_box(canvas *c, int x, int y, int width, int height, canvas_colour colour); /* filled */
void canvas_circle(canvas *c, double x, double y, double radius, canvas_colour colour);
/* Letters, digits and . , - + : ( ) _ = / %; others are blank. y: of the text's middle line. size:
 * 1 small, 2 normal. */
void canvas_text(canvas *c, double x, double y, int size, canvas_anchor anchor,
                 canvas_colour colour, const char *text);
/* Width of such a text in PNG. */
int canvas_text_width(const char *text, int size);

le_status canvas_write(le_engine *engine, const canvas *c, const char *file);

#endif
