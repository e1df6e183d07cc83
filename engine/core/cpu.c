/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Instruction sets by the compiler's own run-time check, cores by the affinity mask.
 */
#include "core/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

uint32_t le__cpu_isa(void) {
    uint32_t isa = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse2"))
        isa |= LE_ISA_SSE2;
    /* F16C came with Ivy Bridge; every CPU with AVX2 has it */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        isa |= LE_ISA_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        isa |= LE_ISA_AVX512;
#endif
    return isa;
}

void le__cpu_isa_text(uint32_t isa, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", isa & LE_ISA_SSE2 ? "SSE2 " : "",
             isa & LE_ISA_AVX2 ? "AVX2 " : "", isa & LE_ISA_AVX512 ? "AVX-512 " : "");
    for (size_t i = 0; out[i]; i++)
        if (out[i] == ' ' && !out[i + 1])
            out[i] = '\0';
}

int le__cpu_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}
