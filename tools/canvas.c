/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Drawings as pixels or as SVG.
 */
#include "canvas.h"

#include "glyphs.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"
#include "escape.h"
#include "engine/report/svg.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CELL_WIDTH = GLYPH_WIDTH + 1, SVG_SMALL = 9, SVG_NORMAL = 14 };

struct canvas {
    int width, height;
    unsigned char *pixels; /* PNG: [height, width, 3] */
    FILE *svg;             /* writes to text */
    char *text;
    size_t size;
    bool failed;
};

bool canvas_format(const char *file, bool *vector) {
    size_t n = strlen(file);
    *vector = n > 4 && strcasecmp(file + n - 4, ".svg") == 0;
    return *vector || (n > 4 && strcasecmp(file + n - 4, ".png") == 0);
}

canvas *canvas_new(int width, int height, bool vector) {
    canvas *c = calloc(1, sizeof *c);
    size_t bytes = (size_t)width * (size_t)height * 3;
    if (!c)
        return NULL;
    c->width = width;
    c->height = height;
    c->svg = vector ? open_memstream(&c->text, &c->size) : NULL;
    c->pixels = vector ? NULL : malloc(bytes);
    if (!c->svg && !c->pixels) {
        free(c);
        return NULL;
    }
    if (c->pixels)
        memset(c->pixels, 255, bytes);
    if (c->svg)
        fprintf(c->svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                width, height, width, height, width, height);
    return c;
}

void canvas_free(canvas *c) {
    if (!c)
        return;
    if (c->svg)
        fclose(c->svg);
    free(c->text);
    free(c->pixels);
    free(c);
}

/* -------------------------------------------------------------------------- pixels -- */

static void blend(canvas *c, int x, int y, canvas_colour colour, double share) {
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || share <= 0)
        return;
    unsigned char *p = c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    const unsigned char to[3] = {colour.red, colour.green, colour.blue};
    for (int k = 0; k < 3; k++)
        p[k] = (unsigned char)lrint(p[k] + (to[k] - p[k]) * fmin(share, 1));
}

static void draw_circle(canvas *c, double x, double y, double radius, canvas_colour colour) {
    for (int j = (int)floor(y - radius - 2); j <= y + radius + 2; j++)
        for (int i = (int)floor(x - radius - 2); i <= x + radius + 2; i++)
            blend(c, i, j, colour, 1.25 - fabs(hypot(i - x, j - y) - radius));
}

static void draw_glyph(canvas *c, int x, int y, int size, canvas_colour colour, char letter) {
    for (int i = 0; i < GLYPH_WIDTH * size; i++)
        for (int j = 0; j < GLYPH_HEIGHT * size; j++)
            if (glyph_dot(letter, i / size, j / size))
                blend(c, x + i, y + j, colour, 1);
}

/* --------------------------------------------------------------------------------------- SVG -- */

static void put_base64(FILE *f, const unsigned char *data, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        size_t have = n - i < 3 ? n - i : 3;
        unsigned v = (unsigned)data[i] << 16 | (have > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                     (have > 2 ? data[i + 2] : 0);
        putc(digits[v >> 18], f);
        putc(digits[v >> 12 & 63], f);
        putc(have > 1 ? digits[v >> 6 & 63] : '=', f);
        putc(have > 2 ? digits[v & 63] : '=', f);
    }
}

/* The library writes PNG files: the image goes through one that is removed again. */
static bool put_png(FILE *to, int width, int height, const unsigned char *rgb) {
    char name[] = "/tmp/le-run-XXXXXX.png";
    int fd = mkstemps(name, 4);
    if (fd < 0)
        return false;
    close(fd);
    le_tensor t = le_tensor_of(rgb, LE_U8, 3, (int64_t[]){height, width, 3});
    FILE *from = le_io_write(NULL, name, &t) == LE_OK ? fopen(name, "rb") : NULL;
    unlink(name);
    if (!from)
        return false;
    unsigned char piece[3 * 1024];
    for (size_t n; (n = fread(piece, 1, sizeof piece, from)) > 0;)
        put_base64(to, piece, n);
    bool good = !ferror(from);
    fclose(from);
    return good;
}

static void put_image(canvas *c, int x, int y, int width, int height, const unsigned char *rgb) {
    fprintf(c->svg,
            "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" image-rendering=\"pixelated\" "
            "href=\"data:image/png;base64,",
            x, y, width, height);
    c->failed = !put_png(c->svg, width, height, rgb) || c->failed;
    fputs("\"/>\n", c->svg);
}

/* ----------------------------------------------------------------------------------- drawing -- */

void canvas_image(canvas *c, int x, int y, int width, int height, const unsigned char *rgb) {
    if (c->svg) {
        put_image(c, x, y, width, height, rgb);
        return;
    }
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++, rgb += 3)
            blend(c, x + i, y + j, (canvas_colour){rgb[0], rgb[1], rgb[2]}, 1);
}

void canvas_box(canvas *c, int x, int y, int width, int height, canvas_colour colour) {
    if (c->svg)
        fprintf(c->svg,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n", x,
                y, width, height, colour.red, colour.green, colour.blue);
    for (int j = 0; !c->svg && j < height; j++)
        for (int i = 0; i < width; i++)
            blend(c, x + i, y + j, colour, 1);
}

void canvas_circle(canvas *c, double x, double y, double radius, canvas_colour colour) {
    if (c->svg)
        fprintf(c->svg,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"none\" "
                "stroke=\"#%02x%02x%02x\" stroke-width=\"1.5\"/>\n",
                x, y, radius, colour.red, colour.green, colour.blue);
    else
        draw_circle(c, x, y, radius, colour);
}

int canvas_text_width(const char *text, int size) {
    return (int)strlen(text) * CELL_WIDTH * size;
}

void canvas_text(canvas *c, double x, double y, int size, canvas_anchor anchor,
                 canvas_colour colour, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    if (c->svg) {
        fprintf(c->svg,
                "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%d\" text-anchor=\"%s\" "
                "dominant-baseline=\"central\" fill=\"#%02x%02x%02x\">",
                x, y, size > 1 ? SVG_NORMAL : SVG_SMALL, anchors[anchor], colour.red, colour.green,
                colour.blue);
        le__escape(c->svg, text);
        fputs("</text>\n", c->svg);
        return;
    }
    int at = (int)lrint(x) - canvas_text_width(text, size) * (int)anchor / 2;
    for (; *text; text++, at += CELL_WIDTH * size)
        draw_glyph(c, at, (int)lrint(y) - GLYPH_HEIGHT * size / 2, size, colour, *text);
}

le_status canvas_write(le_engine *engine, const canvas *c, const char *file) {
    if (c->svg) {
        fputs("</svg>\n", c->svg);
        if (c->failed || fflush(c->svg) != 0 || ferror(c->svg))
            return le_fail(LE_ERR_IO, "%s: the picture cannot be made", file);
        return tool_save(file, c->text);
    }
    le_tensor t = le_tensor_of(c->pixels, LE_U8, 3, (int64_t[]){c->height, c->width, 3});
    return le_io_write(engine, file, &t);
}
