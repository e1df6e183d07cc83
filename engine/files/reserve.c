/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files whose data several processes write: room first, under a name of its own, then the name.
 */
#include "files/io.h"

#include "liquid_engine/le_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *part_of(const char *file) {
    size_t size = strlen(file) + sizeof ".part";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.part", file);
    return name;
}

le_status le__io_part_parse(const char *text, le__io_place *place, char **part) {
    *part = NULL;
    le_status status = le__io_place_parse(text, place);
    if (status != LE_OK)
        return status;
    if (place->format != LE__IO_HDF5)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: only HDF5 files are written in parts", text);
    else if (!(*part = part_of(place->file)))
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
    if (status != LE_OK)
        le__io_place_free(place);
    return status;
}

static le_status fill_part(const le__io_place *place, const char *part, const le_tensor *shape,
                           int64_t *offset) {
    int fd = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    le_status status = le__h5_reserve(place, fd, shape, offset);
    close(fd);
    if (status != LE_OK)
        unlink(part);
    return status;
}

static le_status make_part(const le__io_place *place, const char *part, const le_tensor *shape,
                           int64_t *offset) {
    le__outfile folders; /* makes those on the way, and refuses what is no file */
    le_status status = le__io_temp_open(place->file, false, &folders);
    if (status != LE_OK)
        return status;
    le__outfile_abandon(&folders);
    return fill_part(place, part, shape, offset);
}

le_status le_io_target_reserve(const char *place_text, const le_tensor *shape, bool again,
                               int64_t *offset) {
    le__io_place place;
    char *part;
    le_status status = le__io_part_parse(place_text, &place, &part);
    if (status != LE_OK)
        return status;
    status = again ? le__h5_reserved(&place, part, shape, offset)
                   : make_part(&place, part, shape, offset);
    free(part);
    le__io_place_free(&place);
    return status;
}

static le_status sync_and_rename(const char *part, const char *file) {
    int fd = open(part, O_RDWR | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return good && rename(part, file) == 0 ? LE_OK
                                           : le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
}

le_status le_io_target_publish(const char *place_text, bool good) {
    le__io_place place;
    char *part;
    le_status status = le__io_part_parse(place_text, &place, &part);
    if (status != LE_OK)
        return status;
    if (good)
        status = sync_and_rename(part, place.file);
    else
        unlink(part);
    free(part);
    le__io_place_free(&place);
    return status;
}
