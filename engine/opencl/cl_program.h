/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Programs of a device: sources (embedded, or from a folder), builds, binaries on disk, kernels.
 */
#ifndef LE_CL_PROGRAM_H
#define LE_CL_PROGRAM_H

#include "cl_device.h"

#include "call/source.h"

struct le_cl_kernel {
    cl_kernel handle;
    char *name;
    bool undivided;         /* its text asks for the size of the launch */
    _Atomic double seconds; /* that a launch took lately, per operation of its call; 0: unknown */
    struct le_cl_kernel *next;
};

typedef struct le__cl_program {
    char *key; /* hash of the given source, and the options */
    cl_program handle;
    bool undivided;
    le_cl_kernel *kernels;
    struct le__cl_program *next;
} le__cl_program;

/* A kernel of `source`, built when that has not been done. device->mutex is held and the device is
 * ready. LE_ERR_BUILD: the text has the build log's first lines. */
le_status le__cl_program_kernel(le__cl_device *d, const le_cl_source *source, const char *kernel,
                                const char *options, le_cl_kernel **out);
void le__cl_programs_free(le__cl_device *d);

/* The text to build: <cl_dir>/<name>.cl with its includes expanded (each once, relative to cl_dir)
 * when that file exists, else the embedded one. *text is owned by the caller; hash gets 64
 * hexadecimal digits at most. */
le_status le__cl_source_text(const char *cl_dir, const le_cl_source *source, char **text,
                             char hash[LE__KERNEL_HASH]);

/* Folder for binaries, owned by the caller; NULL: none. given NULL:
 * $XDG_CACHE_HOME/liquid_engine/cl, else ~/.cache/liquid_engine/cl. */
char *le__cl_cache_dir(const char *given);
/* A binary stored under key, owned by the caller; NULL when there is none or it is damaged. */
unsigned char *le__cl_cache_load(const char *dir, const char *key, size_t *size);
/* Best effort: temporary name, then rename. */
void le__cl_cache_store(const char *dir, const char *key, const unsigned char *binary, size_t size,
                        const le__log *log);

#endif
