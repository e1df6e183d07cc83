/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * "Did you mean": the nearest of some names.
 */
#include "suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

int suggest_distance(const char *a, const char *b) {
    int rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return INT_MAX;
    for (size_t j = 0; j <= m; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

void suggest_offer(suggest *s, const char *name) {
    int distance = suggest_distance(s->wanted, name);
    size_t length = strlen(s->wanted);
    bool near =
        distance <= 1 + (int)length / 4 || (length >= 3 && strncmp(s->wanted, name, length) == 0);
    if (near && (!s->best || distance < s->distance)) {
        s->best = name;
        s->distance = distance;
    }
}
