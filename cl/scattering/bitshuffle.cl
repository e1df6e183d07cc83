/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocks of bitshuffle's chunks: LZ4 data to bit planes, bit planes to elements. Where blocks lie in
 * the bytes was checked by the host; what is in them is checked here: a block that is no LZ4 data of
 * its size is noted, and nothing is read or written outside.
 *
 * -DE= unsigned type of the elements, -DSIZE= its bytes, -DGROUP= work-items of a block
 */

enum { LZ4, PLANES, ELEMENTS, VALUE }; /* what a block is */

typedef struct block {
    ulong from; /* byte; of VALUE the element */
    ulong to;   /* first element */
    uint size;  /* bytes, of LZ4 */
    uint count; /* elements; of LZ4 and PLANES a multiple of 8 */
    uint kind, unused;
} block;

/* ---- LZ4 sequences (LZ4 block format description, with the rules for the end of a block) ---- */

enum { LAST_LITERALS = 5, MATCH_LIMIT = 12, LEAST_MATCH = 4, TOO_LONG = 1 << 29 };

typedef struct sequence {
    uint literals, from; /* how many, and where they are */
    uint match, offset;  /* 0: the last sequence */
    bool good;
} sequence;

/* A length of four bits, and more in the bytes that follow. */
static inline uint length_of(__global const uchar *in, uint size, uint *at, uint bits)
{
    uint n = bits, more = bits == 15 ? 255 : 0;
    while (more == 255 && *at < size && n < TOO_LONG) {
        more = in[(*at)++];
        n += more;
    }
    return more == 255 ? TOO_LONG : n;
}

/* Reads what is at *at, for an output that has `done` of `bytes` bytes. */
static inline sequence next_sequence(__global const uchar *in, uint size, uint *at, uint done, uint bytes)
{
    sequence s = {0, 0, 0, 0, false};
    if (*at >= size)
        return s;
    const uint token = in[(*at)++];
    s.literals = length_of(in, size, at, token >> 4);
    if (s.literals > size - *at || s.literals > bytes - done)
        return s;
    s.from = *at;
    *at += s.literals;
    done += s.literals;
    if (*at == size) {
        s.good = done == bytes;
        return s;
    }
    if (bytes - done < MATCH_LIMIT || size - *at < LAST_LITERALS + 3)
        return s;
    s.offset = in[*at] | (uint)in[*at + 1] << 8;
    *at += 2;
    s.match = length_of(in, size, at, token & 15) + LEAST_MATCH;
    s.good = s.offset > 0 && s.offset <= done && s.match <= bytes - done - LAST_LITERALS;
    return s;
}

/* ---- a work-item a block ---- */

static inline void copy_literals(__global const uchar *from, __global uchar *to, uint n)
{
    uint i = 0;
    for (; i + 16 <= n; i += 16)
        vstore16(vload16(0, from + i), 0, to + i);
    for (; i < n; i++)
        to[i] = from[i];
}

static inline void copy_match(__global uchar *to, uint offset, uint n)
{
    uint i = 0;
    if (offset == 1) {
        const uchar16 same = (uchar16)(to[-1]);
        for (; i + 16 <= n; i += 16)
            vstore16(same, 0, to + i);
    } else if (offset >= 16) {
        for (; i + 16 <= n; i += 16)
            vstore16(vload16(0, to + i - offset), 0, to + i);
    }
    for (; i < n; i++)
        to[i] = to[(int)i - (int)offset];
}

/* planes: of the elements from `first` on */
__kernel void lz4_items(__global const uchar *bytes, __global const block *blocks, uint n, ulong first,
                        __global uchar *planes, __global uint *status, uint first_status)
{
    const uint k = get_global_id(0);
    if (k >= n)
        return;
    const block b = blocks[k];
    const uint size = b.size, room = b.count * SIZE;
    __global const uchar *in = bytes + b.from;
    __global uchar *out = planes + (b.to - first) * SIZE;
    uint at = 0, done = 0;
    sequence s;
    do {
        s = next_sequence(in, size, &at, done, room);
        if (!s.good)
            break;
        copy_literals(in + s.from, out + done, s.literals);
        done += s.literals;
        copy_match(out + done, s.offset, s.match);
        done += s.match;
    } while (s.match);
    status[first_status + k] = !s.good;
}

/* ---- from planes to elements ---- */

/* A row a bit and a column an element becomes a row an element, in all bytes at once (Warren,
 * Hacker's Delight, 7-3). v: eight of V, which is E or a vector of them. */
