/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writes the files of tests/cli/le-scan.sh and tests/mpi/scans.sh into the folder where it is
 * started: scans of frames of 40 x 50 u16 in bitshuffled chunks, and the frames as plain numbers.
 * With the name of a file it is that one, frame by frame, or with a number behind it so many
 * frames, the eight again and again; then the number of one that is damaged, or -1, and any word
 * for frames of other numbers. The word `blocks` behind it: five frames share a chunk; `room`: the
 * dataset has room for all from the start.
 */
#include <hdf5.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scattering/encode.h"

enum { ROWS = 40, COLS = 50, FRAME = ROWS * COLS, MOST = 8, LONG = 200, PAUSE = 100000000 };

static uint16_t frames[LONG * FRAME];

static void stop(const char *what) {
    fprintf(stderr, "%s cannot be written\n", what);
    exit(1);
}

static void write_raw(const char *name, const uint16_t *values, int64_t n) {
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(values, sizeof *values, (size_t)n, f) != (size_t)n || fclose(f))
        stop(name);
}

/* A chunk of the shape, from frame `first` and row `row` on, of frames before `end`. */
static void cut(const hsize_t *chunk, int64_t first, int64_t end, int64_t row, uint16_t *out) {
    for (hsize_t k = 0; k < chunk[0]; k++)
        for (hsize_t i = 0; i < chunk[1]; i++)
            for (hsize_t j = 0; j < chunk[2]; j++) {
                const int64_t f = first + (int64_t)k, r = row + (int64_t)i;
                *out++ = f < end && r < ROWS ? frames[f * FRAME + r * COLS + (int64_t)j] : 0;
            }
}

/* Frames [first, first + n) in such chunks; bad: a chunk that is damaged, -1: none. */
static void write_scan(const char *name, const char *set_name, int64_t first, int64_t n,
                       const hsize_t *chunk, int bad) {
    const hsize_t shape[3] = {(hsize_t)n, ROWS, COLS};
    const unsigned values[] = {0, 5, 2, 0, 2}; /* versions, bytes of an element, usual block, LZ4 */
    const le__sc_format format = {.compression = LE__SC_BITS_LZ4,
                                  .element = 2,
                                  .elements = (int64_t)(chunk[0] * chunk[1] * chunk[2])};
    static uint16_t values_of_chunk[MOST * FRAME];
    static uint8_t bytes[4 * MOST * FRAME];
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_chunk(how, 3, chunk);
    /* this program has no such filter, and needs none to write chunks as they are */
    H5Pset_filter(how, 32008, H5Z_FLAG_OPTIONAL, sizeof values / sizeof *values, values);
    hid_t set = H5Dcreate2(file, set_name, H5T_STD_U16LE, space, links, how, H5P_DEFAULT);
    if (set < 0)
        stop(name);
    int number = 0;
    for (hsize_t f = 0; f < shape[0]; f += chunk[0])
        for (hsize_t r = 0; r < ROWS; r += chunk[1]) {
            const hsize_t at[3] = {f, r, 0};
            cut(chunk, first + (int64_t)f, first + n, (int64_t)r, values_of_chunk);
            const int64_t size = le__sc_encode(&format, values_of_chunk, bytes);
            if (number++ == bad)
                bytes[13] ^= 0x40; /* the size of the first block */
            if (H5Dwrite_chunk(set, H5P_DEFAULT, 0, at, (size_t)size, bytes) < 0)
                stop(name);
        }
    H5Dclose(set);
    H5Pclose(how);
    H5Pclose(links);
    H5Sclose(space);
    H5Fclose(file);
}

static void write_master(void) {
    static const char *const files[] = {"part_1.h5", "part_2.h5", "part_3.h5"};
    hid_t file = H5Fcreate("master.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (int k = 0; k < 3; k++) {
        char name[64];
        snprintf(name, sizeof name, "/entry/data/data_%06d", k + 1);
        if (H5Lcreate_external(files[k], "/entry/data/data", file, name, links, H5P_DEFAULT) < 0)
            stop("master.h5");
    }
    H5Pclose(links);
    H5Fclose(file);
}

