/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory that the engine allocated for a tensor: a host copy, device copies, and which of them are
 * the newest. Reference counted: slices of a chain's value share one storage.
 */
#ifndef LE_STORAGE_H
#define LE_STORAGE_H

#include "liquid_engine/le_method.h"

#include <pthread.h>
#include <stdatomic.h>

/* A copy on a device. The device side owns its meaning; release is called without the lock. */
typedef struct le__device_copy {
    void *owner; /* the device, or what stands for its images; compared only */
    bool valid;
    const void *image_of; /* the device, of an image: contents cannot be had back; NULL: not one */
    le_status (*download)(struct le__device_copy *copy, void *host, size_t bytes);
    void (*release)(struct le__device_copy *copy);
    struct le__device_copy *next;
} le__device_copy;

struct le_storage {
    atomic_int references;
    pthread_mutex_t mutex; /* guards all below */
    size_t bytes;
    void *host; /* NULL until first needed */
    bool host_valid;
    bool borrowed; /* host is the caller's memory */
    void (*release)(void *cookie); /* not NULL: host is given back by it instead */
    void *cookie;
    void *map;     /* host lies in this mapping, which is unmapped instead; NULL: it does not */
    size_t map_bytes;
    le__device_copy *copies;
};

/* host memory is allocated (and zeroed when `zero`) now if `host`, else at le__storage_host. */
le_status le__storage_new(le_storage **out, size_t bytes, bool host, bool zero);
/* A storage over the caller's memory, which must outlive it. valid: it has contents. */
le_status le__storage_borrow(le_storage **out, void *host, size_t bytes, bool valid);
/* A storage over memory that is given back by release(cookie) with it. */
le_status le__storage_adopt(le_storage **out, void *host, size_t bytes,
                            void (*release)(void *cookie), void *cookie);
/* A storage in the middle of a mapping of its own, which is unmapped with it. */
le_status le__storage_mapped(le_storage **out, void *map, size_t map_bytes, void *host,
                             size_t bytes);
le_storage *le__storage_retain(le_storage *s);
void le__storage_release(le_storage *s);
/* Whether it has memory on the host. */
bool le__storage_has_host(le_storage *s);
/* Whether only a device has the newest contents. */
bool le__storage_is_on_device(le_storage *s);
/* Whether it is memory of the engine's own, on the host and nowhere else. */
bool le__storage_is_plain(le_storage *s);
/* Devices that have the contents, as bits of their index; bit 0: the host has. */
uint32_t le__storage_places(le_storage *s, const le_engine *engine);
/* Whether anything was ever written to it, here or on a device. */
bool le__storage_has_contents(le_storage *s);
/* Frees the copies on a device (owner), or with NULL the host's own memory, when another valid one is
 * left, which an image is not. */
void le__storage_drop(le_storage *s, const void *owner);
/* The contents of another storage of as many bytes, both on devices only, become those of this one,
 * without a move; the other one has none then. */
void le__storage_replace(le_storage *s, le_storage *by);
/* Only the first so many bytes have contents: where they are on devices alone, no more than these
 * will be brought to the host. */
void le__storage_cut(le_storage *s, size_t bytes);
/* Valid host memory: allocates and downloads where needed. for_writing: device copies become stale.
 * discard: the old contents are not needed. */
le_status le__storage_host(le_storage *s, bool for_writing, bool discard, void **out);

#endif