#define EXCHANGE(V, v, distance, mask)                                                  \
    _Pragma("unroll") for (int b_ = 0; b_ < 8; b_++)                                    \
        if (!(b_ & distance)) {                                                         \
            const V t_ = ((V)(v[b_] >> (E)distance) ^ v[b_ + distance]) & (E)(mask);    \
            v[b_ + distance] ^= t_;                                                     \
            v[b_] ^= (V)(t_ << (E)distance);                                            \
        }
#define EVERY_BYTE(x) ((E)((E)~(E)0 / 255 * (x)))

/* Elements 8 i to 8 i + 7 from planes of so many bytes, in any address space; LOAD makes a V of the
 * bytes at a place. */
#define ELEMENTS_OF(V, LOAD, planes, plane, i, v)                                       \
    do {                                                                                \
        _Pragma("unroll") for (int b_ = 0; b_ < 8; b_++) {                              \
            v[b_] = 0;                                                                  \
            _Pragma("unroll") for (int k_ = 0; k_ < SIZE; k_++)                         \
                v[b_] |= LOAD((planes) + (8 * k_ + b_) * (plane) + (i)) << (E)(8 * k_); \
        }                                                                               \
        EXCHANGE(V, v, 4, EVERY_BYTE(0x0f))                                             \
        EXCHANGE(V, v, 2, EVERY_BYTE(0x33))                                             \
        EXCHANGE(V, v, 1, EVERY_BYTE(0x55))                                             \
    } while (0)
#define PLANE_BYTE(at) ((E)*(at))

static inline E turned(E x)
{
    E y = 0;
#pragma unroll
    for (int k = 0; k < SIZE; k++)
        y |= (E)((E)(x >> 8 * k & 255) << 8 * (SIZE - 1 - k));
    return y;
}

#define EIGHT(v) v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
#if SIZE == 1
#define STORE_EIGHT(to, v) *(__global uchar8 *)(to) = (uchar8)(EIGHT(v))
enum { WIDE = 8 };
#elif SIZE == 2
#define STORE_EIGHT(to, v) *(__global ushort8 *)(to) = (ushort8)(EIGHT(v))
enum { WIDE = 8 };
#elif SIZE == 4
#define STORE_EIGHT(to, v)                                         \
    *(__global uint4 *)(to) = (uint4)(v[0], v[1], v[2], v[3]);     \
    *(__global uint4 *)((to) + 4) = (uint4)(v[4], v[5], v[6], v[7])
enum { WIDE = 4 };
#else
#define STORE_EIGHT(to, v)                                         \
    *(__global ulong2 *)(to) = (ulong2)(v[0], v[1]);               \
    *(__global ulong2 *)((to) + 2) = (ulong2)(v[2], v[3]);         \
    *(__global ulong2 *)((to) + 4) = (ulong2)(v[4], v[5]);         \
    *(__global ulong2 *)((to) + 6) = (ulong2)(v[6], v[7])
enum { WIDE = 2 };
#endif

