/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Characters of UTF-8.
 */
#include "utf8.h"

#include <stdbool.h>

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
