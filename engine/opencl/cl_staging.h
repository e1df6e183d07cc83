/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pinned memory of a device with memory of its own, through which several threads move what is
 * large.
 */
#ifndef LE_CL_STAGING_H
#define LE_CL_STAGING_H

#include "cl_api.h"

#include <pthread.h>

typedef struct le__cl_staging {
    pthread_mutex_t mutex; /* held by who moves */
    size_t moved;          /* bytes so far that could have gone this way */
    cl_mem mem;            /* of all slots; NULL: not yet */
    char *host;            /* mem, mapped as long as the device is used */
    bool refused;          /* the driver gives no such memory */
} le__cl_staging;

struct le__cl_device;

void le__cl_staging_open(le__cl_staging *s);
void le__cl_staging_close(struct le__cl_device *d);

/* Moves bytes between a buffer and host memory and waits until that is done, where it is worth
 * while: true, how it went in *code, and in *start when it began (le__now), for downloads after
 * what the queue had before. False: nothing was done, the driver is to move them. Thread-safe. */
bool le__cl_stage(struct le__cl_device *d, cl_command_queue queue, cl_mem mem, size_t offset,
                  void *host, size_t bytes, bool is_upload, cl_int *code, double *start);

#endif
