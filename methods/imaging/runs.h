/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Components of a mask by its runs: neighbouring foreground pixels of a line.
 * The mask is words of 64 pixels, least significant bit first; what runs touch
 * is found a word at a time, from their starts. A run is known by its number,
 * counted from 0 in row-major order; runs of one component are joined in a tree
 * whose root is the first of them, so that numbering roots in order gives the
 * numbers of components in the order of their first pixels.
 *
 * Included by sources that are compiled once for each instruction set. Lines
 * are worked off in blocks, each by itself: le__im_block_starts, then, when the
 * runs of all blocks are counted, le__im_block_join; at last the blocks are
 * joined with those before them, and roots are numbered.
 */
#ifndef LE_IMAGING_RUNS_H
#define LE_IMAGING_RUNS_H

#include "imaging/pixels.h"

typedef struct le__im_runs {
    le__im_shape shape;
    int reach;             /* of neighbours: see le__im_reach */
    int64_t words;         /* of a line */
    int64_t block, blocks; /* lines of a block; number of blocks */
    uint64_t *bits, *starts;
    uint32_t *first;        /* of each word: runs that start before it in the image */
    uint32_t *blocks_first; /* runs before each block, and in all */
    uint32_t *parent;       /* of each run: one before it of the same component, or itself */
    int32_t *labels;        /* of run r at r + 1; labels[0] is 0 */
} le__im_runs;

/* Everything but parent and labels, whose size le__im_runs_count tells later.
 * False: no memory. */
bool le__im_runs_begin(le_call *call, le__im_shape shape, int reach, le__im_runs *out);
/* When the starts of all blocks are counted: numbers the runs. False: no
 * memory. */
bool le__im_runs_count(le_call *call, le__im_runs *r);
/* Joins blocks and numbers the components, of which it returns the number. */
int32_t le__im_runs_number(le__im_runs *r);
/* Bytes that these take, with a run in every other pixel. */
int64_t le__im_runs_memory(le__im_shape shape);

static inline int64_t le__im_block_begin(const le__im_runs *r, int64_t block) {
    return block * r->block;
}

static inline int64_t le__im_block_end(const le__im_runs *r, int64_t block) {
    const int64_t end = (block + 1) * r->block, lines = le__im_lines(r->shape);
    return end < lines ? end : lines;
}

/* Bits of a block are there: finds where runs start, and counts them. */
static inline void le__im_block_starts(le__im_runs *r, int64_t block) {
    uint32_t n = 0;
    for (int64_t line = le__im_block_begin(r, block); line < le__im_block_end(r, block); line++) {
        uint64_t before = 0;
        for (int64_t w = line * r->words; w < (line + 1) * r->words; w++) {
            const uint64_t bits = r->bits[w];
            r->first[w] = n;
            if (bits == 0) { /* most words of a map of the sky */
                r->starts[w] = before = 0;
                continue;
            }
            r->starts[w] = bits & ~(bits << 1 | before);
            before = bits >> 63;
            n += (uint32_t)__builtin_popcountll(r->starts[w]);
        }
    }
    r->blocks_first[block + 1] = n;
}

/* Joins the components of two runs: Rem's algorithm, Patwary, Blair and Manne,
 * SEA 2010. */
static inline void le__im_unite(uint32_t *parent, uint32_t a, uint32_t b) {
    while (parent[a] != parent[b]) {
        if (parent[a] < parent[b]) {
            const uint32_t t = a;
            a = b;
            b = t;
        }
        const uint32_t above = parent[a];
        parent[a] = parent[b];
        if (above == a)
            return;
        a = above;
    }
}

/* Runs that start at pixel `bit` of word w or before it, in the image. */
static inline uint32_t le__im_runs_upto(const le__im_runs *r, int64_t w, int bit) {
    return r->first[w] + (uint32_t)__builtin_popcountll(r->starts[w] & ((UINT64_C(2) << bit) - 1));
}

/* Joins the runs of a line with those of an earlier one that they touch, also
 * at corners if `diagonal`. fresh: no run of the line has been joined with an
 * earlier one. */
static inline void le__im_join_lines(le__im_runs *r, int64_t line, int64_t earlier, bool diagonal,
                                     bool fresh) {
    const int64_t to = (earlier - line) * r->words;
    uint64_t before = 0, before_earlier = 0;
    for (int64_t w = line * r->words; w < (line + 1) * r->words; w++) {
        const uint64_t bits = r->bits[w], other = r->bits[w + to];
        if ((bits | before) == 0 || (other | before_earlier) == 0) {
            before = bits >> 63;
            before_earlier = other >> 63;
            continue;
        }
        /* every pair that touches does so first where one of the two starts */
        const uint64_t reached = diagonal ? other | other << 1 | before_earlier : other;
        const uint64_t reaching = diagonal ? bits << 1 | before : bits & ~r->starts[w];
        before = bits >> 63;
        before_earlier = other >> 63;
        for (uint64_t at = r->starts[w] & reached; at; at &= at - 1) {
            const int bit = __builtin_ctzll(at);
            const uint32_t run = le__im_runs_upto(r, w, bit) - 1,
                           touched = le__im_runs_upto(r, w + to, bit) - 1;
            if (fresh)
                r->parent[run] = r->parent[touched];
            else
                le__im_unite(r->parent, run, touched);
        }
        for (uint64_t at = r->starts[w + to] & reaching; at; at &= at - 1) {
            const int bit = __builtin_ctzll(at);
            /* at a corner the run holds the pixel before */
            const uint64_t upto = ((diagonal ? UINT64_C(1) : UINT64_C(2)) << bit) - 1;
            const uint32_t run =
                r->first[w] + (uint32_t)__builtin_popcountll(r->starts[w] & upto) - 1;
            le__im_unite(r->parent, run, le__im_runs_upto(r, w + to, bit) - 1);
        }
    }
}

/* The lines before a line that it can touch: calls with each of them. inside:
 * those of its own block, else those of others. */
static inline void le__im_join_line(le__im_runs *r, int64_t line, int64_t block_begin,
                                    bool inside) {
    const int64_t rows = r->shape.rows, y = line % rows, z = line / rows;
    const struct {
        int64_t line;
        bool there, diagonal;
    } earlier[] = {{line - 1, y > 0, r->reach > 1},
                   {line - rows, z > 0, r->reach > 1},
                   {line - rows - 1, z > 0 && y > 0 && r->reach > 1, r->reach > 2},
                   {line - rows + 1, z > 0 && y + 1 < rows && r->reach > 1, r->reach > 2}};
    for (int k = 0; k < 4; k++)
        if (earlier[k].there && (earlier[k].line >= block_begin) == inside)
            le__im_join_lines(r, line, earlier[k].line, earlier[k].diagonal, inside && k == 0);
}

static inline void le__im_block_join(le__im_runs *r, int64_t block) {
    const int64_t begin = le__im_block_begin(r, block), end = le__im_block_end(r, block);
    const uint32_t first = r->blocks_first[block];
    for (int64_t w = begin * r->words; w < end * r->words; w++)
        r->first[w] += first;
    for (uint32_t run = first; run < r->blocks_first[block + 1]; run++)
        r->parent[run] = run;
    for (int64_t line = begin; line < end; line++)
        le__im_join_line(r, line, begin, true);
}

/* For le_parallel_for over blocks; context: the runs. */
static inline void le__im_join_blocks(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t b = begin; b < end; b++)
        le__im_block_join(context, (int64_t)b);
}

#endif
