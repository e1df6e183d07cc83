/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Denormal numbers cost some processors a hundred cycles each, in every operation that meets one:
 * where they cannot show in a result, a range function computes without them.
 */
#ifndef LE_COMMON_DENORMALS_H
#define LE_COMMON_DENORMALS_H

#include <stdbool.h>

#ifdef __SSE2__
#include <xmmintrin.h>

#define LE__FLUSH 0x8040u /* of results and of operands */

/* From now on denormals are zero on this thread, if wanted. Returns what le__denormals_restore needs
 * before the range function returns. */
static inline unsigned le__denormals_flush(bool wanted) {
    const unsigned before = _mm_getcsr();
    if (wanted)
        _mm_setcsr(before | LE__FLUSH);
    return before;
}

/* What the processor has noted since, as an overflow, stays noted. */
static inline void le__denormals_restore(unsigned before) {
    _mm_setcsr((_mm_getcsr() & ~LE__FLUSH) | (before & LE__FLUSH));
}

#else /* elsewhere they are computed with */

static inline unsigned le__denormals_flush(bool wanted) {
    (void)wanted;
    return 0;
}

static inline void le__denormals_restore(unsigned before) {
    (void)before;
}

#endif

#endif
