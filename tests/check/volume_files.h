/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reads the shared volumes and golden results: LE_SHARED, else shared/ beside the repository.
 */
#ifndef LE_TESTS_VOLUME_FILES_H
#define LE_TESTS_VOLUME_FILES_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liquid_engine/le.h"

/* The path of a shared file in a static buffer; NULL when there is no such file. */
static inline const char *shared_file(const char *name)
{
    static char path[1024];
    const char *root = getenv("LE_SHARED"), *source = getenv("LE_SOURCE_DIR");
    if (root && root[0])
        snprintf(path, sizeof path, "%s/%s", root, name);
    else
        snprintf(path, sizeof path, "%s/../shared/%s", source ? source : ".", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fclose(f);
    return path;
}

/* Reads a dataset as f32, f64 or u16 into a tensor that the caller frees with free(t.data);
 * data NULL on failure. */
static inline le_tensor read_dataset(const char *file, const char *name, le_dtype dtype)
{
    le_tensor t = {0};
    hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t d = f >= 0 ? H5Dopen2(f, name, H5P_DEFAULT) : -1;
    hid_t space = d >= 0 ? H5Dget_space(d) : -1;
    if (space >= 0) {
        hsize_t dims[LE_MAX_DIMS];
        int64_t shape[LE_MAX_DIMS];
        int ndim = H5Sget_simple_extent_dims(space, dims, NULL);
        size_t count = 1;
        for (int i = 0; i < ndim; i++) {
            shape[i] = (int64_t)dims[i];
            count *= (size_t)dims[i];
        }
        void *data = malloc(count * le_dtype_size(dtype));
        hid_t type = dtype == LE_F32   ? H5T_NATIVE_FLOAT
                     : dtype == LE_U16 ? H5T_NATIVE_UINT16
                                       : H5T_NATIVE_DOUBLE;
        if (data && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0)
            t = le_tensor_of(data, dtype, ndim, shape);
        else
            free(data);
    }
    if (space >= 0)
        H5Sclose(space);
    if (d >= 0)
        H5Dclose(d);
    if (f >= 0)
        H5Fclose(f);
    return t;
}

#endif
