/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * For sources that the build compiles once for each instruction set (le_add_implementations,
 * cmake/LeMethods.cmake): what differs in their descriptors. LE_METHOD_ISA is 0 in plain C, 2 with
 * AVX2, FMA and F16C, 512 with AVX-512 (F, CD, BW, DQ, VL).
 */
#ifndef LE_METHODS_ISA_H
#define LE_METHODS_ISA_H

#include "liquid_engine/le_method.h"

#if LE_METHOD_ISA == 512
#define LE__ISA                     avx512 /* a part of names */
#define LE__ISA_BITS                LE_ISA_AVX512
#define LE__ISA_TITLE               "AVX-512"
#define LE__ISA_WIDTH               "16-wide vectors"
#define LE__BY_ISA(c, avx2, avx512) (avx512)
#elif LE_METHOD_ISA == 2
#define LE__ISA                     avx2
#define LE__ISA_BITS                LE_ISA_AVX2
#define LE__ISA_TITLE               "AVX2"
#define LE__ISA_WIDTH               "8-wide vectors"
#define LE__BY_ISA(c, avx2, avx512) (avx2)
#else
#define LE__ISA                     c
#define LE__ISA_BITS                0
#define LE__ISA_TITLE               "C"
#define LE__ISA_WIDTH               "plain C"
#define LE__BY_ISA(c, avx2, avx512) (c)
#endif

#define LE__ISA_JOIN(a, b)       a##b
#define LE__ISA_JOIN_LATER(a, b) LE__ISA_JOIN(a, b)

/* The name of an implementation for the instruction set: prefix_avx2 */
#define LE__ISA_NAME(prefix) LE__ISA_JOIN_LATER(prefix, LE__ISA)

/* Fields of its descriptor. vector_type: its run type where it has vectors; in plain C it is "c".
 */
#define LE__ISA_FIELDS(vector_type)                                                                \
    .run_type = LE__BY_ISA("c", vector_type, vector_type), .isa = LE__ISA_BITS

#endif
