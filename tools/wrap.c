/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts and tables of candidates within 80 columns.
 */
#include "wrap.h"

#include "tool.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

/* Columns of the first n bytes: a character of UTF-8 takes one, a colour none. */
static int columns(const char *text, size_t n) {
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\033')
            while (i < n && text[i] != 'm')
                i++;
        else
            count += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return count;
}

/* Bytes of a word that fit: up to the last comma among them, or all that fit. */
static size_t part_that_fits(const char *word, size_t n, int room) {
    size_t fits = 0, comma = 0;
    while (fits < n && columns(word, fits + 1) <= room) {
        fits++;
        if (word[fits - 1] == ',')
            comma = fits;
    }
    return comma ? comma : fits ? fits : n;
}

static int new_line(FILE *out, int indent) {
    fprintf(out, "\n%*s", indent, "");
    return indent;
}

void wrap_print(FILE *out, int at, int indent, const char *text) {
    bool begun = false;
    while (*text) {
        size_t gap = strspn(text, " "), n = strcspn(text + gap, " ");
        const char *word = text + gap;
        text = word + n;
        if (begun && at + (int)gap + columns(word, n) > WIDTH) {
            at = new_line(out, indent);
            begun = false;
        }
        at += begun ? fprintf(out, "%*s", (int)gap, "") : 0;
        while (at + columns(word, n) > WIDTH && at < WIDTH) {
            size_t part = part_that_fits(word, n, WIDTH - at);
            fprintf(out, "%.*s", (int)part, word);
            word += part;
            n -= part;
            if (n)
                at = new_line(out, indent);
            else
                break;
        }
        fprintf(out, "%.*s", (int)n, word);
        at += columns(word, n);
        begun = true;
    }
    fputc('\n', out);
}

static size_t group_length(const char *candidate) {
    return strcspn(candidate, "[");
}

static bool same_group(const wrap_row *a, const wrap_row *b) {
    size_t n = group_length(a->candidate);
    return n == group_length(b->candidate) && !strncmp(a->candidate, b->candidate, n);
}

typedef struct group { /* what holds for all of its rows */
    bool same_about, any_cells;
    char mark;
    size_t n;
} group;

static group look(const wrap_row *rows, size_t first, size_t n) {
    group g = {.same_about = true, .mark = ' '};
    for (size_t i = first; i < n; i++) {
        if (!same_group(&rows[first], &rows[i]))
            continue;
        g.n++;
        g.same_about = g.same_about && !strcmp(rows[i].about, rows[first].about);
        g.any_cells = g.any_cells || *rows[i].cells;
        g.mark = rows[i].mark == '*' ? '*' : g.mark;
    }
    return g;
}

/* "threads=2,schedule=static" of a candidate's text. */
static void print_variant(FILE *out, const wrap_row *row, bool about) {
    const char *variant = row->candidate + group_length(row->candidate);
    int length = *variant ? (int)strlen(variant) - 2 : 0;
    variant += *variant == '[';
    fprintf(out, "%c   %-*.*s", row->mark, WRAP_VARIANT, length, variant);
    if (length > WRAP_VARIANT)
        fprintf(out, "\n%*s", 4 + WRAP_VARIANT, "");
    fprintf(out, " %s\n", *row->cells ? row->cells : "-");
    if (about && *row->about) {
        fputs("      ", out);
        wrap_print(out, 6, 6, row->about);
    }
}

/* A candidate without settings: its numbers stand behind its name where there is room. */
static void print_single(FILE *out, const wrap_row *row) {
    int width = fprintf(out, "%c %-*s", row->mark, WRAP_VARIANT + 2, row->candidate);
    if (width > WRAP_VARIANT + 4)
        fprintf(out, "\n%*s", 4 + WRAP_VARIANT, "");
    fprintf(out, " %s\n", row->cells);
    if (*row->about) {
        fputs("    ", out);
        wrap_print(out, 4, 4, row->about);
    }
}

static void print_group(FILE *out, const wrap_row *rows, size_t first, size_t n) {
    group g = look(rows, first, n);
    size_t length = group_length(rows[first].candidate);
    tool_text line = {0};
    if (!rows[first].candidate[length] && g.n == 1 && g.any_cells) {
        print_single(out, &rows[first]);
        return;
    }
    tool_add(&line, "%.*s", (int)length, rows[first].candidate);
    if (g.same_about && *rows[first].about)
        tool_add(&line, "  %s", rows[first].about);
    if (!g.any_cells && g.n > 1)
        tool_add(&line, " (%zu variants)", g.n);
    fprintf(out, "%c ", g.mark);
    wrap_print(out, 2, 4, line.failed ? rows[first].candidate : line.text);
    tool_text_free(&line);
    for (size_t i = first; i < n; i++) {
        bool chosen = rows[i].mark == '*' && strchr(rows[i].candidate, '[');
        if (same_group(&rows[first], &rows[i]) && (g.any_cells || !g.same_about || chosen))
            print_variant(out, &rows[i], !g.same_about);
    }
}

void wrap_candidates(FILE *out, const char *head, const wrap_row *rows, size_t n) {
    fprintf(out, "%s%-*s %s%s\n", tool_begin(out, TOOL_DIM), 4 + WRAP_VARIANT, "  candidate", head,
            tool_begin(out, TOOL_PLAIN));
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (!same_group(&rows[k], &rows[i]))
            k++;
        if (k == i)
            print_group(out, rows, i, n);
    }
}

void wrap_glossary(FILE *out) {
    fputs("\ncandidate  an implementation on a device, with its settings; * the one chosen\n"
          "predicted  the time expected of this call, from what was measured; -: unknown\n"
          "time       the mean of the runs of just this problem (also called measured)\n"
          "90 %       the true mean lies in this range with a probability of 90 %\n"
          "ratio      the time as a multiple of the chosen one's\n"
          "runs, age  how many runs the time comes from, and how long ago the last was\n"
          "error      largest difference from the reference, which is in double precision\n"
          "proven     compared with the reference; unproven: will be, before it answers\n"
          "left out   may not answer this call, for the reason given\n"
          "atol, rtol the error that the call allows: atol + rtol * |reference|\n",
          out);
}
