/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What joining a picture of boxes costs a rank, calculated: messages, bytes and seconds for numbers
 * of ranks that nobody has at hand. usage: le-mpi-model [RANKS ...]
 */
#include "factors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double side = 2048, pixel = 16; /* f32 RGBA */
static const le__network network = {.message_s = 2e-6, .bytes_s = 12.5e9, .join_bytes_s = 8e9};

static const struct {
    const char *name;
    int most; /* factor; 0: all in one round */
    double cover;
} ways[] = {{"direct send", 0, 1.5},
            {"binary swap", 2, 1.5},
            {"factors <= 8", 8, 1.5},
            {"the same, all pixels", 8, INFINITY}};

static void print_row(int ranks, int way) {
    const double image = side * side * pixel;
    const double cover = fmin(1, ways[way].cover * pow(ranks, -2.0 / 3));
    const int most = ways[way].most ? ways[way].most : ranks;
    const le__factors f = le__factors_of(ranks, most > 2 ? most : 2);
    const le__cost join = le__factors_join(&f, image, cover);
    const le__cost gather = le__factors_gather(&f, image);
    const double messages = (double)join.messages / ranks, bytes = join.bytes / ranks;
    printf("%9d  %-20s  %10.1f  %10.3f  %10.4f  %13lld\n", ranks, ways[way].name, messages,
           bytes / (1 << 20), 1e3 * le__factors_seconds(&network, messages, bytes),
           (long long)(join.messages + gather.messages));
}

int main(int argc, char **argv) {
    static const int usual[] = {64, 4096, 131072};
    const int n = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof *usual);
    printf(
        "%.0f x %.0f pixels of %.0f bytes; a box covers 1.5 P^(-2/3) of them; %g us a message, %g "
        "GB/s, joining %g GB/s\n"
        "    ranks  way                   messages a rank  MiB a rank  ms a rank  messages of all, "
        "gathered\n",
        side, side, pixel, 1e6 * network.message_s, 1e-9 * network.bytes_s,
        1e-9 * network.join_bytes_s);
    for (int i = 0; i < n; i++) {
        const int ranks = argc > 1 ? atoi(argv[i + 1]) : usual[i];
        if (ranks < 1 || ranks > 1 << 24) {
            fprintf(stderr, "le-mpi-model: '%s' ranks, expected 1 to %d\n", argv[i + 1], 1 << 24);
            return 2;
        }
        for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++)
            print_row(ranks, way);
    }
    return 0;
}
