/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target without libFuzzer: every file of the folders given, then mutations of them.
 *
 *     fuzz_nrrd [-runs=N] [-seconds=S] [-seed=X] FOLDER_OR_FILE...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS_MAX = 512, SIZE_MAX_BYTES = 1 << 18 };

static struct {
    uint8_t *data;
    size_t size;
} inputs[INPUTS_MAX];
static size_t n_inputs;
static uint64_t state;

static uint64_t next(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void add_file(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(SIZE_MAX_BYTES);
    if (!f || !data || n_inputs == INPUTS_MAX) {
        fprintf(stderr, "%s cannot be used\n", path);
        exit(2);
    }
    inputs[n_inputs].size = fread(data, 1, SIZE_MAX_BYTES, f);
    inputs[n_inputs++].data = data;
    fclose(f);
}

static void add_path(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        add_file(path);
        return;
    }
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            add_file(name);
        free(entries[i]);
    }
    free(entries);
}

static size_t mutate(uint8_t *data, size_t size) {
    for (uint64_t n = 1 + next() % 4; n > 0 && size > 0; n--) {
        size_t at = (size_t)(next() % size), to = (size_t)(next() % size);
        size_t length = (size_t)(next() % 16) + 1;
        length = at + length > size ? size - at : length;
        length = to + length > size ? size - to : length;
        switch (next() % 6) {
        case 0:
            data[at] ^= (uint8_t)(1u << (next() % 8));
            break;
        case 1:
            data[at] = (uint8_t)next();
            break;
        case 2:
            memset(data + at, next() % 2 ? 0xff : 0, length);
            break;
        case 3:
            memmove(data + to, data + at, length);
            break;
        case 4:
            size = at + 1; /* cut */
            break;
        default:
            data[at] = (uint8_t) "0123456789:,=-[]%/. "[next() % 20];
            break;
        }
    }
    return size;
}

int main(int argc, char **argv) {
    long runs = 0, seconds = 0;
    uint64_t seed = 1;
    for (int i = 1; i < argc; i++) {
        if (sscanf(argv[i], "-runs=%ld", &runs) == 1 ||
            sscanf(argv[i], "-seconds=%ld", &seconds) == 1)
            continue;
        unsigned long long s;
        if (sscanf(argv[i], "-seed=%llu", &s) == 1)
            seed = s;
        else
            add_path(argv[i]);
    }
    state = seed;
    for (size_t i = 0; i < n_inputs; i++)
        LLVMFuzzerTestOneInput(inputs[i].data, inputs[i].size);
    uint8_t *work = malloc(SIZE_MAX_BYTES);
    time_t end = time(NULL) + seconds;
    long done = 0;
    for (; work && n_inputs && (seconds ? time(NULL) < end : done < runs); done++) {
        size_t k = (size_t)(next() % n_inputs);
        memcpy(work, inputs[k].data, inputs[k].size);
        LLVMFuzzerTestOneInput(work, mutate(work, inputs[k].size));
    }
    printf("%zu inputs, %ld mutations, seed %llu\n", n_inputs, done, (unsigned long long)seed);
    free(work);
    for (size_t i = 0; i < n_inputs; i++)
        free(inputs[i].data);
    return n_inputs ? 0 : 2;
}
