/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * HDF5 decodes chunks with filters that it has; those that the library has beside are made known to
 * it. One that a program has registered, or that HDF5 finds as a plugin, is left alone.
 */
#include "files/filters.h"
#include "files/h5.h"

/* HDF5's memory, into which the decoded chunk goes; 0: it is damaged. */
static size_t decode(const le_filter *f, unsigned flags, size_t n, const unsigned *values,
                     size_t bytes, size_t *room, void **buffer) {
    if (!(flags & H5Z_FLAG_REVERSE) || bytes > PTRDIFF_MAX)
        return 0; /* nothing is written */
    const int64_t out_bytes = f->decoded(values, n, *buffer, (int64_t)bytes);
    void *out = out_bytes > 0 ? H5allocate_memory((size_t)out_bytes, 0) : NULL;
    if (!out || f->decode(values, n, *buffer, (int64_t)bytes, out, out_bytes)) {
        H5free_memory(out);
        return 0;
    }
    H5free_memory(*buffer);
    *buffer = out;
    *room = (size_t)out_bytes;
    return (size_t)out_bytes;
}

/* HDF5 does not tell a filter its number. */
#define FILTER(k)                                                                                  \
    static size_t filter_##k(unsigned flags, size_t n, const unsigned *values, size_t bytes,       \
                             size_t *room, void **buffer) {                                        \
        return decode(le_builtin_filters[k], flags, n, values, bytes, room, buffer);               \
    }
FILTER(0)
FILTER(1)
FILTER(2)
FILTER(3)

void le__h5_know_filters(void) {
    static size_t (*const functions[])(unsigned, size_t, const unsigned *, size_t, size_t *,
                                       void **) = {filter_0, filter_1, filter_2, filter_3};
    for (size_t k = 0; k < sizeof functions / sizeof *functions && le_builtin_filters[k]; k++) {
        const H5Z_class2_t class = {.version = H5Z_CLASS_T_VERS,
                                    .id = (H5Z_filter_t)le_builtin_filters[k]->id,
                                    .decoder_present = 1,
                                    .name = le_builtin_filters[k]->name,
                                    .filter = functions[k]};
        if (H5Zfilter_avail(class.id) <= 0)
            H5Zregister(&class);
    }
}
