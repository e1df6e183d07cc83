/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Characters and lines of UTF-8.
 */
#include "utf8.h"

#include <stdio.h>

size_t le__utf8_size(const char *text) {
    static const struct {
        unsigned char first, last, low, high, more;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2},
        {0xe1, 0xec, 0x80, 0xbf, 2}, {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2},
        {0xf0, 0xf0, 0x90, 0xbf, 3}, {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3},
    };
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*p < forms[i].first || *p > forms[i].last)
            continue;
        bool ok = forms[i].more == 0 || (p[1] >= forms[i].low && p[1] <= forms[i].high);
        for (size_t k = 2; ok && k <= forms[i].more; k++)
            ok = (p[k] & 0xc0) == 0x80;
        return ok ? forms[i].more + 1u : 0;
    }
    return 0;
}

bool le__utf8_is_control(const char *p) {
    return (unsigned char)*p < 0x20 || *p == 0x7f;
}

bool le__utf8_is_line(const char *text) {
    for (size_t n; *text; text += n) {
        n = le__utf8_size(text);
        if (n == 0 || le__utf8_is_control(text))
            return false;
    }
    return true;
}

bool le__utf8_is_cut_off(const char *p) {
    unsigned char first = (unsigned char)*p;
    size_t bytes = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    size_t n = 1;
    while (n < bytes && ((unsigned char)p[n] & 0xc0) == 0x80)
        n++;
    return n < bytes && !p[n];
}

void le__utf8_make_line(char *text) {
    for (size_t n; *text; text += n) {
        n = le__utf8_size(text);
        if (n == 0 && le__utf8_is_cut_off(text)) {
            *text = '\0';
            return;
        }
        if (n == 0 || le__utf8_is_control(text)) {
            *text = n ? ' ' : '?';
            n = 1;
        }
    }
}

void le__utf8_put_line(char *out, size_t size, const char *before, const char *text) {
    snprintf(out, size, "%s%s", before, text);
    le__utf8_make_line(out);
}