/* In wide stores where the place is aligned. */
static inline void store_eight(__global E *to, bool aligned, E v[8], int big_endian)
{
#pragma unroll
    for (int j = 0; j < 8 && big_endian; j++)
        v[j] = turned(v[j]);
    if (aligned) {
        STORE_EIGHT(to, v);
        return;
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
        to[j] = v[j];
}

#if LE_CPU
/* Sixteen times eight elements at once, where registers are wide. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define E16         JOIN(E, 16)
#define PLANE_BYTES(at) JOIN(convert_, E16)(vload16(0, at))
#define ZIP_LOW(a, b)                                                                   \
    (E16)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7)
#define ZIP_HIGH(a, b)                                                                  \
    (E16)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, a.sf, b.sf)

static inline void put_wide(__global const uchar *planes, uint plane, uint i, __global E *to)
{
    E16 v[8], a[8];
    ELEMENTS_OF(E16, PLANE_BYTES, planes, plane, i, v);
    for (int j = 0; j < 4; j++) {
        a[2 * j] = ZIP_LOW(v[j], v[j + 4]);
        a[2 * j + 1] = ZIP_HIGH(v[j], v[j + 4]);
    }
    for (int k = 0; k < 4; k++) {
        const int j = 2 * (k & 2) + 2 * (k & 1); /* of v[k / 2]; first or second half */
        v[j] = ZIP_LOW(a[k], a[k + 4]);
        v[j + 1] = ZIP_HIGH(a[k], a[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        vstore16(ZIP_LOW(v[k], v[k + 4]), 2 * k, to);
        vstore16(ZIP_HIGH(v[k], v[k + 4]), 2 * k + 1, to);
    }
}
#else
static inline void put_wide(__global const uchar *planes, uint plane, uint i, __global E *to) {}
#endif

static inline E element_at(__global const uchar *from)
{
    E x = 0;
#pragma unroll
    for (int k = 0; k < SIZE; k++)
        x |= (E)((E)from[k] << 8 * k);
    return x;
}

/* Elements as they are, or one value. */
static inline void put_plain(__global const uchar *bytes, block b, uint i, __global E *out, int big_endian)
{
    for (uint e = 8 * i; e < b.count && e < 8 * i + 8; e++) {
        const E x = b.kind == VALUE ? (E)b.from : element_at(bytes + b.from + (ulong)e * SIZE);
        out[b.to + e] = big_endian && b.kind != VALUE ? turned(x) : x;
    }
}

enum { LANES = LE_CPU ? 16 : 1 }; /* eights of elements of a work-item */

/* Blocks begin to end - 1. planes: of LZ4 blocks, of the elements from `first` on */
__kernel void unshuffle(__global const uchar *bytes, __global const block *blocks, uint begin, uint end,
                        ulong first, __global const uchar *planes, __global const uint *status,
                        uint first_status, __global E *out, int big_endian)
{
    const uint least = get_global_id(0) * LANES, k = begin + get_global_id(1);
    if (k >= end)
        return;
    const block b = blocks[k];
    if (b.kind == LZ4 && status[first_status + k])
        return;
    const bool plain = b.kind == ELEMENTS || b.kind == VALUE;
    __global const uchar *from = b.kind == LZ4 ? planes + (b.to - first) * SIZE : bytes + b.from;
    if (LE_CPU && !plain && !big_endian && 8 * (least + LANES) <= b.count) {
        put_wide(from, b.count / 8, least, out + b.to + 8 * least);
        return;
    }
    for (uint i = least; i < least + LANES && 8 * i < b.count; i++) {
        if (plain) {
            put_plain(bytes, b, i, out, big_endian);
            continue;
        }
        E v[8];
        ELEMENTS_OF(E, PLANE_BYTE, from, b.count / 8, i, v);
        store_eight(out + b.to + 8 * i, b.to % WIDE == 0, v, big_endian);
    }
}

#ifdef GROUP
/* ---- a work-group a block ---- */

static inline void fill_together(__local uchar *planes, uint at, uint n)
{
    const uint lane = get_local_id(0), head = min(n, -at & 3), words = (n - head) / 4;
    const uint rest = (n - head) % 4;
    const uchar value = planes[at - 1];
    __local uint *word = (__local uint *)(planes + at + head);
    for (uint i = lane; i < words; i += GROUP)
        word[i] = value * 0x01010101u;
    if (lane < head)
        planes[at + lane] = value;
    if (lane < rest)
        planes[at + n - rest + lane] = value;
}

static inline void match_together(__local uchar *planes, uint at, uint offset, uint n)
{
    const uint lane = get_local_id(0);
    __local const uchar *from = planes + at - offset;
    if (offset == 1)
        fill_together(planes, at, n);
    else if (offset >= n)
        for (uint i = lane; i < n; i += GROUP)
            planes[at + i] = from[i];
    else
        for (uint i = lane; i < n; i += GROUP)
            planes[at + i] = from[i % offset];
}

/* All work-items read the same sequences and copy parts of them. What a match repeats was written
 * before the barrier in front of it. */
static inline bool decode_together(__global const uchar *in, uint size, __local uchar *planes, uint bytes)
{
    uint at = 0, done = 0;
    sequence s;
    for (;;) {
        s = next_sequence(in, size, &at, done, bytes);
        if (!s.good)
            break;
        for (uint i = get_local_id(0); i < s.literals; i += GROUP)
            planes[done + i] = in[s.from + i];
        done += s.literals;
        if (!s.match)
            break;
        barrier(CLK_LOCAL_MEM_FENCE);
        match_together(planes, done, s.offset, s.match);
        done += s.match;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return s.good;
}

/* words: memory of the type that fill_together stores, since drivers align it to no more than that. */
__kernel void lz4_groups(__global const uchar *bytes, __global const block *blocks, __global uint *status,
                         uint first_status, __global E *out, int big_endian, __local uint *words)
{
    __local uchar *planes = (__local uchar *)words;
    const uint k = get_group_id(0);
    const block b = blocks[k];
    const bool good = decode_together(bytes + b.from, b.size, planes, b.count * SIZE);
    if (get_local_id(0) == 0)
        status[first_status + k] = !good;
    for (uint i = get_local_id(0); good && i < b.count / 8; i += GROUP) {
        E v[8];
        ELEMENTS_OF(E, PLANE_BYTE, planes, b.count / 8, i, v);
        store_eight(out + b.to + 8 * i, b.to % WIDE == 0, v, big_endian);
    }
}
#endif