/* A file that others may read while it is written (HDF5's SWMR), with a dataset of n frames. */
static hid_t begin_swmr(const char *name, hsize_t n, hsize_t together, hid_t how, hid_t *set) {
    const hsize_t shape[3] = {n, ROWS, COLS}, most[3] = {H5S_UNLIMITED, ROWS, COLS},
                  chunk[3] = {together, ROWS, COLS};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_chunk(how, 3, chunk);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t space = H5Screate_simple(3, shape, most);
    *set = H5Dcreate2(file, "data", H5T_STD_U16LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (*set < 0 || H5Fstart_swmr_write(file) < 0)
        stop(name);
    H5Sclose(space);
    H5Pclose(how);
    H5Pclose(access);
    return file;
}

/* One frame after the other; together: as many share a chunk, which is written anew with each. */
static void write_one_by_one(const char *name, int n, long nanoseconds, int bad, hsize_t together) {
    const hsize_t chunk[3] = {together, ROWS, COLS};
    const unsigned values[] = {0, 5, 2, 0, 2};
    const le__sc_format format = {
        .compression = LE__SC_BITS_LZ4, .element = 2, .elements = (int64_t)together * FRAME};
    const struct timespec pause = {.tv_nsec = nanoseconds};
    static uint16_t values_of_chunk[MOST * FRAME];
    static uint8_t bytes[4 * MOST * FRAME];
    hid_t set, how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_filter(how, 32008, H5Z_FLAG_OPTIONAL, sizeof values / sizeof *values, values);
    hid_t file = begin_swmr(name, 0, together, how, &set);
    for (hsize_t f = 0; f < (hsize_t)n; f++) {
        const hsize_t shape[3] = {f + 1, ROWS, COLS}, at[3] = {f - f % together, 0, 0};
        const int64_t first = (int64_t)(at[0] % MOST), end = first + (int64_t)(f % together) + 1;
        cut(chunk, first, end, 0, values_of_chunk);
        const int64_t size = le__sc_encode(&format, values_of_chunk, bytes);
        if ((int)f == bad)
            bytes[13] ^= 0x40;
        nanosleep(&pause, NULL);
        if (H5Dset_extent(set, shape) < 0 || H5Dflush(set) < 0 ||
            H5Dwrite_chunk(set, H5P_DEFAULT, 0, at, (size_t)size, bytes) < 0 || H5Dflush(set) < 0)
            stop(name);
    }
    H5Dclose(set);
    H5Fclose(file);
}

/* The same in a dataset that has room for all from the start, in chunks that HDF5 has compressed.
 */
static void write_into_room(const char *name, long nanoseconds) {
    const hsize_t one[3] = {1, ROWS, COLS};
    const struct timespec pause = {.tv_nsec = nanoseconds};
    hid_t set, how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_deflate(how, 3);
    hid_t file = begin_swmr(name, MOST, 1, how, &set);
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(3, one, NULL);
    for (hsize_t f = 0; f < MOST; f++) {
        const hsize_t at[3] = {f, 0, 0};
        nanosleep(&pause, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
        if (H5Dwrite(set, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, frames + f * FRAME) < 0 ||
            H5Dflush(set) < 0)
            stop(name);
    }
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

/* how: H5P_DEFAULT, or the properties of the dataset */
static void write_member(hid_t file, const char *name, hid_t type, int ndim, const hsize_t *shape,
                         hid_t how, const void *data) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(ndim, shape, NULL);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        stop(name);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

/* The first and the last part as datasets of one group, and between them one whose header, which
 * has a checksum, is damaged. */
static void write_broken(void) {
    enum { INSIDE = 30 }; /* bytes from where it begins */
    static const char *const names[] = {"/entry/data/data_000001", "/entry/data/data_000002",
                                        "/entry/data/data_000003"};
    H5O_info_t info = {.addr = 0};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_create_intermediate_group(links, 1);
    hid_t file = H5Fcreate("broken.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    write_member(file, names[1], H5T_NATIVE_UINT16, 3, (const hsize_t[]){3, ROWS, COLS},
                 H5P_DEFAULT, frames);
    H5Oget_info_by_name2(file, names[1], &info, H5O_INFO_BASIC, H5P_DEFAULT);
    for (int k = 0; k < 3; k += 2) {
        hid_t part = H5Fopen(k ? "part_3.h5" : "part_1.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        if (H5Ocopy(part, "/entry/data/data", file, names[k], H5P_DEFAULT, links) < 0)
            stop("broken.h5");
        H5Fclose(part);
    }
    H5Fclose(file);
    H5Pclose(links);
    H5Pclose(access);
    FILE *f = fopen("broken.h5", "r+b");
    if (!f || fseek(f, (long)info.addr + INSIDE, SEEK_SET) || fwrite("?", 1, 1, f) != 1 ||
        fclose(f))
        stop("broken.h5");
}

/* All frames in chunks that HDF5 itself has compressed. */
static void write_deflated(void) {
    const hsize_t shape[3] = {MOST, ROWS, COLS};
    hid_t file = H5Fcreate("deflated.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 3, (const hsize_t[]){1, ROWS, COLS});
    H5Pset_deflate(how, 3);
    write_member(file, "/entry/data/data_000001", H5T_NATIVE_UINT16, 3, shape, how, frames);
    H5Pclose(how);
    H5Fclose(file);
}

/* The frames of the three parts as one virtual dataset. */
static void write_virtual(void) {
    const hsize_t shape[3] = {MOST, ROWS, COLS}, begin[4] = {0, 3, 6, 8};
    hid_t file = H5Fcreate("virtual.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    for (int k = 0; k < 3; k++) {
        const hsize_t at[3] = {begin[k]}, part[3] = {begin[k + 1] - begin[k], ROWS, COLS};
        char name[32];
        snprintf(name, sizeof name, "part_%d.h5", k + 1);
        hid_t from = H5Screate_simple(3, part, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, part, NULL);
        if (H5Pset_virtual(how, space, name, "/entry/data/data", from) < 0)
            stop("virtual.h5");
        H5Sclose(from);
    }
    H5Sselect_all(space);
    H5Dclose(H5Dcreate2(file, "data", H5T_STD_U16LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
}

/* One mask as a TIFF page, as plain bytes, and in a detector file without corners of pixels. */
static void write_masks(void) {
    uint8_t mask[FRAME];
    enum { TAGS = 9, START = 8 + 2 + 12 * TAGS + 4 };
    const uint32_t tags[TAGS][3] = {{256, 4, COLS}, {257, 4, ROWS}, {258, 3, 8},
                                    {259, 3, 1},    {262, 3, 1},    {273, 4, START},
                                    {277, 3, 1},    {278, 4, ROWS}, {279, 4, FRAME}};
    for (int i = 0; i < FRAME; i++)
        mask[i] = i % 7 == 3 || i % 50 < 5;
    FILE *raw = fopen("mask.raw", "wb"), *tif = fopen("mask.tif", "wb");
    if (!raw || !tif)
        stop("mask.tif");
    fwrite(mask, 1, FRAME, raw);
    fwrite("II*\0\10\0\0\0\11", 1, 10, tif); /* the directory is at 8, of TAGS tags */
    for (int k = 0; k < TAGS; k++) {
        const uint16_t name[2] = {(uint16_t)tags[k][0], (uint16_t)tags[k][1]};
        fwrite(name, 2, 2, tif);
        fwrite((const uint32_t[]){1, tags[k][2]}, 4, 2, tif);
    }
    fwrite("\0\0\0", 1, 4, tif);
    fwrite(mask, 1, FRAME, tif);
    if (fclose(raw) || fclose(tif))
        stop("mask.tif");
    const double pixel[] = {1e-4, 1e-4};
    const int orientation = 2;
    hid_t file = H5Fcreate("detector.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
#define DETECTOR "/entry/instrument/detector/"
    write_member(file, DETECTOR "mask", H5T_NATIVE_UINT8, 2, (const hsize_t[]){ROWS, COLS},
                 H5P_DEFAULT, mask);
    write_member(file, DETECTOR "pixel_size", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){2},
                 H5P_DEFAULT, pixel);
    write_member(file, DETECTOR "orientation", H5T_NATIVE_INT, 0, NULL, H5P_DEFAULT, &orientation);
    H5Fclose(file);
}

int main(int argc, char **argv) {
    for (int64_t i = 0; i < LONG * FRAME; i++)
        frames[i] = (uint16_t)((i * 7919 + i / FRAME * 31) % 97);
    if (argc > 2 && !strcmp(argv[2], "room")) {
        write_into_room(argv[1], PAUSE);
        return 0;
    }
    if (argc > 2 && !strcmp(argv[2], "blocks")) {
        write_one_by_one(argv[1], MOST, PAUSE, -1, 5);
        return 0;
    }
    if (argc > 1) {
        const int n = argc > 2 ? atoi(argv[2]) : MOST;
        if (argc > 4) /* other numbers */
            for (int64_t i = 0; i < LONG * FRAME; i++)
                frames[i] = (uint16_t)(96 - frames[i]);
        write_one_by_one(argv[1], n, argc > 2 ? 0 : PAUSE, argc > 3 ? atoi(argv[3]) : -1, 1);
        return 0;
    }
    write_raw("frames.raw", frames, (int64_t)MOST * FRAME);
    write_scan("scan.h5", "/entry/data/data", 0, MOST, (const hsize_t[]){1, ROWS, COLS}, -1);
    write_scan("long.h5", "/entry/data/data", 0, LONG, (const hsize_t[]){1, ROWS, COLS}, -1);
    write_scan("bad.h5", "/entry/data/data", 0, MOST, (const hsize_t[]){1, ROWS, COLS}, 2);
    write_scan("three.h5", "/entry/data/data", 0, MOST, (const hsize_t[]){3, ROWS, COLS}, -1);
    write_scan("parts.h5", "/entry/data/data", 0, MOST, (const hsize_t[]){2, 16, COLS}, -1);
    write_scan("part_1.h5", "/entry/data/data", 0, 3, (const hsize_t[]){1, ROWS, COLS}, -1);
    write_scan("part_2.h5", "/entry/data/data", 3, 3, (const hsize_t[]){1, ROWS, COLS}, -1);
    write_scan("part_3.h5", "/entry/data/data", 6, 2, (const hsize_t[]){1, ROWS, COLS}, -1);
    write_master();
    write_broken();
    write_deflated();
    write_virtual();
    write_masks();
    return 0;
}
