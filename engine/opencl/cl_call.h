/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The device side of one execution: where its arguments are on the device, its scratch buffers, and
 * the events of its commands.
 */
#ifndef LE_CL_CALL_H
#define LE_CL_CALL_H

#include "cl_device.h"
#include "cl_program.h"
#include "call/profile.h"
#include "call/storage.h"

struct le_cl_buffer {
    cl_mem mem;
    size_t bytes;     /* buffers */
    int64_t shape[3]; /* images */
    bool image;
    bool shared; /* belongs to a storage */
    struct le_cl_buffer *next;
};

typedef struct le__cl_copy { /* of a storage on a device: a buffer of all of it, or an image of a
                                part */
    le__device_copy base;    /* first: the storage knows this part only */
    le__cl_device *device;
    cl_mem mem;
    size_t bytes;     /* buffers */
    int64_t shape[3]; /* images: which part, and of what dtype it was made */
    int64_t offset;
    le_dtype dtype;
    cl_event filled; /* by an execution that runs beside others; NULL: long ago */
} le__cl_copy;

typedef struct le__cl_arg {
    cl_mem mem;             /* what kernels get; NULL: not asked for yet */
    cl_mem sub_buffer;      /* part of the storage's copy, to be released */
    le__cl_copy *copy;      /* of the tensor's storage */
    le_cl_buffer *stand_in; /* for borrowed memory, and parts that cannot be sub-buffers */
    le_cl_buffer *image;
    le_cl_buffer *count; /* of a counted output, where a kernel counts */
} le__cl_arg;

typedef struct le__cl_event {
    cl_event event;
    le__event_kind kind;
    const char *name;
    double queued; /* le__now() */
    bool moving;   /* an argument; ... */
    double called; /* and the seconds in the call that queued it: drivers may copy there */
    int64_t bytes;
    le_cl_kernel *kernel; /* of kernels; ... */
    double work;          /* and the operations that it was launched for */
} le__cl_event;

#define LE__CL_SLICE 0.1 /* seconds that nobody is heard at most */
enum { LE__CL_UPLOADS = 2 * LE_MAX_ARGS };

struct le__cl_call {
    le__cl_device *device;
    cl_command_queue queue;
    int lane;
    le_cl_info info; /* the device's, with the call's own memory limit */
    le_cl_buffer *buffers;
    le__cl_copy *uploaded[LE__CL_UPLOADS]; /* stale again if the execution fails */
    size_t n_uploaded;
    le__cl_event *events;
    size_t n_events, capacity;
    double ahead; /* seconds that commands enqueued since the last wait are taken to last */
    bool holds;   /* the device's mutex, while arguments are brought */
    bool profile;
    bool moving; /* what is queued brings an argument to or from the device */
    le__cl_arg args[LE_MAX_ARGS];
};

typedef struct le__cl_call le__cl_call;

/* The memory a kernel gets for a tensor argument; NULL for an optional one that is absent. */
le_status le__cl_argument(le_call *call, int arg, cl_mem *out);
/* Reads what kernels counted, after all of them are done. */
le_status le__cl_read_counts(le_call *call);
/* Hands outputs over after all kernels are done. */
le_status le__cl_deliver(le_call *call);
/* Releases what belongs to the execution; failed: copies made by it are not to be trusted. */
void le__cl_release_arguments(le_call *call, bool failed);

/* Before something is enqueued that is taken to last so long, where somebody may end the call: what
 * has been enqueued is waited for when it would be too much, so that the end is never far.
 * LE_ERR_CANCELLED: the call is to end. The device's mutex is free meanwhile. */
le_status le__cl_turn(le_call *call, double seconds);
/* How many of n units of so many bytes are moved at a time. */
size_t le__cl_portion(const le_call *call, size_t n, size_t bytes);
/* Seconds that moving so many bytes is taken to last at most. */
double le__cl_moving_seconds(size_t bytes);
/* Enqueue, count bytes, keep the event. host must stay until the queue is done unless blocking. */
le_status le__cl_write(le_call *call, cl_mem mem, size_t offset, const void *host, size_t bytes,
                       bool blocking);
le_status le__cl_read(le_call *call, cl_mem mem, size_t offset, void *host, size_t bytes,
                      bool blocking);
le_status le__cl_copy_buffer(le_call *call, cl_mem from, cl_mem to, size_t from_offset,
                             size_t to_offset, size_t bytes);
/* Fills memory that nobody has written to yet, where that is wanted (guard.h). */
le_status le__cl_poison(le_call *call, cl_mem mem, size_t bytes);
/* The storage's copy of this owner, which is the device, or for an image the address of its info;
 * NULL: there is none. Copies are added only with device->mutex held, so what is found stays. */
le__cl_copy *le__cl_find_copy(le_storage *s, const void *owner, bool *valid);
void le__cl_set_valid(le_storage *s, le__cl_copy *copy, bool valid);
void le__cl_release_copy(le__device_copy *copy);
/* Device mutex held for these two. The copy is filled by what has been enqueued; what is enqueued
 * from now on waits until the copy is filled, by whomever. */
le_status le__cl_note_filled(le_call *call, le__cl_copy *copy);
le_status le__cl_wait_filled(le_call *call, const le__cl_copy *copy);
/* An event slot for the next command, or NULL where none is wanted. le__cl_event_done follows. */
cl_event *le__cl_event_slot(le_call *call, le__event_kind kind, const char *name,
                            int64_t bytes);
/* Tells the profile of a download that belongs to no execution and is done. event NULL: it went
 * through the staging. */
void le__cl_record_download(const le__cl_device *d, cl_event event, double queued, int64_t bytes);
/* Of a move of an execution that has gone through the staging since `start`. */
void le__cl_note_staged(le_call *call, le__event_kind kind, double start, int64_t bytes);
/* For the execution: released with its arguments. */
le_status le__cl_hold(le__cl_call *c, le_cl_buffer buffer, le_cl_buffer **out);
/* The error of what is called outside of an execution. */
le_status le__cl_no_execution(void);
/* Waits for the queue and evaluates the events: kernel time, records, failures. */
le_status le__cl_collect(le_call *call);

#endif
