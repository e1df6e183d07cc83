/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the CPU can do: instruction sets and the cores that this process may use.
 */
#ifndef LE_CPU_H
#define LE_CPU_H

#include "liquid_engine/le_method.h"

/* Bits of le_isa; 0 on other architectures. */
uint32_t le__cpu_isa(void);
/* "SSE2 AVX2" for the bits of a mask. */
void le__cpu_isa_text(uint32_t isa, char *out, size_t size);
/* Cores in the affinity mask of the process, at least 1. */
int le__cpu_cores(void);

#endif
