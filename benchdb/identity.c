/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Identities: what this machine consists of, and how two sets of parts differ.
 */
#include "internal.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

static const struct {
    le_db_kind kind;
    const char *name;
    uint32_t bit;
} part_bits[] = {
    {LE_DB_MACHINE, "cpu_model", LE_DIFF_CPU_MODEL},
    {LE_DB_MACHINE, "isa", LE_DIFF_ISA},
    {LE_DB_MACHINE, "cores", LE_DIFF_CORES},
    {LE_DB_MACHINE, "memory", LE_DIFF_MEMORY},
    {LE_DB_MACHINE, "os", LE_DIFF_OS},
    {LE_DB_MACHINE, "host", LE_DIFF_HOST},
    {LE_DB_BUILD, "compiler", LE_DIFF_COMPILER},
    {LE_DB_BUILD, "version", LE_DIFF_VERSION},
    {LE_DB_BUILD, "flags", LE_DIFF_FLAGS},
    {LE_DB_DEVICE, "name", LE_DIFF_DEVICE_NAME},
    {LE_DB_DEVICE, "vendor", LE_DIFF_DEVICE_VENDOR},
    {LE_DB_DEVICE, "driver", LE_DIFF_DRIVER},
    {LE_DB_DEVICE, "platform", LE_DIFF_PLATFORM},
    {LE_DB_DEVICE, "units", LE_DIFF_UNITS},
};

static uint32_t bit_of(le_db_kind kind, const char *name) {
    for (size_t i = 0; i < sizeof part_bits / sizeof *part_bits; i++)
        if (part_bits[i].kind == kind && strcmp(part_bits[i].name, name) == 0)
            return part_bits[i].bit;
    return kind == LE_DB_MACHINE ? (uint32_t)LE_DIFF_MACHINE_OTHER
           : kind == LE_DB_BUILD ? (uint32_t)LE_DIFF_BUILD_OTHER
                                 : (uint32_t)LE_DIFF_DEVICE_OTHER;
}

const char *le__db_part_of(const le_db_part *parts, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(parts[i].name, name) == 0)
            return parts[i].value;
    return "";
}

uint32_t le__db_compare_parts(le_db_kind kind, const le_db_part *a, size_t n_a, const le_db_part *b,
                              size_t n_b) {
    uint32_t bits = 0;
    for (size_t i = 0, j = 0; i < n_a || j < n_b;) {
        int order = i == n_a ? 1 : j == n_b ? -1 : strcmp(a[i].name, b[j].name);
        if (order != 0)
            bits |= bit_of(kind, order < 0 ? a[i].name : b[j].name);
        else if (strcmp(a[i].value, b[j].value) != 0)
            bits |= bit_of(kind, a[i].name);
        i += order <= 0;
        j += order >= 0;
    }
    return bits;
}

size_t le__db_sort_parts(le_db_part *parts, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        le_db_part p = parts[i];
        size_t at = count;
        while (at > 0 && strcmp(parts[at - 1].name, p.name) > 0)
            at--;
        if (at > 0 && strcmp(parts[at - 1].name, p.name) == 0) {
            parts[at - 1] = p;
            continue;
        }
        memmove(parts + at + 1, parts + at, (count - at) * sizeof *parts);
        parts[at] = p;
        count++;
    }
    return count;
}

int64_t le_db_identity_id(le_db_kind kind, const le_db_part *parts, size_t n) {
    le_db_part sorted[LE__MAX_PARTS];
    n = n < LE__MAX_PARTS ? n : LE__MAX_PARTS;
    if (n > 0)
        memcpy(sorted, parts, n * sizeof *parts);
    n = le__db_sort_parts(sorted, n);
    uint64_t h = (uint64_t)kind;
    for (size_t i = 0; i < n; i++) {
        h = XXH3_64bits_withSeed(sorted[i].name, strlen(sorted[i].name) + 1, h);
        h = XXH3_64bits_withSeed(sorted[i].value, strlen(sorted[i].value) + 1, h);
    }
    return h == 0 ? 1 : (int64_t)h;
}

/* --- this machine --- */

typedef struct text {
    char *at;
    size_t left;
} text;

static void put(text *t, le_db_part *parts, size_t max, size_t *n, const char *name,
                const char *value) {
    size_t need = strlen(value) + 1;
    if (*n >= max || need > t->left)
        return;
    memcpy(t->at, value, need);
    parts[(*n)++] = (le_db_part){name, t->at};
    t->at += need;
    t->left -= need;
}

/* Those that decide which code runs and how fast; the whole list changes with every kernel. */
static void keep_isa(const char *flags, char *out, size_t size) {
    static const char *const wanted[] = {
        "sse2",     "ssse3",    "sse4_1",      "sse4_2",      "avx",         "f16c",
        "fma",      "avx2",     "bmi2",        "avx512f",     "avx512cd",    "avx512bw",
        "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx512_vbmi",
        "avx_vnni", "amx_tile", "asimd",       "sve",         "sve2",        "neon",
    };
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t len = strlen(wanted[i]);
        const char *p = strstr(flags, wanted[i]);
        while (p && !((p == flags || p[-1] == ' ') && strchr(" \n", p[len])))
            p = strstr(p + 1, wanted[i]);
        if (p && used + len + 2 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", wanted[i]);
    }
}

static void read_cpuinfo(char *model, size_t model_size, char *isa, size_t isa_size) {
    char line[16384];
    FILE *f = fopen("/proc/cpuinfo", "re");
    model[0] = isa[0] = 0;
    while (f && (!model[0] || !isa[0]) && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (!value)
            continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = 0;
        if (!model[0] && (!strncmp(line, "model name", 10) || !strncmp(line, "CPU part", 8)))
            snprintf(model, model_size, "%s", value);
        if (!isa[0] && (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)))
            keep_isa(value, isa, isa_size);
    }
    if (f)
        fclose(f);
}

static int usable_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

size_t le_db_machine_parts(le_db_part *parts, size_t max, char *buffer, size_t size) {
    char model[256], isa[256], value[320];
    struct utsname u = {0};
    text t = {buffer, size};
    size_t n = 0;
    read_cpuinfo(model, sizeof model, isa, sizeof isa);
    if (uname(&u) != 0)
        memset(&u, 0, sizeof u);
    put(&t, parts, max, &n, "cpu_model", model[0] ? model : u.machine);
    put(&t, parts, max, &n, "isa", isa);
    snprintf(value, sizeof value, "%d", usable_cores());
    put(&t, parts, max, &n, "cores", value);
    double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0;
    snprintf(value, sizeof value, "%.0f", ceil(gib));
    put(&t, parts, max, &n, "memory", value);
    snprintf(value, sizeof value, "%.64s %.128s", u.sysname, u.release);
    put(&t, parts, max, &n, "os", value);
    snprintf(value, sizeof value, "%016llx",
             (unsigned long long)XXH3_64bits(u.nodename, strlen(u.nodename)));
    put(&t, parts, max, &n, "host", value);
    return n;
}
