/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the descriptors of the family's vector implementations for x86 have in common.
 */
#ifndef LE_VOLUME_DESCRIBE_SIMD_H
#define LE_VOLUME_DESCRIBE_SIMD_H

#include "liquid_engine/le_method.h"

/* The descriptor of operation_'s implementation `id`; then come the functions: .range = ... */
#define LE__DESCRIBE_SIMD(operation_, id, type, isa_bits, guess, text, ...)                        \
    extern const le_implementation le_implementation_##operation_##__##id;                         \
    const le_implementation le_implementation_##operation_##__##id = {                             \
        .abi = LE_METHOD_ABI,                                                                      \
        .operation = #operation_,                                                                  \
        .name = #id,                                                                               \
        .run_type = type,                                                                          \
        .summary = text,                                                                           \
        .isa = isa_bits,                                                                           \
        .flags = LE_IMPL_REPRODUCIBLE,                                                             \
        .speed = guess,                                                                            \
        __VA_ARGS__,                                                                               \
    }

#endif
